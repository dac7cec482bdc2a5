(slugs, host) => {
  const path = location.pathname;
  const [, above, last] = path.match(/^(.*\/)([^/]+)\/?$/) ?? [];
  const isPage = slugs.includes(last);
  // Below a page there is nothing, and scripts would be looked for there: go to the page.
  const [, page] = (!isPage && path.match(new RegExp(`^(.*/(?:${slugs.join("|")}))/`))) || [];
  if (page) return location.replace(page + location.search);
  // A path that ends with neither a page's name nor a slash says nothing about its base.
  const base = isPage ? above : path.endsWith("/") ? path : null;
  if (base) window.__streamlit ??= { BACKEND_BASE_URL: location.origin + base, HOST_CONFIG: host };
}
