(slugs, host) => {
  const path = location.pathname;
  const [, above, last] = path.match(/^(.*\/)([^/]+)\/?$/) ?? [];
  // A path that ends with neither a page's name nor a slash says nothing about its base.
  const base = slugs.includes(last) ? above : path.endsWith("/") ? path : null;
  if (base) window.__streamlit ??= { BACKEND_BASE_URL: location.origin + base, HOST_CONFIG: host };
}
