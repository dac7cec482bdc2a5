// How a chart uses the room that it has: its height, its legend, the size of its marks and words. Read together with
// live_chart.js, as one module.

// As tall as the figure says, or less where that would leave room empty: where its plane is to be square, or is a picture
// that hangs from the top of its axes, and the chart is too narrow for one so tall. A main chart that begins in the upper
// part of the window leaves room in it for its toolbar and its sentence; in the presenter's view it fills what is left,
// and so do squares next to each other. Where a lesson is a sheet at the bottom of the window, it fits above that.
function tall({ root, data }) {
  const { margin, xaxis, yaxis } = data.figure.layout;
  let { height } = data.figure.layout;
  const top = beginning(root) + (root.closest("[data-testid=stMain]")?.scrollTop ?? 0);
  const room = window.innerHeight - top;
  const sheet = window.innerWidth < BESIDE && document.querySelector(".st-key-lesson-panel");
  if (sheet && !data.square) height = Math.min(height, Math.max(LOWEST, ABOVE_SHEET * window.innerHeight - HEAD));
  else if (data.large && (!data.secondary || data.square) && top < 0.6 * window.innerHeight)
    height = Math.max(LEAST, Math.min(1.4 * height, room - 16));
  else if (!data.large && !data.secondary && top < 0.55 * window.innerHeight && window.innerWidth > WIDE)
    height = Math.min(height, Math.max(LEAST, room - SENTENCE));
  const length = ({ range }) => Math.abs(range[1] - range[0]);
  const hangs = yaxis?.constraintoward === "top" && xaxis?.range && yaxis.range;
  if (!data.square && !hangs) return height;
  const share = hangs ? length(yaxis) / length(xaxis) : 1;
  return Math.min(height, Math.ceil((root.clientWidth - margin.l - margin.r) * share) + margin.t + margin.b);
}

// Panels in a row stand on one line, so that a lower one begins lower, and would take the less room for it: each begins
// where it would if it were the tallest.
function beginning(root) {
  const { top } = root.getBoundingClientRect();
  const row = root.closest(".st-key-surface-row");
  const column = row && [...row.children].find((one) => one.contains(root));
  return column ? row.getBoundingClientRect().top + top - column.getBoundingClientRect().top : top;
}

// Pixels below which a legend above a chart takes the room of the scale at its left too, so that fewer of its lines
// take height from the curves, and the pixels of a square panel for which its marks are made.
const NARROW = 620, PANEL = 330, PLANE = 900;
// In a window wider than this a main chart is as tall as leaves this room below it, but no less than that.
const WIDE = 900, SENTENCE = 120, LEAST = 300;
// From this width on a lesson stands beside the page; else it leaves this share of the window, and the page's head takes
// so many pixels of that.
const BESIDE = 1000, ABOVE_SHEET = 0.54, HEAD = 116, LOWEST = 200;
const SMALLEST = 4; // pixels of a mark

// Where there is less room than a figure was made for: a wide legend, and marks that do not cover what is between them.
function fitted({ width, data }, figure) {
  const { legend, margin } = figure.layout;
  if (width < NARROW && legend?.orientation === "h" && legend.x === 0 && legend.yanchor === "bottom") {
    const across = Math.max(width - margin.l - margin.r, 1);
    const wide = { ...legend, x: (8 - margin.l) / across, xanchor: "left", font: { ...legend.font, size: 13 } };
    figure = { ...figure, layout: { ...figure.layout, legend: wide } };
  }
  if (width < NARROW && !data.square && figure.layout.images?.[0]?.sizing === "contain") {
    // Thumbnails are nearly as large as on a wide page, and lie over each other a little.
    const larger = Math.max(PLANE / Math.max(width - margin.l - margin.r, 1) / 1.4, 1);
    const images = figure.layout.images.map((one) => ({ ...one, sizex: one.sizex * larger }));
    figure = { ...figure, layout: { ...figure.layout, images } };
  }
  if (!data.square) return figure;
  // In a low window the plane is as wide as it is high, and not as its panel is.
  const { xaxis, yaxis } = figure.layout;
  const axes = { xaxis: { ...xaxis, constrain: "domain" }, yaxis: { ...yaxis, scaleanchor: "x", constrain: "domain" } };
  figure = { ...figure, layout: { ...figure.layout, ...axes } };
  if (width >= PANEL) return figure;
  const smaller = (trace) => {
    const { marker } = trace;
    if (!Number.isFinite(marker?.size)) return trace;
    const share = Math.max(width / PANEL, 0.6);
    const line = marker.line && { ...marker.line, width: share * marker.line.width };
    const size = Math.max(share * marker.size, Math.min(marker.size, SMALLEST));
    return { ...trace, marker: { ...marker, size, line } };
  };
  return { ...figure, data: figure.data.map(smaller) };
}

// Words for the last row of a lecture hall: 1.4 times as large, less in a narrow chart, where they would be cut off.
function readable({ width, data }, whole) {
  const factor = data.large ? Math.min(Math.max(width / 560, 1), 1.4) : 1;
  if (factor === 1) return whole;
  const figure = structuredClone(whole);
  const enlarge = (part) => {
    for (const [name, value] of Object.entries(part)) {
      if (!value || typeof value !== "object" || ArrayBuffer.isView(value)) continue;
      if (name.endsWith("font") && Number.isFinite(value.size)) value.size *= factor;
      else if (!Array.isArray(value) || typeof value[0] === "object") enlarge(value);
    }
  };
  enlarge(figure);
  const { layout } = figure;
  layout.font = { size: 12 * factor, ...layout.font };
  for (const side of Object.keys(layout.margin ?? {})) layout.margin[side] *= 0.5 + 0.5 * factor;
  for (const trace of figure.data) if (Number.isFinite(trace.line?.width)) trace.line.width *= factor;
  return figure;
}
