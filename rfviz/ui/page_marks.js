// What Streamlit's own markup leaves out for those who listen to a page: its navigation's items lie in no list.
function mark() {
  for (const item of document.querySelectorAll("[data-testid=stSidebarNavItems] li")) {
    item.closest("ul").setAttribute("role", "group");
    const inList = item.parentElement.tagName !== "UL";
    if (inList) item.parentElement.setAttribute("role", "list");
    item.setAttribute("role", inList ? "listitem" : "none");
  }
}

// Dialogs and menus hang beside the app in the page, not within it; they are to know whether it is light or dark.
function tone(app) {
  document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme;
}

export default function () {
  const app = document.querySelector("[data-testid=stApp]");
  const painter = new MutationObserver(() => tone(app));
  if (app) {
    tone(app);
    painter.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  }
  let waiting = setTimeout(mark, 0);
  const watcher = new MutationObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(mark, 300);
  });
  const sidebar = document.querySelector("[data-testid=stSidebarNav]");
  if (sidebar) watcher.observe(sidebar, { childList: true, subtree: true });
  return () => {
    watcher.disconnect();
    painter.disconnect();
  };
}
