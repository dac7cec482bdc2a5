// What Streamlit's own markup leaves out for those who listen to a page: its navigation's items lie in no list.
function mark() {
  for (const item of document.querySelectorAll("[data-testid=stSidebarNavItems] li")) {
    item.closest("ul").setAttribute("role", "group");
    const inList = item.parentElement.tagName !== "UL";
    if (inList) item.parentElement.setAttribute("role", "list");
    item.setAttribute("role", inList ? "listitem" : "none");
  }
}

export default function () {
  let waiting = setTimeout(mark, 0);
  const watcher = new MutationObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(mark, 300);
  });
  const sidebar = document.querySelector("[data-testid=stSidebarNav]");
  if (sidebar) watcher.observe(sidebar, { childList: true, subtree: true });
  return () => watcher.disconnect();
}
