"""The front page: what this is, which pages there are, which device computes, which data sets are at hand."""

import streamlit as st

from rfviz import backend, datasets
from rfviz.experiments.zoo.compute import ordered_maps
from rfviz.lab.index import HEADING, card_groups, entry_of
from rfviz.ui import layout
from rfviz.ui.plain import plain
from rfviz.ui.teaching.lesson_cards import show_route


def _data_sets() -> None:
    """Draw what every data set holds."""
    where = {"generated": "made here", "bundled": "bundled", "download": "downloaded once", "folder": "data folder"}
    rows = [[s.title, where[s.source], s.summary] for s in datasets.specs().values()]
    lines = ["| " + " | ".join(map(plain, row)) + " |" for row in rows]
    with st.container(key="data-list"):
        st.markdown("\n".join(["| data set | from | what it holds |", "| --- | --- | --- |", *lines]))
    st.caption(
        "Your own data: choose “Your own data…” among the data sets of any page to bring a file, or to search "
        "OpenML. Or put `.npz`, `.csv` or `.parquet` files into a folder and start with the environment variable "
        "`RFVIZ_DATA` set to it; they appear here by name."
    )


def _machine() -> None:
    """Draw which device computes, and by which libraries."""
    device = backend.get_device()
    blas = backend.blas_info()
    machine = entry_of("your-machine")
    st.markdown(
        f"**{device.describe()}** · {device.free_bytes() / 1e9:.1f} GB free. Matrix products on the processor: "
        f"{blas['library']} {blas['version']}, kernels for {blas['architecture']}, {blas['most_threads']} threads on "
        f"{blas['cores']} cores. {layout.blas_note()}"
    )
    if not device.is_gpu:
        st.caption(
            f"No GPU is in use: {backend.gpu_status()}. With an NVIDIA GPU, `pip install -r requirements-gpu.txt` "
            "and start again; nothing else changes."
        )
    st.page_link(machine.path, label=f"**{machine.title}**: {machine.question}", icon=machine.icon)


state = layout.page_header("home", heading=HEADING, controls=False)

colours = layout.card_colours()
for group, pages in card_groups().items():
    st.subheader(group or "Start here", anchor=False)
    with st.container(key=f"cards-{group}"):
        for page in pages:
            with st.container(border=True, height="stretch"):
                if picture := page.picture(colours):
                    st.image(str(picture), width="stretch")
                st.page_link(page.path, label=f"**{page.title}**", icon=page.icon)
                st.markdown(page.question)
    if not group:
        st.subheader("A route through the lessons", anchor=False)
        show_route()

st.subheader("Feature maps", anchor=False)
with st.container(key="maps-list"):
    for cls in ordered_maps():
        st.markdown(f"**{cls.label}.** {cls.summary}")

layout.details(state, {"Data sets": _data_sets, "This machine": _machine})
state.finish()
