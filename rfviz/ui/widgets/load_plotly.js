// Fetch and run one of Plotly's scripts, each once a page; the whole one draws what the bundle draws, too.
function loadPlotly({ address, whole }) {
  const loaded = (window.rfviz.plotly ??= {});
  const size = whole ? "whole" : "bundle";
  return loaded.whole ?? (loaded[size] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      delete loaded[size]; // the next request tries again
      reject(new Error(`${address} could not be loaded`));
    };
    document.head.append(script);
  }));
}
