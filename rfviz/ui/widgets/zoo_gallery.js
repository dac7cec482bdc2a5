// Cards of feature maps: pictures of a few thousand cells, drawn on canvases, and a point that can be dragged on any of
// them, reported by one_in_flight.js.
const PANELS = ["feature", "sampled", "exact"];
const states = new WeakMap();

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function placeRings(state, row) {
  const { side } = state.data;
  const left = `${((row % side) + 0.5) * (100 / side)}%`;
  const top = `${(side - Math.floor(row / side) - 0.5) * (100 / side)}%`;
  for (const ring of state.root.querySelectorAll(".ring")) Object.assign(ring.style, { left, top });
}

function draggable(state, frame) {
  let tapped = false;
  const move = (event) => {
    const { side } = state.data;
    const box = frame.getBoundingClientRect();
    const cell = (share) => Math.min(Math.max(Math.floor(share * side), 0), side - 1);
    const column = cell((event.clientX - box.left) / box.width);
    const line = side - 1 - cell((event.clientY - box.top) / box.height);
    state.wanted = line * side + column;
    placeRings(state, state.wanted);
    send(state);
  };
  frame.addEventListener("pointerdown", (event) => {
    // A finger moves the ring only from where it is: elsewhere it scrolls the page, and a tap is a click.
    tapped = event.pointerType === "touch" && !event.target.matches(".ring");
    if (tapped) return;
    frame.setPointerCapture(event.pointerId);
    state.dragging = true;
    move(event);
  });
  frame.addEventListener("click", (event) => tapped && move(event)); // what was dragged has told where it is
  frame.addEventListener("pointermove", (event) => state.dragging && frame.hasPointerCapture(event.pointerId) && move(event));
  for (const name of ["pointerup", "pointercancel"]) frame.addEventListener(name, () => (state.dragging = false));
}

function build(state) {
  const { data, root } = state;
  const cards = root.querySelector(".cards");
  cards.replaceChildren();
  state.canvases = data.cards.map((card) => {
    const box = element("section", "card");
    box.style.setProperty("--colour", card.colour);
    const top = element("div", "top");
    top.append(element("h3", "", card.label), element("span", "error"));
    const canvases = {};
    let middle = element("div", "problem", card.problem);
    if (!card.problem) {
      middle = element("div", "panels");
      for (const name of PANELS) {
        const panel = element("div", "panel");
        const frame = element("div", name === "feature" ? "frame" : "frame kernel");
        const canvas = (canvases[name] = element("canvas"));
        canvas.width = canvas.height = data.side;
        canvas.setAttribute("role", "img");
        frame.append(canvas);
        if (name !== "feature") {
          frame.append(element("div", "ring"));
          draggable(state, frame);
        }
        panel.append(frame, element("div", `caption-${name}`));
        middle.append(panel);
      }
    }
    const facts = element("div", "facts", card.reference);
    const links = element("div", "links");
    links.append(element("span", "", "Open in"));
    for (const { title, name, href } of card.links) {
      const link = element("a", "", title);
      Object.assign(link, { href, target: "_self" });
      link.setAttribute("aria-label", name);
      links.append(link);
    }
    box.append(top, element("p", "", card.summary), middle, facts, links);
    cards.append(box);
    return { box, canvases };
  });
}

function paint(state, canvas, text) {
  const { colours } = state;
  const bytes = atob(text);
  const image = new ImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; i += 1) pixels[i] = colours[bytes.charCodeAt(i)];
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function draw(state) {
  const { data, root } = state;
  state.colours = Uint32Array.from(data.palette, ([r, g, b, a]) => (a << 24) | (b << 16) | (g << 8) | r);
  const scale = root.querySelector(".legend canvas");
  Object.assign(scale, { width: data.palette.length, height: 1 });
  const strip = new ImageData(data.palette.length, 1);
  new Uint32Array(strip.data.buffer).set(state.colours);
  scale.getContext("2d").putImageData(strip, 0, 0);
  data.cards.forEach((card, index) => {
    const { box, canvases } = state.canvases[index];
    const error = box.querySelector(".error");
    error.replaceChildren();
    if (card.problem) return;
    error.title = data.words;
    error.append("error ", element("b", "", card.error));
    for (const name of PANELS) {
      paint(state, canvases[name], card.pictures[name]);
      box.querySelector(`.caption-${name}`).textContent = data.captions[name];
      canvases[name].setAttribute("aria-label", card.alt[name]);
    }
  });
}

export default function ({ data: given, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".zoo");
  let state = states.get(root);
  if (!state) states.set(root, (state = { ...AT_REST, what: "row", root, text: "" }));
  state.setStateValue = setStateValue;
  const text = typeof given === "string" ? given : new TextDecoder().decode(given);
  if (text !== state.text) {
    state.text = text;
    state.data = JSON.parse(text);
    const names = state.data.cards.map((card) => card.label + card.problem).join();
    if (names !== state.names) build(state);
    state.names = names;
    draw(state);
  }
  const { row } = state.data;
  if (!isAhead(state, row)) placeRings(state, row);
  root.dataset.shown = state.data.shown;
}
