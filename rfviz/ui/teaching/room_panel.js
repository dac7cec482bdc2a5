// A lecturer's room: its code, and how many are here and have answered, kept up to date without a run of the page. The
// window remembers the room's key, by which a page that is loaded again finds it.
const EVERY_MS = 1000, KEPT = "rfviz:room";
// Streamlit runs this anew with all new data, and calls only what the last run returned, when the page goes.
const ends = new WeakMap();

function counted({ present, answered }) {
  return `${present} ${present === 1 ? "phone" : "phones"} here, ${answered} answered`;
}

export default function (component) {
  const { parentElement, data, setStateValue } = component;
  const line = parentElement.querySelector(".room");
  ends.get(line)?.();
  const { room } = data;
  line.hidden = !room;
  if (!room) {
    const key = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT); // the room may be closed; one that is found is remembered anew
    if (key) setStateValue("key", key);
    return;
  }
  sessionStorage.setItem(KEPT, room.key);
  const code = Object.assign(document.createElement("b"), { textContent: room.code });
  const counts = document.createElement("span");
  line.replaceChildren(`${room.join} `, code, document.createElement("br"), counts);
  let wanted = true;
  const ask = async () => {
    if (!wanted) return;
    try {
      const reply = await fetch(room.address, { headers: { "rfviz-room-key": room.key }, cache: "no-store" });
      if (!wanted) return;
      counts.textContent = reply.ok ? counted(await reply.json()) : "This room is closed.";
    } catch {
      counts.textContent = "The server cannot be reached.";
    }
  };
  ask();
  const timer = setInterval(ask, EVERY_MS);
  const end = () => {
    wanted = false;
    clearInterval(timer);
  };
  ends.set(line, end);
  return end;
}
