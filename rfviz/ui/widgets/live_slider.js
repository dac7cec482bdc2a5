// A slider that reports while it is dragged, by one_in_flight.js.
const states = new WeakMap();

function show(root, state, index) {
  const { labels } = state.data;
  const text = labels[index] ?? "";
  root.querySelector("output").textContent = text;
  const input = root.querySelector("input");
  input.setAttribute("aria-valuetext", text);
  const share = labels.length > 1 ? index / (labels.length - 1) : 0;
  input.style.setProperty("--share", `${share * 100}%`);
}

function create(root) {
  const state = { ...AT_REST, what: "index" };
  const input = root.querySelector("input");
  input.addEventListener("input", () => {
    state.wanted = Number(input.value);
    show(root, state, state.wanted);
    send(state);
  });
  input.addEventListener("pointerdown", () => (state.dragging = true));
  for (const event of ["pointerup", "pointercancel", "blur"])
    input.addEventListener(event, () => (state.dragging = false));
  return state;
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".live-slider");
  const input = root.querySelector("input");
  if (!states.has(root)) states.set(root, create(root));
  const state = states.get(root);
  state.data = data;
  state.setStateValue = setStateValue;
  root.querySelector(".text").textContent = data.label;
  const help = root.querySelector(".help");
  help.title = data.help;
  help.hidden = !data.help;
  input.max = data.labels.length - 1;
  input.setAttribute("aria-label", data.label);
  input.setAttribute("aria-description", data.help);
  if (!isAhead(state, data.index)) {
    input.value = data.index;
    show(root, state, data.index);
  }
}
