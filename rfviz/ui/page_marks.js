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

// Streamlit says that it was stopped, and by which command it starts, to who may not know what Streamlit is. The element
// is not its own, so that it finds its own as it left them when it draws them anew.
const LOST = [
  "The laboratory’s server was stopped, or the network is gone. This page looks for it again and again, and goes on by itself.",
  "If you started the server, start it again as you did before. Otherwise check your network, or ask who runs it.",
  "Your settings are kept: they are in the address of this page. Long results are kept on the server’s disk. Files of " +
    "your own have to be loaded again if the server was stopped.",
];
function sayLost(added) {
  for (const dialog of added) {
    if (!(dialog instanceof Element) || !dialog.matches(".stDialog")) continue;
    const title = dialog.querySelector("section > h2");
    if (title?.textContent !== "Connection error" || dialog.querySelector(".rfviz-lost")) continue;
    title.textContent = "The server does not answer";
    const words = Object.assign(document.createElement("div"), { className: "rfviz-lost" });
    words.append(...LOST.map((text) => Object.assign(document.createElement("p"), { textContent: text })));
    title.after(words);
  }
}

export default function () {
  const app = document.querySelector("[data-testid=stApp]");
  const endGlossary = followGlossary();
  const painter = new MutationObserver(() => tone(app));
  if (app) {
    tone(app);
    painter.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  }
  const keeper = new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]);
    if (added.length) requestAnimationFrame(() => sayLost(added));
  });
  keeper.observe(document.body, { childList: true });
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
    keeper.disconnect();
    painter.disconnect();
  };
}
