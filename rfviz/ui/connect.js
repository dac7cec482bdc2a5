(slugs, host, plotly) => {
  const path = location.pathname;
  const [, above, last] = path.match(/^(.*\/)([^/]+)\/?$/) ?? [];
  // Where it ends with no page's name and no slash, who knows.
  const folder = slugs.includes(last) ? above : path.endsWith("/") ? path : null;
  if (folder) window.__streamlit ??= { BACKEND_BASE_URL: location.origin + folder, HOST_CONFIG: host };
  if (!plotly.slugs.includes(last)) return;
  const painted = new PerformanceObserver(() => {
    painted.disconnect();
    setTimeout(() => loadPlotly(plotly.address, "part").catch(() => {}));
  });
  painted.observe({ type: "paint", buffered: true });
}
