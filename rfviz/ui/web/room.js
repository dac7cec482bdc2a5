// A phone in a room: it shows the question that the lecturer's page asks, and sends the answer. Read together with
// drawn_curve.js, as one module.
const EVERY_MS = 2000, LEFT = 46, BELOW = 24, TOP = 8, RIGHT = 10;
const SAID = { wait: "Wait for the next question.", closed: "No more answers. Look at the screen.", answer: "" };
const ADDRESSES = JSON.parse(document.getElementById("addresses").textContent);
const [join, section, status] = ["join", "question", "status"].map((id) => document.getElementById(id));
const find = (selector) => section.querySelector(selector);
const title = document.querySelector("h1"), untitled = title.textContent;
const code = decodeURIComponent(location.pathname.slice(ADDRESSES.join.length + 1)).trim().toUpperCase();
let asked = null; // the question that is shown
let chart = null;
let shown = null; // the right answer

// A name that the server cannot tie to anybody; a page that is loaded again keeps it.
function nameOf() {
  const fresh = Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => n.toString(16).padStart(2, "0")).join("");
  try {
    const kept = sessionStorage.getItem(`rfviz:${code}`) ?? fresh;
    sessionStorage.setItem(`rfviz:${code}`, kept);
    return kept;
  } catch {
    return fresh;
  }
}
const phone = nameOf();

function say(text) {
  if (status.textContent !== text) status.textContent = text;
}

// --- the chart --------------------------------------------------------------------------------------------------------

// An axis with the four things that drawn_curve.js asks of one of Plotly's.
function axisOf({ ends, log }, length, offset, isUp) {
  const measure = log ? Math.log10 : (value) => value, back = log ? (value) => 10 ** value : (value) => value;
  const [low, high] = ends.map(measure);
  const turned = (share) => (isUp ? 1 - share : share);
  return { _length: length, _offset: offset,
    d2p: (value) => turned((measure(value) - low) / (high - low)) * length,
    p2d: (place) => back(low + turned(place / length) * (high - low)) };
}

// Round numbers between the ends: powers of ten on a logarithmic axis, with two and five where there are few.
function marksOf({ ends: [low, high], log }) {
  const inside = (value) => value >= low - 1e-9 * Math.abs(low) && value <= high + 1e-9 * Math.abs(high);
  if (log) {
    const powers = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) powers.push(10 ** power);
    const tens = powers.filter(inside);
    const all = tens.length > 2 ? tens : powers.flatMap((ten) => [ten, 2 * ten, 5 * ten]).filter(inside);
    const every = Math.ceil(all.length / 6);
    return all.filter((_, at) => at % every === 0);
  }
  const rough = (high - low) / 5, ten = 10 ** Math.floor(Math.log10(rough));
  const step = ten * [1, 2, 5, 10].find((factor) => factor * ten >= rough);
  const marks = [];
  for (let at = Math.ceil(low / step); at * step <= high; at++) marks.push(at * step);
  return marks;
}

function written(value) {
  return Number(value.toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 });
}

function drawAxes() {
  const { root, axes } = chart;
  const width = root.clientWidth - LEFT - RIGHT, height = root.clientHeight - TOP - BELOW;
  const xaxis = axisOf(axes[0], width, LEFT, false), yaxis = axisOf(axes[1], height, TOP, true);
  root._fullLayout = { xaxis, yaxis };
  root.querySelector(".axes")?.remove();
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "axes");
  svg.setAttribute("aria-hidden", "true");
  root.prepend(svg);
  element(svg, "path", { d: `M${LEFT},${TOP}v${height}h${width}` });
  for (const value of marksOf(axes[0])) {
    const x = LEFT + xaxis.d2p(value);
    element(svg, "path", { d: `M${x},${TOP + height}v5` });
    element(svg, "text", { x, y: TOP + height + 19, "text-anchor": "middle" }).textContent = written(value);
  }
  for (const value of marksOf(axes[1])) {
    const y = TOP + yaxis.d2p(value);
    element(svg, "path", { d: `M${LEFT},${y}h-5` });
    element(svg, "text", { x: LEFT - 8, y: y + 4, "text-anchor": "end" }).textContent = written(value);
  }
  drawnCurve(chart);
}

// The heights of a curve that was sent before, at the columns of the sheet; null outside of it.
function columnsOf(curve, { ends, log }) {
  const axis = axisOf({ ends, log }, COLUMNS - 1, 0, false), heights = Array(COLUMNS).fill(null);
  for (const [x, y] of curve) heights[Math.round(axis.d2p(x))] = y;
  return heights;
}

