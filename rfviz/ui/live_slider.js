// A slider that reports while it is dragged. One value is in flight at a time: the next is sent when Python has
// answered the last one (or after a moment, should the answer get lost), so a slow page is never flooded.
const PATIENCE_MS = 1500;
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

function send(state) {
  clearTimeout(state.timer);
  if (state.wanted === null || state.wanted === state.sent) return;
  const waited = performance.now() - state.sentAt;
  if (state.inFlight && waited < PATIENCE_MS) {
    state.timer = setTimeout(() => send(state), PATIENCE_MS - waited);
    return;
  }
  state.inFlight = true;
  state.sent = state.wanted;
  state.sentAt = performance.now();
  // The count makes every message differ from the last, so that a value may be sent twice.
  state.count += 1;
  state.setStateValue("moved", { index: state.sent, count: state.count });
}

function create(root) {
  const state = { wanted: null, sent: null, sentAt: 0, inFlight: false, dragging: false, timer: 0, count: 0 };
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
  if (data.index === state.sent) state.inFlight = false;
  // Keys pressed, or the last stretch of a drag, since the value that was just answered.
  const movedOn = state.wanted !== state.sent;
  const ahead =
    state.wanted !== null && state.wanted !== data.index && (state.inFlight || state.dragging || movedOn);
  if (ahead) {
    send(state);
  } else {
    state.wanted = state.sent = null;
    input.value = data.index;
    show(root, state, data.index);
  }
}
