// Runs before the page's own scripts: notes when a key goes down, when messages pass, and when Plotly has drawn.
(() => {
  const log = (window.__latency = { key: [], sent: [], chart: [], finished: [], drawn: [], frame: [], bytes: [], mounts: 0 });
  const selector = () => `.st-key-${window.__latencyChart} .js-plotly-plot`;

  // Only the fields of a ForwardMsg at the top level are read: 5 is a delta, 6 the end of the script.
  function fields(bytes) {
    const found = [];
    let at = 0;
    const varint = () => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++];
        value += (byte & 127) * 2 ** shift;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const tag = varint();
      found.push(tag >> 3);
      if ((tag & 7) === 0) varint();
      else if ((tag & 7) === 2) {
        const length = varint(); // before the sum, which would read `at` too early
        at += length;
      } else break;
    }
    return found;
  }

  const NativeSocket = window.WebSocket;
  window.WebSocket = class extends NativeSocket {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", (event) => {
        const now = performance.now();
        const bytes = new Uint8Array(event.data);
        const present = fields(bytes);
        log.bytes.push([now, bytes.length]);
        if (present.includes(6)) log.finished.push(now);
        else if (present.includes(5) && bytes.length > 1000) {
          const text = new TextDecoder("latin1").decode(bytes);
          if (new RegExp(`\\$\\$ID-[0-9a-f]+-${window.__latencyChart}[^-a-z]`).test(text)) log.chart.push(now);
        }
      });
    }
    send(data) {
      log.sent.push(performance.now());
      super.send(data);
    }
  };

  addEventListener("keydown", (event) => log.key.push(event.timeStamp), true);
  let known = null;
  let data = null;
  let layout = null;
  const drawn = () => {
    log.drawn.push(performance.now());
    requestAnimationFrame(() => log.frame.push(performance.now()));
  };
  const watch = () => {
    const plot = window.__latencyChart && document.querySelector(selector());
    if (plot?.on && plot !== known) {
      known = plot;
      log.mounts += 1;
      plot.on("plotly_afterplot", () => {
        // Drawn again as it was: a hover, a resize. A frame may move lines alone, which are layout.
        if (plot.data === data && plot.layout === layout) return;
        ({ data, layout } = plot);
        drawn();
      });
      if (plot.data && plot.data !== data && plot._fullLayout) {
        ({ data, layout } = plot);
        drawn();
      }
    }
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
})();
