// The row of pinned charts. Each is drawn once, still, and small until it is enlarged to the size of the live chart; axes
// of the same units are given one range for all, the live chart among them, so that what looks larger is larger.
const rows = new WeakMap();
const AXES = ["xaxis", "yaxis"];

const title = (axis) => (typeof axis?.title === "string" ? axis.title : axis?.title?.text) ?? "";
// Numbers in brackets are no units: "axis 1 (43% of the variance)".
const units = (axis) => `${axis.type ?? "linear"} ${title(axis).replace(/\([^)]*%[^)]*\)/, "")}`;
const sameUnits = (a, b) => !!a && !!b && units(a) === units(b);

// Small type and narrow margins: a thumbnail has no room for the words of the chart.
function small(figure, template) {
  const layout = { ...figure.layout, template, height: 190, autosize: true, showlegend: false, annotations: [], hovermode: false };
  layout.margin = { l: 30, r: 8, t: 8, b: 22, pad: 2 };
  for (const name of AXES) {
    const axis = figure.layout[name] ?? {};
    layout[name] = { ...axis, title: { text: "" }, tickfont: { size: 10 }, nticks: 5 };
    delete layout[name].dtick;
  }
  if (layout.coloraxis) layout.coloraxis = { ...layout.coloraxis, showscale: false };
  const data = figure.data.map((trace) => {
    const marker = trace.marker && { ...trace.marker, showscale: false };
    if (marker && typeof marker.size === "number") marker.size = Math.max(2, marker.size * 0.5);
    const mode = trace.mode?.replace("+text", "").replace(/^text$/, "none");
    return { ...trace, ...(marker && { marker }), ...(mode && { mode }), hoverinfo: "skip" };
  });
  return { data, layout };
}

// As the live chart above it.
function large(made, template, handle, width) {
  const { data, layout } = handle.fitted(made, width);
  return { data, layout: { ...layout, template, height: handle.height(made), autosize: true } };
}

const chartOf = (key) => document.querySelector(`.st-key-${CSS.escape(key)} .live-chart`);

class Row {
  constructor(root) {
    Object.assign(this, { root, plots: new Map(), ranges: new Map(), same: true, count: 0 });
    const head = Object.assign(document.createElement("div"), { className: "head" });
    head.innerHTML = `<b>Pinned</b><span></span><label><input type="checkbox" checked> Same axes</label>`;
    head.querySelector("input").onchange = ({ target }) => ((this.same = target.checked), this.axes());
    root.replaceChildren(head);
    this.watching = new AbortController();
    window.addEventListener("rfviz:pin", () => this.draw(), { signal: this.watching.signal });
    this.timer = setInterval(() => this.look(), 1000);
  }

  // Another theme, another width, or nothing left to see.
  look() {
    if (!this.root.isConnected) {
      clearInterval(this.timer);
      this.watching.abort();
      const handle = this.live?.rfviz;
      for (const plot of this.plots.values()) handle?.Plotly.purge(plot);
      // Unless another row has come meanwhile, or the chart has gone too.
      if (this.live?.isConnected && this.share && handle.linked() === this.share) handle.link(null);
      return;
    }
    const face = `${getComputedStyle(this.root).color} ${this.root.clientWidth}`;
    if (face !== this.face) (this.face && this.draw([...this.plots.keys()]), (this.face = face));
  }

  update(data, setStateValue) {
    Object.assign(this, { data, setStateValue });
    const live = chartOf(data.chart);
    if (live !== this.live) {
      this.live = live;
      live?.addEventListener("rfviz:drawn", () => this.draw(), { signal: this.watching.signal });
    }
    const names = new Set(data.pins.map(({ name }) => name));
    for (const card of this.root.querySelectorAll(".card")) {
      if (names.has(card.dataset.name)) continue;
      this.plots.delete(card.dataset.name);
      this.ranges.delete(card.dataset.name);
      card.remove();
    }
    for (const pin of data.pins) this.card(pin);
    this.draw();
  }

