// Streamlit's pictures have no text of their own. On pages of cards each stands above a link that says the same, so
// for those who listen it is no more than decoration.
export default function () {
  const mark = () => {
    for (const image of document.querySelectorAll("[data-testid=stImage] img:not([alt])")) image.alt = "";
  };
  mark();
  const watcher = new MutationObserver(mark);
  const main = document.querySelector("[data-testid=stMain]");
  if (main) watcher.observe(main, { childList: true, subtree: true });
  return () => watcher.disconnect();
}
