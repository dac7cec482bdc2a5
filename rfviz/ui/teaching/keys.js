// Arrow keys step through a lesson: Right shows the answer, then goes on; Left goes back. In a lecture they go on to the
// next view, and back to the one before, by way of the answer of a lesson's step either way; Page Down and Page Up, which
// a clicker sends, do nothing else. Whoever is in a control keeps its keys.
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
  const isLecture = document.querySelector(".st-key-lecture-bar");
  const wanted = {
    ArrowRight: ["lesson-show", isLecture ? "lecture-next" : "lesson-next"],
    ArrowLeft: isLecture ? ["lesson-again", "lecture-back"] : ["lesson-back"],
    PageDown: ["lecture-next"], PageUp: ["lecture-back"],
  }[event.key];
  if (wanted?.some(press)) event.preventDefault();
}

export default function () {
  listening?.abort();
  listening = new AbortController();
  const own = listening;
  window.addEventListener("keydown", onKey, { signal: own.signal });
  return () => own.abort();
}