  card(pin) {
    let card = this.root.querySelector(`[data-name="${pin.name}"]`);
    if (!card) {
      card = Object.assign(document.createElement("div"), { className: "card" });
      card.dataset.name = pin.name;
      card.innerHTML = `<button class="go" type="button"><span class="plot" aria-hidden="true"></span><span class="words"></span></button>
        <button class="size" type="button" aria-pressed="false" aria-label="Enlarge this pinned chart" title="Enlarge">⤢</button>
        <button class="drop" type="button" aria-label="Remove this pinned chart" title="Remove">×</button>`;
      card.querySelector(".plot").style.display = "block";
      card.querySelector(".go").onclick = () => window.dispatchEvent(new CustomEvent("rfviz:restore", { detail: pin.name }));
      card.querySelector(".size").onclick = ({ currentTarget }) => {
        currentTarget.setAttribute("aria-pressed", `${card.classList.toggle("large")}`);
        this.draw([pin.name]);
      };
      card.querySelector(".drop").onclick = () => {
        this.count = Math.max(this.count + 1, Date.now());
        this.setStateValue("removed", { name: pin.name, count: this.count });
      };
      this.root.append(card);
      this.plots.set(pin.name, card.querySelector(".plot"));
    }
    const words = card.querySelector(".words");
    const text = pin.differences.join(", ") || "The settings of the chart above";
    words.textContent = text;
    words.classList.toggle("same", !pin.differences.length);
    const go = card.querySelector(".go");
    go.title = "Back to these settings";
    go.setAttribute("aria-label", `Pinned chart. ${pin.alt} Pinned → now: ${text}. Press to go back to its settings.`);
  }

  // Draws what is not drawn yet, and these once more.
  async draw(again = []) {
    const handle = this.live?.rfviz;
    if (!handle) return;
    let template;
    for (const [name, plot] of this.plots) {
      const sheet = window.rfviz.pins?.get(name);
      if (!sheet || (plot.data && !again.includes(name))) continue;
      template ??= handle.themed(getComputedStyle(this.live));
      const isLarge = plot.closest(".large");
      const { data, layout } = isLarge ? large(sheet.figure, template, handle, plot.clientWidth) : small(sheet.figure, template);
      await handle.Plotly.newPlot(plot, data, layout, { staticPlot: true, displayModeBar: false });
      // What the axes are by themselves, before they are shared.
      if (!this.ranges.has(name) && plot._fullLayout?.xaxis) this.ranges.set(name, AXES.map((axis) => [...plot._fullLayout[axis].range]));
    }
    this.axes();
  }

  // The widest of the ranges of an axis, if it has the same units everywhere; as the axis runs.
  shared(index, own, pins) {
    const ends = [own, ...pins.map(([name]) => this.ranges.get(name)?.[index])].filter(Boolean);
    const down = own[0] > own[1];
    const [low, high] = [Math.min(...ends.flat()), Math.max(...ends.flat())];
    return down ? [high, low] : [low, high];
  }

  axes() {
    const handle = this.live?.rfviz;
    const full = this.live?._fullLayout;
    if (!handle || !full?.xaxis || full.scene) return;
    const figure = handle.figure();
    // Plotly writes the range that it has found into the figure, where that has none of its own.
    const own = AXES.map((axis) => figure.layout[axis]?.range ?? null);
    const wanted = AXES.map((axis, index) => {
      const peers = [...this.plots].filter(([name]) => sameUnits(window.rfviz.pins?.get(name)?.figure.layout[axis], figure.layout[axis]));
      if (!this.same || !peers.length || !own[index]) return null;
      return { range: this.shared(index, own[index], peers), peers: new Set(peers.map(([name]) => name)) };
    });
    for (const [name, plot] of this.plots) {
      const natural = this.ranges.get(name);
      if (!natural || !plot._fullLayout) continue;
      const update = {};
      AXES.forEach((axis, index) => {
        const range = wanted[index]?.peers.has(name) ? wanted[index].range : natural[index];
        if (range.join() !== plot._fullLayout[axis].range.join()) update[`${axis}.range`] = range;
      });
      if (Object.keys(update).length) handle.Plotly.relayout(plot, update);
    }
    const ranges = wanted.map((shared) => shared?.range ?? null);
    const text = JSON.stringify(ranges);
    const present = JSON.stringify(ranges.map((range, index) => range && [...full[AXES[index]].range]));
    if (text === this.text && text === present) return;
    this.text = text;
    this.share = (layout) =>
      ranges.forEach((range, index) => {
        const axis = layout[AXES[index]];
        if (range && axis?.range) layout[AXES[index]] = { ...axis, range, autorange: false };
      });
    if (!ranges.some(Boolean)) this.share = null;
    handle.link(this.share);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".pins");
  if (!rows.has(root)) rows.set(root, new Row(root));
  rows.get(root).update(JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data)), setStateValue);
}
