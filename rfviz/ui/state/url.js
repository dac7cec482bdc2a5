// Sends the controls' values to the address bar when they rest: browsers refuse floods of changes to it.
const PAUSE_MS = 250, MOST_TRIES = 40;
let timer = 0;

function write({ path, values }) {
  if (!window.location.pathname.endsWith(path)) return; // the user has moved on to another page
  if (window.rfviz.address) window.rfviz.address.write(Object.entries(values));
  else window.addEventListener("rfviz:address", () => write({ path, values }), { once: true });
}

// The buttons of presets are not drawn again with what a control moves. Returns whether all are there.
function mark({ held }) {
  const buttons = [...document.querySelectorAll(".st-key-title-tools > [class*='-preset-']")]
    .map((place) => place.querySelectorAll("button"));
  buttons.forEach((some, number) => some.forEach((one) => one.setAttribute("aria-pressed", `${held[number] ?? false}`)));
  return buttons.length >= held.length && buttons.every((some) => some.length);
}

export default function ({ data }) {
  // A new session behind an old page: the server was started again, or had given the page up. It knows only the address
  // that the page was opened with; the address bar has the one that the user has come to.
  if ((window.rfviz.session ??= data.session) !== data.session) return window.location.reload();
  (window.rfviz.steps ??= {})[data.path] = data.steps;
  window.dispatchEvent(new CustomEvent("rfviz:steps")); // to undo and redo, whose buttons are elsewhere
  mark(data);
  clearTimeout(timer);
  // At first the buttons may come later; a lesson has none.
  const wait = (tries) => mark(data) || !tries || (timer = setTimeout(wait, PAUSE_MS, tries - 1));
  timer = setTimeout(() => (write(data), wait(MOST_TRIES)), PAUSE_MS);
}
