(slugs, host, plotly) => {
  const path = location.pathname;
  const [, above, last] = path.match(/^(.*\/)([^/]+)\/?$/) ?? [];
  // Where it ends with no page's name and no slash, who knows.
  const folder = slugs.includes(last) ? above : path.endsWith("/") ? path : null;
  if (folder) window.__streamlit ??= { BACKEND_BASE_URL: location.origin + folder, HOST_CONFIG: host };
  if (!plotly.slugs.includes(last)) return;
  const load = () => {
    const loaded = (window.__rfvizPlotly ??= {});
    loaded.part ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = plotly.address;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => {
        delete loaded.part; // the first chart tries again
        reject(new Error(`${plotly.address} could not be loaded`));
      };
      document.head.append(script);
    });
    loaded.part.catch(() => {});
  };
  const painted = new PerformanceObserver(() => {
    painted.disconnect();
    setTimeout(load);
  });
  painted.observe({ type: "paint", buffered: true });
}
