// What computes, kept up to date without a run of the page: the server tells it every other second.
const EVERY_MS = 2000;
// Streamlit runs this anew with all new data, and calls only what the last run returned, when the page goes.
const ends = new WeakMap();

export default function (component) {
  const { parentElement, data } = component;
  const root = parentElement.querySelector(".badge");
  ends.get(root)?.();
  const show = (state) => {
    for (const name of ["short", "why", "name", "memory", "queue", "last"]) {
      const line = root.querySelector(`.${name}`);
      line.textContent = state[name];
      line.hidden = !state[name];
    }
    root.title = state.help;
  };
  const details = root.querySelector("details");
  if (root.dataset.unfolded !== String(data.unfolded)) details.open = data.unfolded;
  root.dataset.unfolded = data.unfolded;
  show(data.state);
  let wanted = true;
  const ask = async () => {
    if (!wanted || document.hidden) return;
    try {
      const answer = await fetch(data.address);
      if (answer.ok && wanted) show(await answer.json());
      else wanted = false;
    } catch {
      wanted = false; // the server has gone; the page says so itself
    }
  };
  const timer = setInterval(ask, EVERY_MS);
  const end = () => {
    wanted = false;
    clearInterval(timer);
  };
  ends.set(root, end);
  return end;
}
