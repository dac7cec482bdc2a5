// Saves a chart as it is on the page, zoom included, with the page's background behind it.
function save(address, name) {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

export default function ({ data, parentElement }) {
  const note = parentElement.querySelector(".note");
  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = async () => {
      const chart = document.querySelector(`.st-key-${CSS.escape(data.chart)} .js-plotly-plot`);
      note.textContent = chart?.offsetWidth ? "" : "This chart is not on the page now.";
      if (!chart?.offsetWidth) return;
      const ground = getComputedStyle(chart).getPropertyValue("--st-background-color").trim();
      const layout = { ...chart.layout, paper_bgcolor: ground, plot_bgcolor: ground };
      const { format } = button.dataset;
      const size = { width: chart.offsetWidth, height: chart.offsetHeight, scale: format === "png" ? 2 : 1 };
      save(await chart.rfviz.Plotly.toImage({ data: chart.data, layout }, { format, ...size }), `${data.name}.${format}`);
    };
  }
}
