// Plotly by its script, fetched and run once a page: `part` draws most charts, `whole` all of them. Read together with
// connect.js and with live_chart.js.
function loadPlotly(address, size) {
  const loaded = (window.__rfvizPlotly ??= {});
  return (loaded[size] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      delete loaded[size]; // who asks next tries again
      reject(new Error(`${address} could not be loaded`));
    };
    document.head.append(script);
  }));
}
