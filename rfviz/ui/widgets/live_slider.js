// A slider that reports while it is dragged, by one_in_flight.js; or when it is let go, where play.js has the frames.
// After the last key: so long, and so many frames of the screen, since a browser that is busy hears of keys late.
const REST_MS = 150, REST_FRAMES = 9;
// After a slider is let go, its frame stays until the server has answered what was sent before, or so long.
const HOLD_MS = 10_000;
// A finger that has moved so far along a slider drags it.
const SLIP_PX = 6;
const states = new WeakMap();

function show(root, state, index) {
  const { labels } = state.data;
  const text = labels[index] ?? "";
  root.querySelector("output").textContent = text;
  const input = root.querySelector("[type=range]");
  input.setAttribute("aria-valuetext", text);
  const share = labels.length > 1 ? index / (labels.length - 1) : 0;
  input.style.setProperty("--share", `${share * 100}%`);
}

// Once keys rest.
function releaseAtRest(state) {
  const since = performance.now();
  let frames = 0;
  const look = () => {
    if (++frames >= REST_FRAMES && performance.now() - since >= REST_MS) release(state);
    else state.rest = requestAnimationFrame(look);
  };
  cancelAnimationFrame(state.rest);
  state.rest = requestAnimationFrame(look);
}

function release(state) {
  cancelAnimationFrame(state.rest);
  state.dragging = false;
  if (!state.held) return;
  // What the server still answers is older than the frame: the chart would go back to it.
  if (state.inFlight && performance.now() - state.sentAt < HOLD_MS) {
    state.rest = requestAnimationFrame(() => release(state));
    return;
  }
  state.held = false;
  const moved = state.inFlight || (state.wanted !== null && state.wanted !== state.data.index);
  window.rfviz.play.release(moved);
  if (moved) send(state);
  else state.wanted = null;
}

// The help is a window of its own above the page, under its question mark: a finger and a key open it too.
function explained(root) {
  const [help, tip] = [".help", ".tip"].map((part) => root.querySelector(part));
  const show = () => {
    if (!tip.matches(":popover-open")) tip.showPopover();
    const { left, bottom } = help.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(left, window.innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${bottom + 6}px`;
  };
  const hide = () => tip.matches(":popover-open") && tip.hidePopover();
  help.addEventListener("click", show);
  help.addEventListener("blur", hide);
  help.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show());
  help.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
}

// A number is typed in the place of the value: after a click on it, or from the first digit on. It is moved to the
// nearest stop.
function typed(root, state) {
  const [value, field, input] = ["output", ".typed", "[type=range]"].map((part) => root.querySelector(part));
  const numbers = () => state.data.labels.map((label) => Number(label.replaceAll(",", "").replace("−", "-")));
  const open = (text) => {
    const known = numbers().filter(Number.isFinite);
    if (known.length < 2) return;
    Object.assign(field, { hidden: false, value: text });
    field.setAttribute("aria-label", `${state.data.label}, ${known[0]} to ${known.at(-1)}`);
    value.hidden = true;
    field.focus();
    if (text === value.textContent) field.select();
  };
  const close = () => Object.assign(field, { hidden: true }) && (value.hidden = false);
  const take = () => {
    const wanted = Number(field.value.replaceAll(",", "").replace("−", "-"));
    const word = state.data.labels.indexOf(field.value.trim());
    const away = numbers().map((number) => (Number.isFinite(number) ? Math.abs(number - wanted) : Infinity));
    const index = word >= 0 ? word : away.indexOf(Math.min(...away));
    close();
    if (!field.value.trim() || (word < 0 && !Number.isFinite(wanted)) || index < 0) return;
    input.value = index;
    input.dispatchEvent(new Event("input"));
  };
  value.addEventListener("click", () => open(value.textContent));
  input.addEventListener("keydown", (event) => {
    if (!/^[0-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    open(event.key);
  });
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== "Escape") return;
    (event.key === "Enter" ? take : close)();
    input.focus();
  });
  field.addEventListener("blur", () => !field.hidden && take());
}

function create(root) {
  const state = { ...AT_REST, what: "index", root, held: false, rest: 0 };
  const input = root.querySelector("[type=range]");
  explained(root);
  typed(root, state);
  const take = () => {
    state.wanted = Number(input.value);
    show(root, state, state.wanted);
    cancelAnimationFrame(state.rest);
    window.rfviz.play?.touch(state.data.name);
    const held = window.rfviz.play?.drag(state.data.name, state.wanted) ?? false;
    if (state.held && !held) window.rfviz.play.release(true); // this step has no frame: it is the server's
    state.held = held;
    if (!state.held) send(state);
    else if (!state.dragging) releaseAtRest(state);
  };
  // A finger moves a slider at once; one that goes on to scroll the page did not mean to.
  let finger = null;
  input.addEventListener("pointerdown", ({ pointerType, clientX }) => {
    state.dragging = true;
    finger = pointerType === "touch" ? { clientX, value: input.value } : null;
  });
  input.addEventListener("input", () => finger || take());
  const decide = (event) => {
    if (!finger || (event.type === "pointermove" && Math.abs(event.clientX - finger.clientX) < SLIP_PX)) return;
    if (event.type === "pointercancel") input.value = finger.value;
    else if (input.value !== finger.value) take();
    finger = null;
  };
  for (const event of ["pointermove", "pointerup", "pointercancel"]) input.addEventListener(event, decide);
  for (const event of ["pointerdown", "focus"])
    input.addEventListener(event, () => window.rfviz.play?.touch(state.data.name));
  for (const event of ["pointerup", "pointercancel", "blur"]) input.addEventListener(event, () => release(state));
  return state;
}

export default function (component) {
  const { data, parentElement, setStateValue } = component;
  const root = parentElement.querySelector(".live-slider");
  const input = root.querySelector("[type=range]");
  if (!states.has(root)) states.set(root, create(root));
  const state = states.get(root);
  state.data = data;
  state.setStateValue = setStateValue;
  root.querySelector(".text").textContent = data.label;
  const help = root.querySelector(".help");
  help.setAttribute("aria-label", `Help for ${data.label}`);
  help.hidden = !data.help;
  root.querySelector(".tip").textContent = data.help;
  input.max = data.labels.length - 1;
  input.setAttribute("aria-label", data.label);
  input.setAttribute("aria-description", data.help);
  if (!isAhead(state, data.index)) {
    input.value = data.index;
    show(root, state, data.index);
  }
}
