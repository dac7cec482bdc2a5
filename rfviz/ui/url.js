// Keeps the address bar in step with the controls. It replaces the current entry of the history instead of adding one
// for every step of a slider, and waits for a pause, because browsers refuse floods of history changes.
const PAUSE_MS = 250;
// What Python itself keeps in the address: how the page is shown, and which lesson is on.
const KEPT = /^(embed.*|hide|present|lesson|step)$/;
let timer = 0;

export default function ({ data }) {
  (window.__rfvizSteps ??= {})[data.path] = data.steps;
  window.dispatchEvent(new CustomEvent("rfviz:steps")); // to undo and redo, whose buttons are elsewhere
  clearTimeout(timer);
  timer = setTimeout(() => {
    const url = new URL(window.location.href);
    if (!url.pathname.endsWith(data.path)) return; // the reader has moved on to another page
    const next = new URLSearchParams(data.values).toString();
    const kept = [...url.searchParams].filter(([key]) => KEPT.test(key));
    url.search = new URLSearchParams([...new URLSearchParams(next), ...kept]).toString();
    if (url.href !== window.location.href) window.history.replaceState(window.history.state, "", url);
  }, PAUSE_MS);
}
