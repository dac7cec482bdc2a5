// What the pages of the site do: draw charts and play them, by the scripts of the laboratory, without a server.
(() => {
const mountChart = (() => {
/* MOUNT_CHART */
})();

// Frames lie in files that are scripts: a page that was opened from a folder may fetch nothing else.
const frames = (window.rfvizFrames = {});
function framesOf(address) {
  const name = address.split("/").pop();
  return new Promise((resolve, reject) => {
    const done = () => resolve(new Response(`${frames[name]}\n`));
    if (name in frames) return done();
    const script = Object.assign(document.createElement("script"), { src: address, onload: done });
    script.onerror = () => reject(new Error(`${address} is missing from the folder of this page.`));
    document.head.append(script);
  });
}

const mountBar = ((fetch) => {
/* MOUNT_BAR */
})(framesOf);

// A page of the site does not hold its zoom in its address.
window.__rfvizAddress = { zoomOf: () => undefined, zoomed() {} };

const drawChart = (box, data, setStateValue = () => {}) => mountChart({ data, parentElement: box, setStateValue });
for (const box of document.querySelectorAll(".chart")) {
  const held = box.querySelector("script");
  if (held) drawChart(box, held.textContent);
}
for (const host of document.querySelectorAll(".bar-host")) {
  const shadow = host.attachShadow({ mode: "open" });
  // There is no control of the page that could keep a frame's value.
  shadow.innerHTML = '<div class="bar" role="group" aria-label="Play this chart"></div><style>.keep { display: none !important; }</style>';
  mountBar({ data: JSON.parse(host.dataset.bar), parentElement: shadow, setStateValue() {} });
}
})();
