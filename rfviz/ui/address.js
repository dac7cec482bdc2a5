// The address bar: the controls' values, which Python sends, and the zoom of the charts, which never leaves the browser.
// Entries of the history are replaced, not added: a slider would add one for every step. rfviz/lab/zoom.py says how
// a zoom is written.
const NUMBER = /^-?\d{1,21}(\.\d{1,21})?(e-?\d{1,2})?$/;
// What Python itself keeps in the address: how the page is shown, and which lesson is on.
const KEPT = /^(embed.*|hide|present|lesson|step|lecture)$/;
// By key, the charts that are drawn and what each is zoomed to, as text; empty where it is not.
const charts = new Map();

function rangesOf(words) {
  if (words.length !== 3 && words.length !== 6) return null;
  const ranges = new Map();
  for (let at = 0; at < words.length; at += 3) {
    const [axis, ...ends] = words.slice(at, at + 3);
    if (!/^[xy]$/.test(axis) || ranges.has(axis) || !ends.every((end) => NUMBER.test(end))) return null;
    const [low, high] = ends.map(Number);
    if (!(high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)))) return null;
    ranges.set(axis, ends);
  }
  return ranges;
}

function parsed(text) {
  const found = new Map();
  if (!text || text.length > 4000) return found;
  for (const part of text.split(";").slice(0, 40)) {
    const [, key, words] = /^([A-Za-z0-9_-]{1,60}):([^:]+)$/.exec(part) ?? [];
    const ranges = key && rangesOf(words.split(","));
    if (ranges) found.set(key, ranges);
  }
  return found;
}

const joined = (ranges) => [...ranges].map(([axis, ends]) => `${axis},${ends.join(",")}`).join(",");
const inAddress = () => parsed(new URLSearchParams(window.location.search).getAll("zoom").at(-1));

// Both ends of an axis in as few digits as put them where they are, to less than half a pixel.
function short(range, log) {
  const ends = [...range].sort((a, b) => a - b);
  const width = ends[1] - ends[0];
  for (let digits = 3; digits < 16; digits++) {
    const words = ends.map((end) => {
      const number = log ? 10 ** end : Math.abs(end) < width / 4000 ? 0 : end;
      return String(Number(number.toPrecision(digits))).replace("+", "");
    });
    const read = words.map((word) => (log ? Math.log10(Number(word)) : Number(word)));
    if (read.every((end, place) => Math.abs(end - ends[place]) < width / 4000)) return words;
  }
  return ["", ""]; // beyond what a number can hold
}

// The zoom for the address: that of every chart that is drawn, and what is asked for those that will be.
function zoom() {
  const asked = inAddress();
  for (const [key, { root }] of charts) if (!root.isConnected) charts.delete(key);
  const parts = [...new Set([...asked.keys(), ...charts.keys()])].map((key) => {
    const there = document.querySelector(`.st-key-${CSS.escape(key)}`);
    const text = charts.has(key) ? charts.get(key).text : there && joined(asked.get(key));
    return text ? `${key}:${text}` : "";
  });
  return parts.filter(Boolean).join(";");
}

// Commas and colons need no escape; only a last one would be taken for the end of a sentence around the address.
function write(values) {
  const url = new URL(window.location.href);
  const present = [...url.searchParams];
  const kept = present.filter(([name]) => KEPT.test(name));
  const others = values ?? present.filter(([name]) => name !== "zoom" && !KEPT.test(name));
  const asked = zoom();
  const query = new URLSearchParams([...others, ...(asked ? [["zoom", asked]] : []), ...kept]).toString();
  url.search = query.replace(/%(2C|3A|3B|2F)(?=[^&])/g, decodeURIComponent);
  if (url.href !== window.location.href) window.history.replaceState(window.history.state, "", url);
}

// What the address asks of a chart that is drawn for the first time: by Plotly's name of each axis, its range.
function zoomOf(root, key, layout) {
  const [ranges, taken] = [new Map(), new Map()];
  const asked = inAddress().get(key) ?? new Map();
  for (const [axis, ends] of asked) {
    const own = layout[`${axis}axis`] ?? {};
    const range = ends.map(own.type === "log" ? (end) => Math.log10(end) : Number);
    if (layout.scene || own.fixedrange || !range.every(Number.isFinite)) continue;
    const turned = `${own.autorange}`.includes("reversed") || own.range?.[0] > own.range?.[1];
    ranges.set(`${axis}axis`, turned ? range.reverse() : range);
    taken.set(axis, ends);
  }
  charts.set(key, { root, text: joined(taken) });
  if (taken.size < asked.size) write();
  return ranges;
}

// A user has zoomed a chart, or gone back: by Plotly's name of each axis, its range.
function zoomed(root, key, ranges) {
  const words = [...ranges].map(([name, range]) => [name[0], short(range, root._fullLayout[name].type === "log")]);
  const text = joined(words);
  charts.set(key, { root, text: parsed(`${key}:${text}`).size ? text : "" });
  write();
}

export default function () {
  window.rfviz.address ??= { write, zoom, zoomOf, zoomed };
  window.dispatchEvent(new CustomEvent("rfviz:address"));
}
