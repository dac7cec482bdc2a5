// A Plotly chart that is redrawn in place. Streamlit's own is unmounted and built again whenever its data change, which
// costs twice the time, flickers, and forgets the zoom.
const charts = new WeakMap();

// Where the page's address is read and written: there with the page's title, so hardly ever waited for.
function addressed() {
  if (window.rfviz.address) return Promise.resolve();
  return new Promise((resolve) => {
    window.addEventListener("rfviz:address", resolve, { once: true });
    setTimeout(resolve, 2000); // a chart that is not zoomed is better than none
  });
}

// A chart in a tab that is not open has no width to draw for; wait until it is.
function shown(root) {
  if (root.offsetWidth) return Promise.resolve();
  return new Promise((resolve) => {
    const observer = new ResizeObserver(() => {
      if (!root.offsetWidth) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(root);
  });
}

// After the next frame is on the screen; at once where the page is hidden and has no frames.
function painted() {
  if (document.hidden) return Promise.resolve();
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

function faint(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return /^#[0-9a-f]{6}$/i.test(colour) ? `rgba(${red},${green},${blue},0.6)` : colour;
}

// The page's theme as a Plotly template; colours that a figure sets itself stay as they are.
function themed(style) {
  const colour = (name) => style.getPropertyValue(`--st-${name}`).trim();
  const [text, ground, line] = ["text-color", "background-color", "border-color"].map(colour);
  const lines = { gridcolor: faint(line), zerolinecolor: line, tickcolor: line, linecolor: line, zeroline: false };
  // By default Plotly measures every label, to hide those that are cut off: up to a quarter of the time of a redraw.
  const axis = { ...lines, ticklabeloverflow: "allow" };
  const clear = "rgba(0,0,0,0)";
  return {
    layout: {
      font: { color: text, family: colour("font") },
      paper_bgcolor: clear,
      plot_bgcolor: clear,
      legend: { bordercolor: clear, bgcolor: clear },
      modebar: { bgcolor: clear, color: faint(text), activecolor: text },
      hoverlabel: { bgcolor: ground, bordercolor: line, font: { color: text } },
      xaxis: { ...axis, showgrid: false, title: { standoff: 18 } },
      yaxis: { ...axis, title: { standoff: 16 } },
      scene: Object.fromEntries(["x", "y", "z"].map((name) => [`${name}axis`, { ...lines, backgroundcolor: clear }])),
      coloraxis: { colorbar: { outlinewidth: 0 } },
      margin: { pad: 6 },
    },
  };
}

const EXPAND = { width: 24, height: 24, path: "M3 3h7v2H5v5H3zm11 0h7v7h-2V5h-5zM3 14h2v5h5v2H3zm16 0h2v7h-7v-2h5z" };

// Whether fingers point: a finger that moves over a chart scrolls the page, and there is nothing like a hover.
const isTouched = () => window.matchMedia("(hover: none) and (pointer: coarse)").matches;

// Made once a chart: Plotly builds a chart anew when it is handed another function.
function config(root, { clickable, figure }) {
  const expand = () => (document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen());
  const reset = figure.layout.scene ? "resetCameraDefault3d" : "resetScale2d";
  return {
    displaylogo: false,
    scrollZoom: false,
    displayModeBar: isTouched() ? false : "hover",
    // A drag zooms, but where points are clicked it moves the plane; Share saves the picture.
    modeBarButtons: [[...(clickable ? ["zoomIn2d", "zoomOut2d"] : []), reset, { name: "fullscreen", title: "Fullscreen", icon: EXPAND, click: expand }]],
  };
}

// Axes that Plotly may change: where both have one scale it widens a range in place, so that a chart that was drawn
// narrow once would stay small.
function axesOf(layout) {
  const names = Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));
  const copy = (axis) => (axis.range ? { ...axis, range: [...axis.range] } : { ...axis });
  return Object.fromEntries(names.map((name) => [name, copy(layout[name])]));
}

// What stands in for the figure of the page while the user plays, or the figure itself. Frames follow each other too
// fast to ask for the theme each time.
function draw(Plotly, chart, fresh = true) {
  const { root, data } = chart;
  chart.late = false;
  // To ask for the width makes the browser lay the page out, once for each chart of a frame.
  if (fresh) Object.assign(chart, { width: root.clientWidth, template: themed(getComputedStyle(root)) });
  const figure = fitted(chart, readable(chart, chart.frame ?? data.figure));
  const layout = { ...figure.layout, ...axesOf(figure.layout), autosize: true, template: chart.template, uirevision: data.figure.layout.uirevision };
  if (fresh) root.style.minHeight = `${(chart.height = tall(chart))}px`;
  layout.height = chart.height;
  if (document.fullscreenElement === root) layout.height = window.innerHeight;
  if (isTouched() || data.drawing) layout.dragmode = false; // the pointer draws
  else if (data.clickable) layout.dragmode ??= "pan";
  if (!chart.zoomed) chart.zoomed = window.rfviz.address?.zoomOf(root, data.key, data.figure.layout) ?? new Map();
  else if (layout.uirevision !== chart.revision && chart.zoomed.size) {
    chart.zoomed.clear();
    window.rfviz.address?.zoomed(root, data.key, chart.zoomed);
  }
  chart.revision = layout.uirevision;
  chart.link?.(layout); // charts that are compared share their axes
  for (const [axis, range] of chart.zoomed) layout[axis] = { ...layout[axis], range, autorange: false };
  const drawn = Plotly.react(root, figure.data, layout, (chart.config ??= config(root, data)));
  for (const axis of chart.zoomed.keys()) goHomeTo(root._fullLayout[axis], figure.layout[axis]);
  drawnCurve(chart);
  return drawn;
}

// Plotly goes back to the range that it has drawn first, which may have been a zoom.
function goHomeTo(axis, own) {
  if (axis) [axis._rangeInitial0, axis._rangeInitial1] = own?.autorange ? [] : (own?.range ?? []);
}

// Plotly itself gives up a zoom when the range that the figure asks for has changed, as it does where an axis grows.
function zoom(Plotly, chart, change) {
  const { root, zoomed } = chart;
  const names = ["xaxis", "yaxis"].filter((name) => Object.keys(change).some((key) => key.startsWith(`${name}.`)));
  let home = false;
  for (const name of names) {
    const { range, _rangeInitial0: low, _rangeInitial1: high, autorange } = root._fullLayout[name];
    const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.abs(high - low);
    // Where both axes have one scale, Plotly shows more of one of them than it was asked to.
    const asked = change[`${name}.range`] ?? [0, 1].map((end) => change[`${name}.range[${end}]`]);
    const isHome = ([from, to]) => near(from, low) && near(to, high);
    if (autorange || isHome(range) || isHome(asked)) home = zoomed.delete(name) || home;
    else zoomed.set(name, [...range]);
  }
  if (names.length) window.rfviz.address?.zoomed(root, chart.data.key, zoomed);
  if (home) draw(Plotly, chart);
}

// Where in the plane a click went, on a point or next to it: Plotly itself tells of clicks on points alone. All of the
// latest are handed over, since of two quick ones the server may see but the second.
function place(chart, { clientX, clientY }) {
  const { xaxis, yaxis } = chart.root._fullLayout;
  const box = chart.root.getBoundingClientRect();
  const [x, y] = [clientX - box.left - xaxis._offset, clientY - box.top - yaxis._offset];
  if (x < 0 || y < 0 || x > xaxis._length || y > yaxis._length) return;
  // Numbered by the clock, so that a chart that is built anew does not begin with old numbers.
  chart.count = Math.max(chart.count + 1, Date.now());
  chart.places = [...(chart.places ?? []), [xaxis.p2d(x), yaxis.p2d(y), chart.count]].slice(-20);
  chart.setStateValue("placed", { clicks: chart.places });
}

function watchClicks(chart, signal) {
  let pressed = null;
  const press = (event) => (pressed = event.button || event.target.closest?.(".modebar, .drawn-curve") ? null : event);
  chart.root.addEventListener("pointerdown", press, { capture: true, signal });
  window.addEventListener("pointercancel", () => (pressed = null), { capture: true, signal }); // a finger that scrolls
  const release = (event) => {
    const still = pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) < 5;
    if (still && chart.data.placing) place(chart, pressed);
    pressed = null;
  };
  // Plotly covers the chart while a button is down, so the release is not the chart's to see.
  window.addEventListener("pointerup", release, { capture: true, signal });
}

