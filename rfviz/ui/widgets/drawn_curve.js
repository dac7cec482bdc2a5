// A curve that the reader draws over a chart, with the pointer or the arrow keys, before an answer is shown. Read together
// with live_chart.js, as one module.
const COLUMNS = 33, STEPS = 40, REST = 500; // columns, steps of a key from bottom to top, milliseconds after the last key
const SLIP = 6, ABOVE = 16; // pixels after which the way of a finger is known, and those above the axes that draw too
const WORDS = 230; // pixels that the invitation takes
const SVG = "http://www.w3.org/2000/svg";

function element(parent, name, values = {}) {
  const made = parent.appendChild(document.createElementNS(SVG, name));
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  return made;
}

// Where the curve may be drawn, in the units of the screen: from one end to the other, within the axes; and the sheet
// that takes the pointer: the whole chart but for its legend, so that a stroke may begin and end beside the field.
function field(chart) {
  const { xaxis, yaxis, _subplots } = chart.root._fullLayout;
  const within = (x) => Math.min(Math.max(xaxis.d2p(x), 0), xaxis._length);
  const [left, right] = chart.data.drawing.ends.map(within);
  const top = Math.max(yaxis._offset - ABOVE, 0);
  const sheet = { left: 0, top, width: chart.root.clientWidth, height: chart.root.clientHeight - top };
  if (_subplots?.cartesian.length > 1)
    Object.assign(sheet, { left: xaxis._offset, width: xaxis._length, height: yaxis._offset + yaxis._length - top });
  return { xaxis, yaxis, left, right, height: yaxis._length, sheet };
}

// Lays the sheet over the axes, or takes it away; heights are kept in the units of the vertical axis.
function drawnCurve(chart) {
  const { drawing } = chart.data;
  if (!drawing || !chart.root._fullLayout?.yaxis) {
    chart.sheet?.svg.remove();
    chart.sheet = null;
    return skipTo();
  }
  if (chart.sheet?.id !== drawing.id) {
    chart.sheet?.svg.remove();
    chart.sheet = sheetOf(chart, drawing);
  }
  const given = JSON.stringify(drawing.heights ?? null);
  if (chart.sheet.given !== given && !chart.sheet.busy) {
    // A curve that the figure shows already: the sheet draws it only while it changes.
    Object.assign(chart.sheet, { given, touched: false });
    if (drawing.heights) chart.sheet.heights = [...drawing.heights];
  }
  const isNew = !chart.sheet.svg.isConnected;
  if (isNew) chart.root.append(chart.sheet.svg);
  paint(chart);
  skipTo();
  if (isNew && drawing.seek) chart.root.scrollIntoView({ block: "nearest" });
}

// For the keyboard: next to the link that skips to the page there is one that skips to the sheet, where there is one.
function skipTo() {
  const toPage = document.querySelector("[data-testid=stSkipToContent]"), link = document.querySelector(".skip-to-curve");
  if (!document.querySelector(".drawn-curve")) link?.remove();
  else if (toPage && !link) {
    const made = toPage.cloneNode();
    made.classList.add("skip-to-curve");
    made.removeAttribute("data-testid");
    made.textContent = "Draw in the chart";
    made.addEventListener("click", (event) => {
      event.preventDefault();
      document.querySelector(".drawn-curve").focus();
    });
    toPage.after(made);
  }
}

function sheetOf(chart, { id, label }) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ class: "drawn-curve", tabindex: 0, role: "slider", "aria-label": label }))
    svg.setAttribute(key, value);
  const sheet = { id, svg, heights: Array(COLUMNS).fill(null), at: 0, last: null, timer: 0, busy: false };
  const group = (sheet.group = element(svg, "g"));
  Object.assign(sheet, { ground: element(group, "rect", { x: 0, y: 0 }), words: element(group, "text"), line: element(group, "path") });
  sheet.dot = element(group, "circle", { r: 6 });
  const stop = (event) => event.stopPropagation();
  // A finger that moves up or down first scrolls the page, and one that only taps draws nothing.
  let waiting = null;
  const begin = (event) => {
    waiting = null;
    clearTimeout(sheet.timer); // of a key, which would end the stroke
    svg.setPointerCapture(event.pointerId);
    Object.assign(sheet, { last: null, busy: true });
    pull(chart, event);
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    stop(event);
    if (event.pointerType === "touch") waiting = event.isPrimary ? event : null;
    else begin(event);
  });
  svg.addEventListener("pointermove", (event) => {
    stop(event);
    if (waiting) {
      const [across, along] = [event.clientX - waiting.clientX, event.clientY - waiting.clientY].map(Math.abs);
      if (Math.max(across, along) < SLIP) return;
      if (across > along) begin(waiting);
      waiting = null;
    }
    if (!sheet.busy || !svg.hasPointerCapture(event.pointerId)) return;
    for (const step of event.getCoalescedEvents?.() ?? [event]) pull(chart, step);
  });
  const end = (event) => {
    stop(event);
    waiting = null;
    if (!sheet.last || !sheet.busy) return;
    Object.assign(sheet, { last: null, busy: false });
    hand(chart);
  };
  for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, end);
  svg.addEventListener("keydown", (event) => {
    if (!press(chart, event)) return;
    stop(event);
    event.preventDefault();
    clearTimeout(sheet.timer);
    sheet.busy = true;
    sheet.timer = setTimeout(() => ((sheet.busy = false), hand(chart)), REST);
  });
  return sheet;
}

