// The bar below a chart. It shows frames that came all at once: in the browser's own rhythm, where between two frames
// numbers are drawn in between and images fade, so that a few dozen of them run smoothly; or under the hand, while the
// slider of their control is dragged. The server hears nothing of it.
const bars = new Map();
const SPEEDS = [0.5, 1, 2, 4];
const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M6 5h4v14H6zm8 0h4v14h-4z",
  back: "M15 6v12l-9-6zM5 6h2v12H5z",
  forth: "M9 6v12l9-6zM17 6h2v12h-2z",
  again: "M12 5V1L7 6l5 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z",
  close: "M18.3 5.7 12 12l6.3 6.3-1.4 1.4L10.6 13.4 4.3 19.7l-1.4-1.4L9.2 12 2.9 5.7l1.4-1.4 6.3 6.3 6.3-6.3z",
  pin: "M16 9V4h1V2H7v2h1v5c0 1.7-1.3 3-3 3v2h6v7l1 1 1-1v-7h6v-2c-1.7 0-3-1.3-3-3z",
};
const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// --- sequences of frames ---------------------------------------------------------------------------------------------

const TYPES = { i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array,
  f4: Float32Array, f8: Float64Array };

function numbers({ bdata, dtype, shape }) {
  const bytes = Uint8Array.from(atob(bdata), (c) => c.charCodeAt(0));
  const flat = new TYPES[dtype](bytes.buffer);
  if (!shape) return flat;
  const [rows, columns] = String(shape).split(",").map(Number);
  return Array.from({ length: rows }, (_, row) => flat.subarray(row * columns, (row + 1) * columns));
}

// Numbers as arrays, so that they can be drawn in between.
function decoded(value) {
  if (Array.isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== "object") return value;
  if ("bdata" in value) return numbers(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, decoded(part)]));
}

// A copy with one part exchanged; all other parts are shared.
function exchanged(whole, path, value) {
  if (!path.length) return value;
  const copy = Array.isArray(whole) ? [...whole] : { ...whole };
  copy[path[0]] = exchanged(copy[path[0]] ?? {}, path.slice(1), value);
  return copy;
}

// The page's own pictures, and those that are played: the latter have one view, wide enough for all.
function unpacked({ first, changes, views, extra, ...sequence }) {
  const start = decoded(first);
  sequence.frames = changes.map((some) =>
    some.reduce((figures, [path, value]) => exchanged(figures, path, decoded(value)), start),
  );
  const each = (figures, change) =>
    Object.fromEntries(Object.entries(figures).map(([chart, figure]) => [chart, change(figure, chart)]));
  sequence.own = sequence.frames.map((figures) =>
    each(figures, (figure) => (extra ? { ...figure, data: figure.data.slice(0, -extra) } : figure)),
  );
  sequence.frames = sequence.frames.map((figures) =>
    each(figures, (figure, chart) =>
      Object.entries(views[chart]).reduce((made, [axis, range]) => exchanged(made, ["layout", axis, "range"], range), figure),
    ),
  );
  sequence.between = [];
  return sequence;
}

// Fetched sequences, by the names of their animations: the latest few.
const sequences = new Map();

// Fetch an animation; for a slider only the frames that come at once. `report` hears of the share that is computed.
async function fetched(address, id, ofSlider, signal, report) {
  const answer = await fetch(`${address}${id}${ofSlider ? "?slider" : ""}`, { signal });
  if (!answer.ok) throw new Error("These frames cannot be had any more. Reload the page.");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let [text, found] = ["", null];
  for (;;) {
    const { done, value } = await reader.read();
    if (done && found) return { ...unpacked(found), id, complete: !ofSlider || found.complete };
    if (done) throw new Error("The server stopped before the frames were there. Press Play again.");
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const said of lines.map((line) => JSON.parse(line))) {
      if (said.error) throw new Error(said.error);
      if (said.values) found = said;
      else report(said.share);
    }
  }
}

const isNumbers = (value) => ArrayBuffer.isView(value) || (Array.isArray(value) && typeof value[0] === "number");