// What Plotly itself tells of; it forgets its listeners when a chart goes over to another script.
function listen(Plotly, chart) {
  const { root } = chart;
  root.on("plotly_relayout", (change) => zoom(Plotly, chart, change));
  const pick = (row) => {
    if (chart.data.clickable) chart.setStateValue("picked", { row, count: (chart.count += 1) });
  };
  root.on("plotly_click", (event) => Number.isInteger(event.points?.[0]?.customdata) && pick(event.points[0].customdata));
  root.on("plotly_doubleclick", () => pick(null));
}

function watch(chart) {
  const { root } = chart;
  const watching = new AbortController();
  watchClicks(chart, watching.signal);
  const isNarrow = (width) => width < (chart.data.square ? PANEL : NARROW);
  const fits = () =>
    Math.abs(tall(chart) - root._fullLayout.height) < 2 && isNarrow(root.clientWidth) === isNarrow(chart.width);
  // Told of heights too, which are the chart's own doing, and once at the beginning.
  const resize = () => {
    if (!fits()) return draw(chart.Plotly, chart);
    if (root.clientWidth === chart.width) return;
    chart.width = root.clientWidth;
    const resized = chart.Plotly.Plots.resize(root);
    // Ranges that were widened for another width are narrowed again.
    if (chart.data.figure.layout.yaxis?.scaleanchor) resized.then(() => draw(chart.Plotly, chart));
  };
  const see = (entries) => {
    chart.unseen = !entries.at(-1).isIntersecting;
    if (chart.late && !chart.unseen) draw(chart.Plotly, chart, false);
  };
  new IntersectionObserver(see).observe(root);
  const observer = new ResizeObserver(() => root.isConnected && root.clientWidth && resize());
  observer.observe(root.parentElement);
  // Controls whose scripts are late come after the chart: what they push down would be lost below the window.
  const page = root.closest("[data-testid=stMainBlockContainer]");
  if (page) observer.observe(page);
  root.addEventListener("fullscreenchange", () => draw(chart.Plotly, chart));
  root.addEventListener("transitionrun", ({ target }) => target === root && draw(chart.Plotly, chart)); // another theme
  window.addEventListener("resize", () => root.clientWidth && resize(), { signal: watching.signal });
  const timer = setInterval(() => {
    if (!root.isConnected) {
      clearInterval(timer);
      watching.abort();
      chart.Plotly.purge(root); // gives back what WebGL holds
      skipTo();
    } else if (
      JSON.stringify(themed(getComputedStyle(root))) !== JSON.stringify(chart.template) ||
      // What stands above the chart may have come after it, a formula for example.
      (root.clientWidth && document.fullscreenElement !== root && !fits())
    )
      draw(chart.Plotly, chart);
  }, 1000);
}

