// Injected into every page that the tests open: what they read from the charts.
window.rf = {
  // In the page itself or in the shadow of a component.
  chart: (key) => {
    for (const box of document.querySelectorAll(`.st-key-${key}`))
      for (const element of window.rf.everything(box)) if (element.matches(".js-plotly-plot")) return element;
    return null;
  },

  // Plotly decodes the binary arrays of the message into _fullData.
  traces: (key) => window.rf.chart(key)?._fullData ?? [],

  drawn: (key) => window.rf.traces(key).length > 0 && !!window.rf.chart(key).querySelector(".main-svg"),

  // The expected curves: lines of many points that are neither bands nor threads between pictures.
  curves: (key) =>
    window.rf
      .traces(key)
      .filter((t) => t.type === "scatter" && t.mode === "lines" && t.fill !== "toself" && t.y.length > 100)
      .map((t) => Array.from(t.y)),

  // All that a chart draws, as text.
  state: (key) =>
    JSON.stringify(
      [
        ...window.rf.traces(key).map(({ type, name, x, y, z }) => [type, name, x, y, z]),
        ...(window.rf.chart(key)?.layout.images ?? []).map(({ source, x, y }) => [source, x, y]),
      ],
      (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value),
    ),

  range: (key) => {
    const { xaxis, yaxis } = window.rf.chart(key)._fullLayout;
    return [...xaxis.range, ...yaxis.range];
  },

  // Pixel of a point of a trace in the window.
  pixel: (key, trace, row) => {
    const { xaxis, yaxis } = window.rf.chart(key)._fullLayout;
    const { x, y } = window.rf.traces(key)[trace];
    const box = window.rf.chart(key).getBoundingClientRect();
    return [box.left + xaxis._offset + xaxis.d2p(x[row]), box.top + yaxis._offset + yaxis.d2p(y[row])];
  },

  // Rectangles of the images of a chart, in the chart's own units: left, right, bottom, top.
  pictures: (key) =>
    (window.rf.chart(key).layout.images ?? []).map((i) => [
      i.x - i.sizex / 2,
      i.x + i.sizex / 2,
      i.y - i.sizey / 2,
      i.y + i.sizey / 2,
    ]),

  // Rectangles of the images as the browser drew them: left, right, top, bottom.
  drawnPictures: (key) =>
    [...window.rf.chart(key).querySelectorAll("image")].map((image) => {
      const { left, right, top, bottom } = image.getBoundingClientRect();
      return [left, right, top, bottom];
    }),

  everything: function* (root = document) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      if (element.shadowRoot) yield* window.rf.everything(element.shadowRoot);
    }
  },

  card: () => [...window.rf.everything()].find((e) => e.matches(".card") && e.getRootNode() !== document)?.innerText ?? "",

  focused: () => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element;
  },

  // Elements that stick out of the window sideways, unless something around them clips or scrolls them on purpose.
  overflowing: () => {
    const clipped = (element) => {
      for (let e = element.parentElement; e && e.dataset.testid !== "stMain"; e = e.parentElement)
        if (getComputedStyle(e).overflowX !== "visible") return true;
      return false;
    };
    return [...document.querySelectorAll("[data-testid=stMain] *")]
      .filter((e) => {
        const { left, right, width, height } = e.getBoundingClientRect();
        return width && height && (right > window.innerWidth + 1 || left < -1) && !clipped(e);
      })
      .map((e) => `${e.tagName} ${e.getAttribute("class")} ${e.textContent.slice(0, 40)}`);
  },

  // Every different value of `read()` at a frame of the screen, until stop() is called.
  watch: (read) => {
    const seen = [];
    let running = true;
    const look = () => {
      const value = JSON.stringify(read());
      if (value !== seen.at(-1)) seen.push(value);
      if (running) requestAnimationFrame(look);
    };
    look();
    window.rf.seen = () => ((running = false), seen.map((value) => JSON.parse(value)));
  },
};
