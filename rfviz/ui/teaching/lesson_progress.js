// How far a reader has come in each lesson: kept in the browser, which no server reads, and shown on cards and links.
const PROGRESS = "rfviz.lessons";

function lessonProgress() {
  try {
    return JSON.parse(localStorage.getItem(PROGRESS)) ?? {};
  } catch {
    return {}; // a browser that keeps nothing
  }
}

function keepProgress({ lesson, step, of, done }) {
  const held = lessonProgress();
  held[lesson] = { step, of, done: done || held[lesson]?.done === true };
  try {
    localStorage.setItem(PROGRESS, JSON.stringify(held));
  } catch {
    // The lesson goes on without.
  }
}

// Rules, since the elements belong to the page, which draws them anew.
function showProgress(selectorOf) {
  const rules = Object.entries(lessonProgress()).map(([lesson, { step, of, done }]) => {
    const words = done ? "✓ Done" : `Step ${Number(step)} of ${Number(of)}`;
    const colour = done ? "light-dark(#0a7a5c, #35c99c)" : "inherit";
    return `${selectorOf(CSS.escape(lesson))}::after { content: "${words}"; color: ${colour}; font-size: 0.875rem; font-weight: 600; }`;
  });
  const sheet = document.getElementById("lesson-progress") ?? document.createElement("style");
  sheet.id = "lesson-progress";
  sheet.textContent = rules.join("\n");
  document.head.append(sheet);
}