// The pointer sets the columns that it has passed since it was seen last.
function pull(chart, { clientX, clientY }) {
  const { sheet } = chart;
  const { yaxis, left, right, height } = field(chart);
  const box = sheet.ground.getBoundingClientRect();
  const column = Math.min(Math.max(Math.round(((clientX - box.left) / (right - left)) * (COLUMNS - 1)), 0), COLUMNS - 1);
  const y = Math.min(Math.max(clientY - box.top, 0), height);
  const from = sheet.last ?? { column, y };
  const step = Math.sign(column - from.column) || 1;
  for (let at = from.column; step * at <= step * column; at += step) {
    const share = column === from.column ? 1 : (at - from.column) / (column - from.column);
    sheet.heights[at] = yaxis.p2d(from.y + share * (y - from.y));
  }
  sheet.last = { column, y };
  Object.assign(sheet, { at: column, touched: true });
  paint(chart);
}

// Arrow keys: along the curve, which grows with them, and up and down.
function press(chart, { key }) {
  const { sheet } = chart;
  const { yaxis, height } = field(chart);
  const along = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const up = { ArrowUp: -1, ArrowDown: 1, PageUp: -5, PageDown: 5 }[key];
  const here = sheet.heights[sheet.at] ?? yaxis.p2d(height / 2);
  if (along) {
    sheet.heights[sheet.at] = here;
    sheet.at = Math.min(Math.max(sheet.at + along, 0), COLUMNS - 1);
    sheet.heights[sheet.at] ??= here;
  } else if (up) {
    sheet.heights[sheet.at] = yaxis.p2d(Math.min(Math.max(yaxis.d2p(here) + (up * height) / STEPS, 0), height));
  } else if ((key === "Delete" || key === "Backspace") && !chart.data.drawing.heights) sheet.heights.fill(null);
  else return false;
  sheet.touched ||= Boolean(up);
  paint(chart);
  return true;
}

function paint(chart) {
  const { sheet } = chart;
  const { xaxis, yaxis, left, right, height, sheet: whole } = field(chart);
  const width = Math.max(right - left, 1);
  for (const side of ["left", "top"]) sheet.svg.style[side] = `${whole[side]}px`;
  for (const size of ["width", "height"]) sheet.svg.setAttribute(size, whole[size]);
  sheet.group.setAttribute("transform", `translate(${xaxis._offset + left - whole.left} ${yaxis._offset - whole.top})`);
  sheet.ground.setAttribute("width", width);
  sheet.ground.setAttribute("height", height);
  const place = (column) => (column * width) / (COLUMNS - 1);
  const points = sheet.heights.map((y, column) => (y === null ? null : [place(column), yaxis.d2p(y)]));
  const text = points.map((point, at) => point && `${points[at - 1] ? "L" : "M"}${point.map((v) => v.toFixed(1))}`);
  const shown = sheet.touched || !chart.data.drawing.heights;
  sheet.line.setAttribute("d", shown ? text.filter(Boolean).join("") : "");
  sheet.words.textContent = width < WORDS ? "Draw here" : "Draw what you expect here";
  sheet.words.setAttribute("x", width / 2);
  sheet.words.setAttribute("y", height / 2);
  sheet.words.style.display = text.some(Boolean) ? "none" : "";
  const [x, y] = points[sheet.at] ?? [place(sheet.at), height / 2];
  sheet.dot.setAttribute("cx", x);
  sheet.dot.setAttribute("cy", y);
  const [across, up] = [xaxis.p2d(left + x), yaxis.p2d(y)].map((value) => Number(value.toPrecision(3)));
  for (const [name, value] of [["min", 0], ["max", COLUMNS - 1], ["now", sheet.at], ["text", `${across}: ${up}`]])
    sheet.svg.setAttribute(`aria-value${name}`, value);
}

// Hands the curve over to the page.
function hand(chart) {
  const { sheet } = chart;
  if (!sheet) return;
  const { xaxis, left, right } = field(chart);
  const across = (column) => xaxis.p2d(left + (column * (right - left)) / (COLUMNS - 1));
  const curve = sheet.heights.map((y, column) => [across(column), y]).filter(([, y]) => y !== null);
  chart.setStateValue("drawn", { curve });
}
