// The chart of a page (the first of several, or the largest) without words, as a PNG of twice width × height.
async ([width, height, first, ground]) => {
  const area = (chart) => chart.offsetWidth * chart.offsetHeight;
  const charts = [...document.querySelectorAll(".js-plotly-plot")];
  const chart = first ? charts[0] : charts.reduce((largest, one) => (area(one) > area(largest) ? one : largest));
  const bold = (line) => (line.width === 0 ? line : { ...line, width: Math.max(2, line.width ?? 2) });
  const data = chart.data.map((trace) => ({
    ...trace,
    showlegend: false,
    showscale: false,
    ...(trace.line && { line: bold(trace.line) }),
    ...(trace.marker && { marker: { ...trace.marker, showscale: false } }),
    ...(/text/.test(trace.mode ?? "") && { mode: trace.mode.replace(/\+?text/, "") || "none" }),
    ...(trace.type === "bar" && { text: null, texttemplate: "" }),
  }));
  const layout = { ...chart.layout, width, height, autosize: false, showlegend: false, annotations: [], title: null };
  Object.assign(layout, { margin: { l: 8, r: 8, t: 8, b: 8 }, paper_bgcolor: ground, plot_bgcolor: ground });
  const quiet = { showticklabels: false, ticks: "", minor: { ticks: "" }, title: { text: "" }, automargin: false };
  const pictures = layout.images ?? [];
  const carried = pictures.length > 9; // pictures at points, not one that is the chart's ground
  if (carried) layout.images = pictures.map((one) => ({ ...one, sizex: 1.8 * one.sizex, sizey: 1.8 * one.sizey }));
  for (const [name, part] of Object.entries(layout)) {
    if (/^[xy]axis\d*$/.test(name)) layout[name] = { ...part, ...quiet };
    if (/^[xy]axis\d*$/.test(name) && carried) Object.assign(layout[name], { autorange: true, range: null });
    if (/^yaxis\d*$/.test(name)) layout[name].constraintoward = "middle";
    if (/^coloraxis\d*$/.test(name)) layout[name] = { ...part, showscale: false };
  }
  return Plotly.toImage({ data, layout }, { format: "png", width, height, scale: 2 });
}
