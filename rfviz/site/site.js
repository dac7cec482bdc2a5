// What the pages of the site do: draw charts and play them, by the scripts of the laboratory, without a server.
(() => {
// A page of the site does not hold its zoom in its address. Frames lie in files that are scripts: a page that was opened
// from a folder may fetch nothing else.
const frames = {};
window.rfviz = { address: { zoomOf: () => undefined, zoomed() {} }, frames };

const mountChart = (() => {
/* MOUNT_CHART */
})();

/* GLOSSARY */
/* PROGRESS */
followGlossary();

function framesOf(address) {
  const name = address.split("/").pop();
  return new Promise((resolve, reject) => {
    const done = () => resolve(new Response(`${frames[name]}\n`));
    if (name in frames) return done();
    const script = Object.assign(document.createElement("script"), { src: address, onload: done });
    script.onerror = () => reject(new Error(`${address} is missing from the folder of this page.`));
    document.head.append(script);
  });
}

const mountBar = ((fetch) => {
/* MOUNT_BAR */
})(framesOf);

// What a chart reports, such as a curve that was drawn, its box tells those who listen.
function drawChart(box, data) {
  const setStateValue = (name, detail) => box.dispatchEvent(new CustomEvent(`site:${name}`, { detail }));
  mountChart({ data, parentElement: box, setStateValue });
}
for (const host of document.querySelectorAll(".bar-host")) {
  const shadow = host.attachShadow({ mode: "open" });
  // There is no control of the page that could keep a frame's value.
  shadow.innerHTML = '<div class="bar" role="group" aria-label="Play this chart"></div><style>.keep { display: none !important; }</style>';
  mountBar({ data: JSON.parse(host.dataset.bar), parentElement: shadow, setStateValue() {} });
}

// --- search ----------------------------------------------------------------------------------------------------------

// Pages and headings that have all words, those that have them in the title first.
function searched(words, most = 12) {
  const has = (text) => words.every((word) => text.toLowerCase().includes(word));
  const [ofPages, ofHeadings] = [[], []];
  for (const [file, title, headings] of rfviz.index) {
    if (has(title)) ofPages.push([file, title]);
    for (const [heading, place] of Object.entries(headings)) {
      if (has(`${heading} ${title}`) && !has(title)) ofHeadings.push([file + place, `${heading} · ${title}`]);
    }
  }
  return [...ofPages, ...ofHeadings].slice(0, most);
}

function offerSearch(header) {
  const form = Object.assign(document.createElement("form"), { className: "search", role: "search" });
  form.innerHTML = '<input type="search" placeholder="Search" aria-label="Search titles and headings" autocomplete="off">'
    + '<div class="found" role="status" hidden></div>';
  const [field, found] = form.children;
  let index = null;
  const show = async () => {
    index ??= new Promise((resolve, reject) => {
      const src = header.dataset.index;
      document.head.append(Object.assign(document.createElement("script"), { src, onload: resolve, onerror: reject }));
    });
    await index;
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const links = words.length ? searched(words) : [];
    found.replaceChildren(...links.map(([href, textContent]) => Object.assign(document.createElement("a"), { href, textContent })));
    if (words.length && !links.length) found.textContent = "No title or heading has these words.";
    found.hidden = !words.length;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    found.querySelector("a")?.click();
  });
  form.addEventListener("keydown", ({ key }) => key === "Escape" && ((field.value = ""), (found.hidden = true), field.focus()));
  header.append(form);
}
offerSearch(document.querySelector("body > header"));

// --- lessons: a prediction, then the answer --------------------------------------------------------------------------

// A curve's height at a place, between the points that were drawn.
function heightAt(points, x) {
  const next = Math.min(Math.max(points.findIndex(([at]) => at >= x), 1), points.length - 1);
  const [[a, low], [b, high]] = [points[next - 1], points[next]];
  return low + ((x - a) / (b - a)) * (high - low);
}

function gapWords(drawn, { points, factors }) {
  const slack = 1e-6 * (points.at(-1)[0] - points[0][0]); // a drawn place comes back from pixels
  const inside = points.filter(([x]) => x >= drawn[0][0] - slack && x <= drawn.at(-1)[0] + slack);
  if (drawn.length < 2 || inside.length < 2) return "";
  const off = ([x, y]) =>
    factors ? Math.abs(Math.log(Math.max(heightAt(drawn, x), 1e-300) / y)) : Math.abs(heightAt(drawn, x) - y);
  const mean = inside.map(off).reduce((sum, one) => sum + one) / inside.length;
  const words = Number((factors ? Math.exp(mean) : mean).toPrecision(2));
  return `Your dashed curve is off by ${factors ? "a factor of " : ""}${words} on average.`;
}

function lessonStep(step, record, go) {
  const part = (name) => step.querySelector(`.${name}`);
  const [show, reveal, verdict, boxes] = [part("show"), part("reveal"), part("verdict"), [...step.querySelectorAll(".chart")]];
  const labels = [...step.querySelectorAll("label")];
  const curve = step.dataset.curve && JSON.parse(step.dataset.curve);
  let drawn = null;
  reveal.hidden = true;
  show.disabled = true;
  show.title = "Predict first.";
  const ready = () => ((show.disabled = false), show.removeAttribute("title"));
  step.addEventListener("change", ready);
  boxes[0].addEventListener("site:drawn", ({ detail }) => ((drawn = detail.curve), ready()));
  show.addEventListener("click", () => {
    const after = JSON.parse(part("after").textContent);
    if (curve) {
      verdict.textContent = gapWords(drawn, curve);
      const [x, y] = [0, 1].map((axis) => drawn.map((point) => point[axis]));
      const { data } = after[0].figure;
      const showlegend = data.some((trace) => trace.showlegend !== false); // or something else is in its place
      data.push({ type: "scatter", mode: "lines", x, y, line: curve.line, name: "Your prediction", hoverinfo: "skip", showlegend });
    } else {
      const [chosen, right] = [labels.findIndex((label) => label.firstChild.checked), Number(step.dataset.right)];
      labels[right].classList.add("right");
      if (chosen !== right) {
        labels[chosen].classList.add("wrong");
        const why = labels[chosen].nextElementSibling;
        if (why?.matches(".why")) why.hidden = false;
      }
      verdict.textContent = chosen === right ? "As you predicted." : `Not so: ${labels[right].textContent}.`;
      record(chosen === right);
      for (const label of labels) label.firstChild.disabled = true;
    }
    boxes.forEach((box, place) => after[place] && drawChart(box, JSON.stringify(after[place])));
    show.hidden = true;
    reveal.hidden = false;
    part("next").focus();
  });
  part("back").addEventListener("click", () => go(-1));
  part("next").addEventListener("click", () => go(1));
}

for (const lesson of document.querySelectorAll(".lesson")) {
  const [steps, end, verdicts] = [[...lesson.querySelectorAll(".step")], lesson.querySelector(".end"), new Map()];
  const show = (at) => {
    steps.forEach((step, place) => (step.hidden = place !== at));
    end.hidden = at < steps.length;
    keepProgress({ lesson: lesson.dataset.lesson, step: Math.min(at + 1, steps.length), of: steps.length, done: !end.hidden });
    const right = [...verdicts.values()].filter(Boolean).length;
    const made = verdicts.size;
    end.querySelector(".score").textContent = made ? `${right} of ${made} choices right.` : "You made no choices this time.";
  };
  const go = (at) => {
    show(at);
    (steps[at] ?? end).querySelector("h2").focus();
  };
  steps.forEach((step, at) => {
    lessonStep(step, (isRight) => verdicts.set(at, isRight), (by) => go(at + by));
    step.querySelector(".back").disabled = at === 0;
  });
  end.querySelector(".again").addEventListener("click", () => location.reload());
  show(0);
}

showProgress((lesson) => `.card:has(a[href="lesson--${lesson}.html"])`);

// After the lessons: a chart of a step that is hidden waits until it has a width to draw for.
for (const box of document.querySelectorAll(".chart")) {
  const held = box.querySelector("script");
  if (held) drawChart(box, held.textContent);
}
})();
