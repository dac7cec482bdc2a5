// Arrow keys step through a lesson: Right shows the answer, then goes on; Left goes back. Whoever is in a control keeps
// its arrows.
const CONTROL = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox]," +
  "[role=tab], [role=radio], [role=menu], [role=dialog], .js-plotly-plot";
let listening = null;

function press(name) {
  const button = document.querySelector(`.st-key-${name} button:not(:disabled)`);
  button?.click();
  return Boolean(button);
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  const origin = event.composedPath()[0];
  if (origin instanceof Element && origin.closest(CONTROL)) return;
  if (event.key === "ArrowRight") press("lesson-show") || press("lesson-next");
  else if (event.key === "ArrowLeft") press("lesson-back");
  else return;
  event.preventDefault();
}

export default function () {
  listening?.abort();
  listening = new AbortController();
  const own = listening;
  window.addEventListener("keydown", onKey, { signal: own.signal });
  return () => own.abort();
}
