// A tab that is loaded again goes on with the race that it was at: its session on the server is a new one.
const RACE = "rfviz.race";

export default function ({ data, setTriggerValue }) {
  const { work, state } = data;
  try {
    if (state === "going") sessionStorage.setItem(RACE, work);
    else if (sessionStorage.getItem(RACE) !== work) return;
    else if (state === "new") setTriggerValue("resume", work);
    else sessionStorage.removeItem(RACE);
  } catch {
    // A browser that keeps nothing: there is the button.
  }
}
