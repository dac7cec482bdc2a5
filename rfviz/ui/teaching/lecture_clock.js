// The time since a lecture began, which a reload of the page does not begin again.
const KEPT = "rfviz:lecture-began";

function began(lecture, anew) {
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
  if (!anew && kept?.lecture === lecture) return kept.at;
  const at = Date.now();
  sessionStorage.setItem(KEPT, JSON.stringify({ lecture, at }));
  return at;
}

export default function ({ parentElement, data }) {
  const face = parentElement.querySelector(".clock");
  let from = began(data.lecture, false);
  const show = () => {
    const seconds = Math.max(0, Math.floor((Date.now() - from) / 1000));
    face.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };
  face.onclick = () => ((from = began(data.lecture, true)), show());
  show();
  const timer = setInterval(show, 1000);
  return () => clearInterval(timer);
}
