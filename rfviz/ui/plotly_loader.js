// Plotly's script, asked for once a window: by the page as soon as it opens, and by each chart.
function plotly(address) {
  return (window.__rfvizPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      window.__rfvizPlotly = undefined; // the next update tries again
      reject(new Error(`${address} could not be loaded`));
    };
    document.head.append(script);
  }));
}
