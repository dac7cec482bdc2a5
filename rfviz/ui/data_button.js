// Which data set a page shows, where the sidebar is closed; pressed, it opens the sidebar at the menu of data sets.
const OPEN_MS = 400, MOST_TRIES = 20;

function seek(page, tries) {
  const sidebar = document.querySelector("[data-testid=stSidebar]");
  const menu = sidebar?.querySelector(`[class*='st-key-${page}-data-']`);
  if (menu && sidebar.getBoundingClientRect().right > 0) menu.scrollIntoView({ block: "center" });
  else if (tries) setTimeout(seek, OPEN_MS, page, tries - 1);
}

export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = `Data: ${data.title}`;
  button.onclick = () => {
    const opener = document.querySelector("[data-testid=stExpandSidebarButton]");
    (opener?.querySelector("button") ?? opener)?.click();
    setTimeout(seek, OPEN_MS, data.page, MOST_TRIES);
  };
}