// Where two frames differ by numbers that have values in between.
function differences(a, b, path = []) {
  if (a === b) return [];
  if (typeof a === "number" && typeof b === "number") return [{ path, a, b }];
  if (isNumbers(a) && isNumbers(b)) return a.length === b.length ? [{ path, a, b }] : [];
  if (!a || !b || typeof a !== "object" || typeof b !== "object" || isNumbers(a)) return [];
  if (Array.isArray(a) && a.length !== b.length) return [];
  if (a.source !== b.source) return []; // another image, see `faded`
  return Object.keys(a).flatMap((name) => differences(a[name], b[name], [...path, name]));
}

function mixed(a, b, t) {
  if (typeof a === "number") return a + t * (b - a);
  const out = new Float64Array(a.length);
  for (let i = 0; i < out.length; i++) out[i] = a[i] + t * (b[i] - a[i]);
  return out;
}

// Images whose picture changes: the next one comes out of the last.
function faded(images, next, t) {
  const news = images.flatMap((image, place) => {
    const other = next[place];
    if (!other || other.source === image.source) return [];
    // Plotly takes two images in one place for one.
    return [{ ...other, x: other.x - 1e-7 * other.sizex, opacity: t * (other.opacity ?? 1) }];
  });
  const changed = (image, place) => next[place] && next[place].source !== image.source;
  const olds = images.map((image, place) => (changed(image, place) ? { ...image, opacity: (1 - t) * (image.opacity ?? 1) } : image));
  return [...olds, ...news];
}

// The figure of a chart at a place between two frames.
function figureAt(sequence, chart, place) {
  const at = Math.floor(place);
  const t = place - at;
  const figure = sequence.frames[at][chart];
  const next = sequence.frames[at + 1]?.[chart];
  if (!t || !next) return figure;
  const plan = ((sequence.between[at] ??= {})[chart] ??= differences(figure, next));
  let shown = figure;
  for (const { path, a, b } of plan) shown = exchanged(shown, path, mixed(a, b, t));
  const [images, others] = [shown.layout.images ?? [], next.layout.images ?? []];
  if (images.some((image, i) => others[i] && others[i].source !== image.source))
    shown = { ...shown, layout: { ...shown.layout, images: faded(images, others, t) } };
  return shown;
}

// --- the bar ---------------------------------------------------------------------------------------------------------

