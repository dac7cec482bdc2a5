// Shows, while the pointer is on a chart of pairs, the pair that is nearest to it: the directions of one feature, and
// the one that wins for each of the two points. All it needs came with the page, so nothing is asked of the server.
const NEAR = 40; // pixels
const SIZE = 176;
const COLOURS = ["#2a7fc4", "#d9661f"];
// By chart, what takes the last one's parts down: Streamlit does so only when the page goes.
const ends = {};

const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// The pair whose mark is nearest to a place of the chart, in pixels; pairs are numbered row by row.
function nearestPair({ x, y, spans, n }, { xaxis, yaxis }, left, top) {
  let found = null;
  let least = NEAR * NEAR;
  let place = 0;
  for (let one = 0; one < n - 1; one++)
    for (let other = one + 1; other < n; other++, place++) {
      const across = xaxis.d2p(spans[0] + (x[place] / 255) * (spans[1] - spans[0]));
      const up = yaxis.d2p(spans[2] + (y[place] / 255) * (spans[3] - spans[2]));
      const far = (across - left) ** 2 + (up - top) ** 2;
      if (far < least) [least, found] = [far, { rows: [one, other], across, up }];
    }
  return found;
}

const winner = (values) => values.indexOf(Math.max(...values));

function line(from, to, colour, width, more = "") {
  return `<line x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}" stroke="${colour}" stroke-width="${width}" ${more}/>`;
}

// Points of the plane, with the directions as arrows from the middle.
function inPlane({ directions, points }, rows, winners) {
  const middle = SIZE / 2;
  const place = (vector, scale) => [middle + vector[0] * scale, middle - vector[1] * scale];
  const reach = (vectors) => (middle - 18) / Math.max(...vectors.map((vector) => Math.hypot(...vector)), 1e-12);
  const [ray, spot] = [reach(directions), reach(rows.map((row) => points[row]))];
  const grey = directions.map((direction) => line([middle, middle], place(direction, ray), "currentColor", 1.5, 'opacity="0.45"'));
  const won = winners.map((best, place_) => {
    const dash = place_ ? 'stroke-dasharray="5 4"' : "";
    return line([middle, middle], place(directions[best], ray), COLOURS[place_], 4, `${dash} stroke-linecap="round"`);
  });
  const spots = rows.map((row, which) => {
    const [across, up] = place(points[row], spot);
    return `<circle cx="${across}" cy="${up}" r="6" fill="${COLOURS[which]}" stroke="white" stroke-width="1.5"/>` +
      `<text x="${across + 9}" y="${up - 5}" fill="currentColor" font-size="14">${"xz"[which]}</text>`;
  });
  return grey.join("") + won.join("") + spots.join("");
}

// Of points in more dimensions, how far they lie along each direction: two bars for each, from one line in the middle.
function asBars(values, winners) {
  const q = values[0].length;
  const reach = Math.max(...values.flat().map(Math.abs), 1e-12);
  const [step, middle] = [SIZE / q, SIZE / 2];
  const bars = values.map((ofPoint, which) =>
    ofPoint.map((value, direction) => {
      const wide = (Math.abs(value) / reach) * (middle - 4);
      const [left, top] = [value < 0 ? middle - wide : middle, direction * step + which * step * 0.45];
      const faint = winners[which] === direction ? 1 : 0.3;
      return `<rect x="${left}" y="${top}" width="${wide}" height="${step * 0.4}" fill="${COLOURS[which]}" opacity="${faint}"/>`;
    }),
  );
  return line([middle, 0], [middle, SIZE], "currentColor", 1, 'opacity="0.4"') + bars.flat().join("");
}

function wordsOf(rows, values, winners) {
  const [one, other] = winners.map((best, which) => `${best + 1} (${values[which][best].toFixed(2)})`);
  const same = winners[0] === winners[1];
  const who = same
    ? `Direction ${winners[0] + 1} wins for both: ${values.map((ofPoint) => ofPoint[winners[0]].toFixed(2)).join(" and ")}.`
    : `Direction ${one} wins for x, direction ${other} for z.`;
  return `<b>Feature 1</b> of rows ${rows[0] + 1} (x) and ${rows[1] + 1} (z). ${who}`;
}

export default function ({ data }) {
  const state = JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data));
  ends[state.chart]?.();
  Object.assign(state, { x: bytes(state.x), y: bytes(state.y) });
  const card = Object.assign(document.createElement("div"), { className: "mechanism-card", hidden: true });
  const ring = Object.assign(document.createElement("div"), { className: "mechanism-ring", hidden: true });
  document.body.append(card, ring);
  const hide = () => (card.hidden = ring.hidden = true);

  const show = ({ clientX, clientY }, plot) => {
    const { xaxis, yaxis } = plot._fullLayout ?? {};
    if (!xaxis || plot.rfviz?.framed()) return hide(); // what is played is another draw
    const box = plot.getBoundingClientRect();
    const [left, top] = [clientX - box.left - xaxis._offset, clientY - box.top - yaxis._offset];
    if (left < 0 || top < 0 || left > xaxis._length || top > yaxis._length) return hide();
    const found = nearestPair(state, { xaxis, yaxis }, left, top);
    if (!found) return hide();
    const values = found.rows.map((row) => state.projections[row]);
    const winners = values.map(winner);
    const drawn = state.points ? inPlane(state, found.rows, winners) : asBars(values, winners);
    card.innerHTML = `<svg width="${SIZE}" height="${SIZE}" aria-hidden="true">${drawn}</svg><p>${wordsOf(found.rows, values, winners)}</p>`;
    card.dataset.winners = winners.join();
    const page = document.querySelector("[data-testid=stApp]") ?? document.body;
    const { backgroundColor, color } = getComputedStyle(page);
    Object.assign(card.style, { background: backgroundColor, color });
    card.hidden = ring.hidden = false;
    const [x, y] = [box.left + xaxis._offset + found.across, box.top + yaxis._offset + found.up];
    Object.assign(ring.style, { left: `${x - 7}px`, top: `${y - 7}px` });
    const { offsetWidth: width, offsetHeight: height } = card;
    const beside = x + 24 + width < innerWidth ? x + 24 : x - 24 - width;
    card.style.left = `${Math.max(4, Math.min(beside, innerWidth - width - 4))}px`;
    card.style.top = `${Math.max(4, Math.min(y - height / 2, innerHeight - height - 4))}px`;
  };

  const plotAt = ({ target }) => target.closest?.(`.st-key-${state.chart} .js-plotly-plot`);
  const ears = {
    pointermove(event) {
      if (event.pointerType === "touch" || event.buttons) return;
      const plot = plotAt(event);
      if (plot) show(event, plot);
      else if (!card.hidden) hide();
    },
    // A tap shows what a pointer shows on its way.
    pointerup(event) {
      if (event.pointerType !== "touch") return;
      const plot = plotAt(event);
      if (plot) show(event, plot);
      else hide();
    },
    scroll: hide,
    keydown: ({ key }) => key === "Escape" && hide(),
  };
  for (const [name, ear] of Object.entries(ears)) document.addEventListener(name, ear, true);
  const end = () => {
    for (const [name, ear] of Object.entries(ears)) document.removeEventListener(name, ear, true);
    card.remove();
    ring.remove();
  };
  return (ends[state.chart] = end);
}
