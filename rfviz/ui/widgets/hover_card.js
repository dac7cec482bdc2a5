// Shows the image under the pointer and its nearest neighbours, before and after the map, with no round trip: the
// sheet of all images and the lists of neighbours are already here.
const sheets = (window.rfviz.sheets ??= {});
const cards = new WeakMap();

function tile(sheet, row, scale) {
  const box = document.createElement("div");
  box.className = "tile";
  const picture = document.createElement("div");
  picture.className = "picture";
  if (sheet) {
    const { uri, columns, width, height, count } = sheet;
    const rows = Math.ceil(count / columns);
    Object.assign(picture.style, {
      width: `${width * scale}px`,
      height: `${height * scale}px`,
      backgroundImage: `url(${uri})`,
      backgroundSize: `${columns * width * scale}px ${rows * height * scale}px`,
      backgroundPosition: `${-(row % columns) * width * scale}px ${-Math.floor(row / columns) * height * scale}px`,
    });
    box.append(picture);
  }
  return box;
}

function labelled(sheet, state, row, scale) {
  const box = tile(sheet, row, scale);
  const text = document.createElement("span");
  text.textContent = state.labels[row];
  box.append(text);
  return box;
}

function draw(root, state, row) {
  const sheet = sheets[state.sheet];
  const unit = sheet ? Math.min(56 / sheet.height, 3.5) : 1;
  root.replaceChildren();
  const groups = [["This point", [row], 1.7]];
  groups.push(["Nearest before the map", state.before[row], 1]);
  groups.push(["Nearest after the map", state.after[row], 1]);
  for (const [title, rows, size] of groups) {
    const group = document.createElement("div");
    group.className = "group";
    const heading = document.createElement("h4");
    heading.textContent = title;
    const strip = document.createElement("div");
    strip.className = "strip";
    for (const other of rows) strip.append(labelled(sheet, state, other, unit * size));
    group.append(heading, strip);
    root.append(group);
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".card");
  let state = cards.get(root);
  if (!state) cards.set(root, (state = { row: 0 }));
  state.end?.(); // Streamlit calls only the last run's, when the page goes
  Object.assign(state, data);
  if (data.picked !== null && data.picked !== undefined && data.picked !== state.lastPicked) state.row = data.picked;
  state.lastPicked = data.picked;
  if (state.row >= data.labels.length) state.row = 0;
  draw(root, state, state.row);
  // Either of the two may come first.
  const arrived = ({ detail }) => detail === state.sheet && draw(root, state, state.row);
  window.addEventListener("rfviz:sheet", arrived);

  // Plotly's own hover event carries the row that the chart was given, so zooming or hiding a class cannot mix up
  // the pictures. The chart may be mounted after this component, hence the watch.
  const attach = () => {
    for (const plot of document.querySelectorAll(data.charts)) {
      if (plot.__rfvizCard === root || !plot.on) continue;
      plot.__rfvizCard = root;
      plot.on("plotly_hover", (event) => {
        const row = event.points?.[0]?.customdata;
        if (Number.isInteger(row) && row < state.labels.length) draw(root, state, (state.row = row));
      });
    }
  };
  attach();
  const timer = setInterval(attach, 400);
  state.end = () => {
    clearInterval(timer);
    window.removeEventListener("rfviz:sheet", arrived);
  };
  return state.end;
}
