// Sends the controls' values to the address bar when they rest: browsers refuse floods of changes to it.
const PAUSE_MS = 250;
let timer = 0;

function write({ path, values }) {
  if (!window.location.pathname.endsWith(path)) return; // the user has moved on to another page
  if (window.__rfvizAddress) window.__rfvizAddress.write(Object.entries(values));
  else window.addEventListener("rfviz:address", () => write({ path, values }), { once: true });
}

// The buttons of presets are not drawn again with what a control moves.
function mark({ held }) {
  document.querySelectorAll(".st-key-title-tools > [class*='-preset-']").forEach((place, number) => {
    for (const button of place.querySelectorAll("button")) button.setAttribute("aria-pressed", `${held[number] ?? false}`);
  });
}

export default function ({ data }) {
  // A new session behind an old page: the server was started again, or had given the page up. It knows only the address
  // that the page was opened with; the address bar has the one that the user has come to.
  if ((window.__rfvizSession ??= data.session) !== data.session) return window.location.reload();
  (window.__rfvizSteps ??= {})[data.path] = data.steps;
  window.dispatchEvent(new CustomEvent("rfviz:steps")); // to undo and redo, whose buttons are elsewhere
  mark(data);
  clearTimeout(timer);
  timer = setTimeout(() => (mark(data), write(data)), PAUSE_MS); // again: at first the buttons may come later
}