// For the player and the pinned charts, which are components of their own.
function handle(chart) {
  return {
    get Plotly() {
      return chart.Plotly;
    },
    themed,
    figure: () => chart.data.figure,
    // Another figure of this chart, in a place of that width; where it is to be square, as tall as it was made.
    fitted: (figure, width) => fitted({ ...chart, width }, figure),
    height: (figure) => (chart.data.square ? figure.layout.height : chart.height),
    framed: () => !!chart.frame,
    // A frame that is held stays when newer data come: the user is ahead of them. Where nobody sees the chart, the latest
    // frame is drawn once it is scrolled into view.
    show: (figure, held = false) => {
      Object.assign(chart, { frame: figure, held, late: true });
      if (!figure || !chart.unseen) draw(chart.Plotly, chart, !figure);
    },
    release: () => (chart.held = false),
    linked: () => chart.link,
    link: (change) => ((chart.link = change), draw(chart.Plotly, chart)),
  };
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".live-chart");
  const chart = charts.get(root) ?? { root, count: 0 };
  charts.set(root, chart);
  chart.setStateValue = setStateValue;
  const text = typeof data === "string" ? data : new TextDecoder().decode(data);
  if (text === chart.text) return;
  chart.text = text;
  chart.data = JSON.parse(text);
  root.setAttribute("aria-label", chart.data.alt);
  root.setAttribute("aria-busy", "true");
  root.style.minHeight = `${root.clientWidth ? tall(chart) : chart.data.figure.layout.height}px`;
  const ready = shown(root).then(() => Promise.all([loadPlotly(chart.data.plotly), addressed()]));
  ready.then(async ([Plotly]) => {
    if (chart.data.secondary) await painted();
    if (chart.text !== text) return; // newer data came while this one waited
    if (!chart.held) chart.frame = null;
    const before = chart.Plotly;
    if (before !== Plotly) before?.purge(root);
    chart.Plotly = Plotly;
    await draw(Plotly, chart);
    if (before !== Plotly) listen(Plotly, chart);
    if (!before) watch(chart);
    root.rfviz ??= handle(chart);
    if (chart.text === text) root.removeAttribute("aria-busy");
    root.dispatchEvent(new CustomEvent("rfviz:drawn"));
  });
}
