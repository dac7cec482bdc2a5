// What Streamlit's own markup leaves out for those who listen to a page: its navigation's items lie in no list.
function mark() {
  for (const item of document.querySelectorAll("[data-testid=stSidebarNavItems] li")) {
    item.closest("ul").setAttribute("role", "group");
    const inList = item.parentElement.tagName !== "UL";
    if (inList) item.parentElement.setAttribute("role", "list");
    item.setAttribute("role", inList ? "listitem" : "none");
  }
}

// Dialogs and menus hang next to the app in the page, not within it; they are to know whether it is light or dark.
function tone(app) {
  document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme;
}

export default function () {
  const app = document.querySelector("[data-testid=stApp]");
  const endGlossary = followGlossary();
  const painter = new MutationObserver(() => tone(app));
  if (app) {
    tone(app);
    painter.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  }
  // At once, whenever the navigation changes; it may come after this.
  const watcher = new MutationObserver(mark);
  let waiting = 0;
  const watch = () => {
    const sidebar = document.querySelector("[data-testid=stSidebarNav]");
    if (!sidebar) return void (waiting = setTimeout(watch, 100));
    mark();
    watcher.observe(sidebar, { childList: true, subtree: true });
  };
  watch();
  return () => {
    clearTimeout(waiting);
    endGlossary();
    watcher.disconnect();
    painter.disconnect();
  };
}
