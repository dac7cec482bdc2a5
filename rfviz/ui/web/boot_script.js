(slugs, host) => {
  const path = location.pathname;
  const [, above, last] = path.match(/^(.*\/)([^/]+)\/?$/) ?? [];
  // A path that ends with neither a page's name nor a slash says nothing about its base.
  const base = slugs.includes(last) ? above : path.endsWith("/") ? path : null;
  if (base) window.__streamlit ??= { BACKEND_BASE_URL: location.origin + base, HOST_CONFIG: host };
  // The font of the icons, 375 kB, waits for the first chart; a browser that has read it before has it at once.
  const html = document.documentElement, key = "rfviz.icons", LONGEST_MS = 20000;
  try {
    if (localStorage.getItem(key)) return;
    localStorage.setItem(key, "read");
  } catch {
    return;
  }
  html.classList.add("rfviz-first");
  // Streamlit asks for it at the start, before anything is drawn with it.
  document.fonts.load = (font, ...text) => (font.includes("Material") ? Promise.resolve([]) : FontFaceSet.prototype.load.call(document.fonts, font, ...text));
  const since = performance.now();
  const look = () => {
    // Placeholders stand where a module is still on its way.
    const rests = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
      && !document.querySelector("[data-testid=stSkeleton]");
    const chart = document.querySelector(".live-chart");
    const stands = chart ? chart.querySelector(".main-svg") : rests && document.querySelector("h1");
    if (!stands && performance.now() - since < LONGEST_MS) return void setTimeout(look, 100);
    delete document.fonts.load;
    html.classList.remove("rfviz-first");
  };
  look();
}