function openChart(question, answer) {
  const root = find(".chart");
  root.replaceChildren();
  find(".up").textContent = `↑ ${question.axes[1].label}`;
  find(".across").textContent = `${question.axes[0].label} →`;
  const drawing = { id: asked, ends: question.axes[0].ends, label: question.hint };
  chart = { root, axes: question.axes, data: { drawing }, setStateValue: (_, { curve }) => curve.length > 1 && send(curve) };
  drawAxes();
  if (answer) chart.sheet.heights = columnsOf(answer, question.axes[0]);
  drawnCurve(chart);
}

// --- the question -----------------------------------------------------------------------------------------------------

// The server's own HTML, made from the lesson's file.
function put(target, html) {
  target.innerHTML = html;
}

function show({ id, question, answer }) {
  asked = id;
  chart = null;
  put(title, question.title);
  put(find(".text"), question.text);
  const choices = find("fieldset");
  choices.querySelectorAll("label").forEach((label) => label.remove());
  choices.hidden = !question.options;
  find("figure").hidden = find(".help").hidden = Boolean(question.options);
  section.hidden = false;
  for (const [at, option] of (question.options ?? []).entries()) {
    const label = choices.appendChild(document.createElement("label"));
    const input = label.appendChild(document.createElement("input"));
    Object.assign(input, { type: "radio", name: "answer", value: at, checked: at === answer });
    input.addEventListener("change", () => send(at));
    put(label.appendChild(document.createElement("span")), option);
  }
  if (question.axes) openChart(question, answer);
  say(answer === null || answer === undefined ? "" : "Sent. You may still change it.");
}

// The right answer, once the lecturer shows it: a mark at the choice, or the curve next to one's own.
function reveal(right) {
  const labels = [...section.querySelectorAll("fieldset label")];
  labels.forEach((label, at) => label.classList.toggle("right", at === right));
  if (!chart?.root.isConnected) return;
  chart.root.querySelector(".truth")?.remove();
  if (!Array.isArray(right)) return;
  const { xaxis, yaxis } = chart.root._fullLayout;
  const places = right.map(([x, y]) => [LEFT + xaxis.d2p(x), TOP + yaxis.d2p(y)].map((at) => at.toFixed(1)));
  element(chart.root.querySelector(".axes"), "path", { class: "truth", d: `M${places.join("L")}` });
}

function hide() {
  section.hidden = true;
  asked = chart = null;
  title.textContent = untitled;
}

function turn(told) {
  if (told.stage === "wait") {
    hide();
  } else if (told.question) show(told);
  const open = told.stage === "ask";
  find("fieldset").disabled = !open;
  section.classList.toggle("closed", !open);
  find(".help").hidden = !open || !chart;
  reveal((shown = told.right ?? null));
  const verdict = told.verdict ?? "";
  if (find(".verdict").dataset.html !== verdict) put(find(".verdict"), (find(".verdict").dataset.html = verdict));
  if (!open) say(SAID[told.stage]);
}

async function send(answer) {
  const question = asked;
  say("Sending …");
  try {
    const body = JSON.stringify({ phone, question, answer });
    const reply = await fetch(ADDRESSES.room + code, { method: "POST", body });
    const told = await reply.json();
    if (question === asked) say(told.error ?? "Sent. You may still change it.");
  } catch {
    if (question === asked) say("Not sent: the laboratory cannot be reached. Answer again.");
  }
}

async function look() {
  const query = new URLSearchParams({ phone, ...(asked && { have: asked }) });
  try {
    const reply = await fetch(`${ADDRESSES.room}${encodeURIComponent(code)}?${query}`, { cache: "no-store" });
    const told = await reply.json();
    if (!told.error) return turn(told);
    say(told.error);
    if (reply.status === 404) {
      hide();
      join.hidden = false;
    }
  } catch {
    say("The laboratory cannot be reached. This page tries again.");
  }
}

join.addEventListener("submit", (event) => {
  event.preventDefault();
  location.assign(`${ADDRESSES.join}/${encodeURIComponent(join.code.value.trim().toUpperCase())}`);
});
addEventListener("resize", () => chart && (drawAxes(), reveal(shown)));
if (code) {
  // Not all of a class in the same moment.
  const again = async () => {
    if (!document.hidden) await look();
    setTimeout(again, EVERY_MS * (0.85 + 0.3 * Math.random()));
  };
  document.addEventListener("visibilitychange", () => document.hidden || look());
  again();
} else {
  join.hidden = false;
}
