// Streamlit's pictures have no text of their own. On pages of cards each stands above a link that says the same, so
// for those who listen it is no more than decoration. They come for a light page or a dark one: when the system or the
// menu changes that, the server is asked for the others.
export default function ({ data, setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]");
  const mark = () => {
    for (const image of document.querySelectorAll("[data-testid=stImage] img:not([alt])")) image.alt = "";
  };
  const compare = () => {
    const colours = getComputedStyle(app).colorScheme;
    if (["light", "dark"].includes(colours) && colours !== data) setTriggerValue("colours", colours);
  };
  const watcher = new MutationObserver(mark);
  const painter = new MutationObserver(compare);
  const main = document.querySelector("[data-testid=stMain]");
  mark();
  if (main) watcher.observe(main, { childList: true, subtree: true });
  if (app) painter.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  return () => {
    watcher.disconnect();
    painter.disconnect();
  };
}
