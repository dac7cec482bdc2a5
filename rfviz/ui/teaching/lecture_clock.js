// The time since a lecture began, which a reload of the page does not begin again.
const KEPT = "rfviz:lecture-began";
// Streamlit runs this anew with all new data, and calls only what the last run returned, when the page goes.
const ends = new WeakMap();

function began(lecture, anew) {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  if (!anew && kept?.lecture === lecture) return kept.at;
  const at = Date.now();
  sessionStorage.setItem(KEPT, JSON.stringify({ lecture, at }));
  return at;
}

export default function ({ parentElement, data }) {
  const face = parentElement.querySelector(".clock");
  ends.get(face)?.();
  let from = began(data.lecture, false);
  const show = () => {
    const seconds = Math.max(0, Math.floor((Date.now() - from) / 1000));
    face.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  face.onclick = () => ((from = began(data.lecture, true)), show());
  show();
  const timer = setInterval(show, 1000);
  const end = () => clearInterval(timer);
  ends.set(face, end);
  return end;
}
