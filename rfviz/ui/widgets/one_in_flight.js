// For components that report while something is dragged; stands before their own code. One value is in flight at a
// time: the next is sent when Python has answered the last one (or after a moment, should the answer get lost), so a
// slow page is never flooded.
const PATIENCE_MS = 1500;
// The component's `root` belongs to it.
const AT_REST = { wanted: null, sent: null, sentAt: 0, unansweredSince: 0, inFlight: false, dragging: false, timer: 0, count: 0 };

// A server that does not answer looks like one that has nothing to say: after a while the page says that it waits.
const WAITING_MS = 2500, LOOK_MS = 250;
const waiting = (window.rfviz.waiting ??= new Set()); // of all components of the page
let looking = 0;
function sayWaiting() {
  clearTimeout(looking);
  for (const state of waiting) if (!state.inFlight || !state.root.isConnected) waiting.delete(state);
  const isLong = [...waiting].some((state) => performance.now() - state.unansweredSince >= WAITING_MS);
  let words = document.querySelector(".rfviz-waiting");
  if (!isLong) words?.remove();
  else if (!words) {
    words = Object.assign(document.createElement("div"), { className: "rfviz-waiting", textContent: "Waiting for the server …" });
    words.setAttribute("role", "status");
    document.body.append(words);
  }
  if (waiting.size) looking = setTimeout(sayWaiting, LOOK_MS);
}

// Report `state.wanted`, under the name that `state.what` gives it.
function send(state) {
  clearTimeout(state.timer);
  if (state.wanted === null || state.wanted === state.sent) return;
  const waited = performance.now() - state.sentAt;
  if (state.inFlight && waited < PATIENCE_MS) {
    state.timer = setTimeout(() => send(state), PATIENCE_MS - waited);
    return;
  }
  // The count makes every message differ from the last, so that a value may be sent twice.
  if (!state.inFlight) state.unansweredSince = performance.now();
  Object.assign(state, { inFlight: true, sent: state.wanted, sentAt: performance.now(), count: state.count + 1 });
  state.setStateValue("moved", { [state.what]: state.sent, count: state.count });
  waiting.add(state);
  sayWaiting();
}

// Whether the user is ahead of the answer: in a drag, or by keys pressed since. What they want is then sent on.
function isAhead(state, answered) {
  state.unansweredSince = performance.now(); // it answered, be it to what was sent before
  if (answered === state.sent) state.inFlight = false;
  const { wanted, sent } = state;
  // Also where this answers the same value of before, while another one is on its way.
  const ahead = wanted !== null
    && (wanted !== answered ? state.inFlight || state.dragging || wanted !== sent : state.inFlight && wanted !== sent);
  if (!ahead) state.wanted = state.sent = null;
  else if (!state.held) send(state); // a slider that is held tells its value when it is let go
  return ahead;
}
