(slugs, host, plotly) => {
  const path = location.pathname;
  const [, above, last] = path.match(/^(.*\/)([^/]+)\/?$/) ?? [];
  // A path that ends with neither a page's name nor a slash says nothing about its base.
  const base = slugs.includes(last) ? above : path.endsWith("/") ? path : null;
  if (base) window.__streamlit ??= { BACKEND_BASE_URL: location.origin + base, HOST_CONFIG: host };
  if (!plotly.slugs.includes(last)) return;
  const painted = new PerformanceObserver(() => {
    painted.disconnect();
    setTimeout(() => loadPlotly(plotly).catch(() => {}));
  });
  painted.observe({ type: "paint", buffered: true });
}