function icon(name) {
  return `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
}

function button(kind, label, content, act) {
  const element = document.createElement("button");
  Object.assign(element, { type: "button", className: kind, innerHTML: content, title: label, onclick: act });
  element.setAttribute("aria-label", label);
  return element;
}

const chartOf = (key) => document.querySelector(`.st-key-${CSS.escape(key)} .live-chart`);
const words = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : String(value));

class Bar {
  constructor(root) {
    Object.assign(this, { root, data: null, sequence: null, animation: null, place: 0, playing: false, speed: 1, count: 0 });
    this.build();
    this.watching = new AbortController();
    const { signal } = this.watching;
    window.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  build() {
    const { root } = this;
    const part = (tag, className) => Object.assign(document.createElement(tag), { className });
    const [offer, deck, space] = [part("div", "offer"), part("div", "deck"), part("span", "space")];
    this.step = [
      button("icon", "Step back", icon("back"), () => this.jump(-1)),
      button("icon", "Step forward", icon("forth"), () => this.jump(1)),
    ];
    this.main = button("icon main", "Play", icon("play"), () => this.toggle());
    this.scrubber = Object.assign(document.createElement("input"), { type: "range", min: 0, step: 1 });
    this.scrubber.addEventListener("input", () => {
      const place = Number(this.scrubber.value);
      this.pause(false);
      this.show(place);
    });
    this.caption = document.createElement("output");
    this.live = part("output", "live");
    this.said = part("span", "said");
    this.said.setAttribute("aria-live", "polite");
    this.rate = document.createElement("select");
    this.rate.setAttribute("aria-label", "Speed");
    this.rate.title = "Speed";
    this.rate.innerHTML = SPEEDS.map((s) => `<option value="${s}"${s === 1 ? " selected" : ""}>${s}×</option>`).join("");
    this.rate.onchange = () => (this.speed = Number(this.rate.value));
    this.keep = button("keep", "Keep", "", () => this.send("kept", { id: this.animation.id, value: this.sequence.values[this.frame] }));
    const close = button("icon", "Stop playing, and go back to the page’s picture", icon("close"), () => this.close());
    this.pin = button("pin", "Pin this chart, to compare it with others", `${icon("pin")}Pin`, () => this.send("pinned", {}));
    deck.append(this.step[0], this.main, this.step[1], this.scrubber, this.caption, this.rate, this.keep, close);
    root.replaceChildren(offer, deck, this.live, space, this.said, this.pin);
    Object.assign(this, { offer, deck });
  }

  send(name, value) {
    this.count = Math.max(this.count + 1, Date.now());
    this.setStateValue(name, { ...value, count: this.count });
  }

  update(data, setStateValue) {
    this.setStateValue = setStateValue;
    const text = JSON.stringify(data);
    if (text === this.text) return;
    this.text = text;
    this.data = data;
    this.pin.hidden = !data.pin;
    const known = data.animations.find(({ id }) => id === this.animation?.id);
    if (this.animation && !known) this.close(); // other settings: these frames are not of them
    else if (known) {
      const moved = known.now !== this.animation.now;
      this.animation = known;
      // The slider was moved, or a frame kept: the page's own picture is there.
      if (moved && this.sequence) (this.pause(false), this.fade(false), this.label(this.nearest(known.now)));
    }
    if (this.asking && !data.animations.some(({ id }) => id === this.asking.id)) {
      this.stopAsking();
      this.waiting = null;
    }
    if (this.dragged && !this.held) this.answered();
    this.face();
  }

  face() {
    const { offer, deck, data } = this;
    offer.hidden = !!this.sequence || !data.animations.length;
    deck.hidden = !this.sequence;
    this.root.classList.toggle("playing", !!this.sequence);
    const lead = Object.assign(document.createElement("span"), { className: "word", textContent: calm() ? "Step" : "Play" });
    offer.replaceChildren(
      lead,
      ...data.animations.map((animation) => {
        const busy = this.waiting === animation.id;
        const made = button(busy ? "busy" : "", `Play ${animation.symbol}`, `${icon(busy ? "again" : "play")}${animation.symbol}`, () => this.ask(animation));
        made.disabled = !!this.waiting;
        return made;
      }),
    );
  }

  async ask(animation) {
    this.wanted = animation;
    this.waiting = animation.id;
    this.face();
    const busy = this.offer.querySelector(".busy");
    const report = (share) => busy.style.setProperty("--share", `${100 * share}%`);
    try {
      await this.load(animation, false, report);
    } catch (error) {
      if (this.waiting !== animation.id) return;
      this.waiting = null;
      this.face();
      this.offer.append(Object.assign(document.createElement("span"), { className: "word", textContent: error.message }));
      this.said.textContent = error.message;
      return;
    }
    if (this.waiting === animation.id) this.open(animation.id);
  }

  // Fetch the frames of an animation, unless they are there.
  async load({ id }, ofSlider, report) {
    const there = sequences.get(id);
    if (there && (ofSlider || there.complete)) return;
    this.stopAsking();
    const asking = (this.asking = { id, stop: new AbortController() });
    try {
      const sequence = await fetched(this.data.address, id, ofSlider, asking.stop.signal, report);
      sequences.delete(id);
      sequences.set(id, sequence);
    } finally {
      if (this.asking === asking) this.asking = null;
    }
    while (sequences.size > 6) sequences.delete(sequences.keys().next().value);
  }

  // The server, too, gives up what nobody reads any more.
  stopAsking() {
    this.asking?.stop.abort();
    this.asking = null;
  }

  open(id) {
    this.waiting = null;
    this.animation = this.data.animations.find((animation) => animation.id === id);
    if (!this.animation) return this.face();
    const sequence = sequences.get(id);
    this.sequence = sequence;
    this.scrubber.max = sequence.values.length - 1;
    this.scrubber.setAttribute("aria-label", `Frame: ${this.animation.symbol}`);
    this.keep.hidden = !this.animation.slider; // what has no control can only be watched
    this.main.hidden = calm();
    this.rate.hidden = calm();
    this.face();
    this.show(0);
    if (!calm()) this.play();
    (calm() ? this.step[1] : this.main).focus({ preventScroll: true });
  }

  // --- under the hand: a slider asks for its frames when it is touched, and has them drawn while it is dragged

  touch(slider) {
    const animation = this.data?.animations.find((some) => some.slider === slider);
    if (!animation || this.asking || this.refused === animation.id) return;
    this.load(animation, true, () => {}).catch(({ name }) => {
      if (name !== "AbortError") this.refused = animation.id; // what was given up for others may be asked for again
    });
  }

  // Whether the frame at a stop of the slider is there, and drawn.
  drag(slider, stop) {
    const animation = this.data?.animations.find((some) => some.slider === slider);
    const sequence = animation && sequences.get(animation.id);
    const place = sequence ? sequence.stops.indexOf(stop) : -1;
    if (place < 0) {
      // The server draws this stop: its answer takes the place of a frame that was drawn before, too.
      if (sequence && this.dragged?.sequence === sequence) this.dragged.value = null;
      return false;
    }
    if (this.sequence && this.sequence !== sequence) this.close();
    this.pause(false);
    if (this.sequence) this.label(place);
    else this.live.textContent = sequence.captions[place];
    const away = sequence.values[place] !== animation.now;
    if (away !== this.away) this.fade(away);
    Object.assign(this, { dragged: { sequence, value: sequence.values[place] }, held: true });
    for (const [key, figure] of Object.entries(sequence.own[place])) chartOf(key)?.rfviz?.show(figure, true);
    return true;
  }

  // The slider is let go; where it was moved, the server's answer takes the frame's place.
  release(moved) {
    if (!this.held) return;
    this.held = false;
    for (const key of Object.keys(this.dragged.sequence.frames[0])) chartOf(key)?.rfviz?.release();
    if (!moved) this.answered();
  }

  answered() {
    const { sequence, value } = this.dragged;
    const animation = this.data.animations.find(({ id }) => id === sequence.id);
    if (animation && value !== null && animation.now !== value) return;
    this.dragged = null;
    this.live.textContent = "";
    this.fade(false);
    if (this.sequence) return;
    for (const chart of Object.keys(sequence.frames[0]).map(chartOf))
      if (chart?.rfviz?.framed() && chart.getAttribute("aria-busy") !== "true") chart.rfviz.show(null);
  }

  // The page's own picture comes back, also where other settings change only some of the charts.
  close() {
    this.pause(false);
    const charts = this.sequence ? Object.keys(this.sequence.frames[0]) : [];
    Object.assign(this, { sequence: null, animation: null });
    this.fade(false);
    for (const key of charts) if (chartOf(key)?.rfviz?.framed()) chartOf(key).rfviz.show(null);
    this.face();
  }

  get last() {
    return this.sequence.values.length - 1;
  }

  get frame() {
    return Math.min(Math.round(this.place), this.last);
  }

  nearest(value) {
    const apart = this.sequence.values.map((other) => Math.abs(other - value));
    return apart.indexOf(Math.min(...apart));
  }

  // Names the frame; leaves the charts as they are.
  label(place) {
    this.place = place;
    const { sequence, animation, frame } = this;
    const name = `${animation.symbol} = ${words(sequence.values[frame])}`;
    if (this.labelled !== `${sequence.id} ${frame}`) {
      this.labelled = `${sequence.id} ${frame}`;
      const bold = Object.assign(document.createElement("b"), { textContent: name });
      this.caption.replaceChildren(bold, sequence.captions[frame] ? ` · ${sequence.captions[frame]}` : "");
      this.caption.title = [name, sequence.captions[frame], sequence.note].filter(Boolean).join(" · ");
      this.keep.replaceChildren("Keep", Object.assign(document.createElement("span"), { className: "long", textContent: name }));
      this.keep.setAttribute("aria-label", `Keep ${name}: set the page’s control to it`);
      this.scrubber.setAttribute("aria-valuetext", `${name}. ${sequence.captions[frame]}`);
    }
    this.scrubber.value = frame;
    this.scrubber.style.setProperty("--share", `${(100 * place) / Math.max(this.last, 1)}%`);
    this.keep.disabled = sequence.values[frame] === animation.now;
    this.step[0].disabled = frame === 0;
    this.step[1].disabled = frame === this.last;
  }

  show(place) {
    this.label(place);
    const away = !!this.animation.slider && this.sequence.values[this.frame] !== this.animation.now;
    if (away !== this.away) this.fade(away);
    this.root.dataset.shown = place;
    for (const key of Object.keys(this.sequence.frames[0])) chartOf(key)?.rfviz?.show(figureAt(this.sequence, key, place));
  }

  // What is said below of the page's own picture, and marked notes next to it, step back while another one is shown.
  fade(away) {
    this.away = away;
    for (const text of document.querySelectorAll(".of-another-frame")) text.classList.remove("of-another-frame");
    const host = this.root.getRootNode().host;
    if (!away || !host) return;
    const texts = document.querySelectorAll("[data-testid=stMain] :is([data-testid=stMarkdown], [data-testid=stCaptionContainer])");
    for (const text of texts)
      if (host.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) text.classList.add("of-another-frame");
    for (const note of document.querySelectorAll(".at-now")) note.classList.add("of-another-frame");
  }

  jump(by) {
    this.pause(false);
    this.show(Math.min(Math.max(this.frame + by, 0), this.last));
    this.say();
  }

  say() {
    this.said.textContent = this.caption.textContent;
  }

  toggle() {
    this.playing ? this.pause() : this.play();
  }

  sign(name, label) {
    this.main.innerHTML = icon(name);
    this.main.title = label;
    this.main.setAttribute("aria-label", label);
  }

  play() {
    if (calm()) return;
    if (this.place >= this.last) this.place = 0;
    this.playing = true;
    this.sign("pause", "Pause");
    let then = performance.now();
    const seconds = Math.min(Math.max(0.16 * this.last, 3), 7);
    const tick = (now) => {
      if (!this.playing) return;
      if (!this.root.isConnected) return this.pause(false);
      const place = this.place + (Math.max(now - then, 0) / 1000) * this.speed * (this.last / seconds);
      then = now;
      this.show(Math.min(place, this.last));
      if (this.place >= this.last) this.pause();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  // At a frame and not between two: what is seen is what the page computes there.
  pause(settle = true) {
    const was = this.playing;
    this.playing = false;
    if (!this.sequence) return;
    this.sign(this.frame === this.last ? "again" : "play", this.frame === this.last ? "Play again" : "Play");
    if (settle) {
      this.show(this.frame);
      if (was) this.say();
    }
  }

  key(event) {
    if (!this.root.isConnected) return this.watching.abort();
    if (event.code !== "Space" || event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const at = document.activeElement;
    const idle = !at || at === document.body || at.matches("[data-testid=stMain], [data-testid=stApp]");
    if (!idle || !this.data?.animations.length || this.waiting) return;
    event.preventDefault();
    if (!this.sequence) this.ask(this.data.animations.find(({ id }) => id === this.wanted?.id) ?? this.data.animations[0]);
    else if (calm()) this.jump(1);
    else this.toggle();
  }
}

const all = () => [...bars.values()];

// What sliders ask of the bars.
window.rfviz.play = {
  touch: (slider) => all().forEach((bar) => bar.touch(slider)),
  drag: (slider, stop) => all().filter((bar) => bar.drag(slider, stop)).length > 0,
  isDragged: () => all().some((bar) => bar.dragged), // until the server has answered
  release: (moved) => all().forEach((bar) => bar.release(moved)),
};

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".bar");
  for (const other of bars.keys()) if (!other.isConnected) bars.delete(other);
  if (!bars.has(root)) {
    root.before(Object.assign(document.createElement("style"), { textContent: CSS_TEXT }));
    bars.set(root, new Bar(root));
  }
  bars.get(root).update(data, setStateValue);
}
