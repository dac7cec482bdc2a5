"""Sentences about data that a user brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rfviz.ui.plain import plain

if TYPE_CHECKING:
    from rfviz.datasets.downloads.openml import Entry

ENTRY_TITLE = "Your own data…"
DIALOG_TITLE = "Your own data"

PRIVACY = (
    "Your file stays in the memory of the machine that runs this laboratory. It is not written to disk and no other "
    "visitor sees it. A minute after you close or reload the page nothing can reach it any more; the memory itself is "
    "free at the latest when the next visitor comes."
)
KINDS = (
    ("Table", "`.csv` `.tsv` `.txt` `.data` `.dat` `.xlsx` `.parquet` `.feather` `.arrow` `.sqlite` `.json` `.geojson` "
     "`.arff` `.libsvm` `.dta`", "One row per sample; the first line names the columns. Of a workbook, a database or "
     "an archive (`.zip`, `.tar`) you choose the table; it may be compressed (`.gz`, `.bz2`, `.xz`). Numbers, words "
     "and dates."),
    ("Arrays", "`.npz`", "`X` with one row per sample, or images; `y` for labels, `order` for a sequence. `data` and "
     "`target`, or `x_train` and `y_train`, are understood."),
    ("Images", "`.zip`", "PNG or JPEG of any sizes. One folder per class gives the labels, without such folders "
     "numbers in the names the order, folders `train` and `test` a split."),
)  # fmt: skip
OPENML = (
    "[OpenML](https://www.openml.org) has thousands of tables. Its list of names is fetched once a week and searched "
    "here; the list and what you download are kept on this machine for next time."
)
OWN_LINE = (
    "Only you see these data, until you close or reload the page. Its address cannot carry them: whoever opens it "
    "sees “{default}”."
)
ELSEWHERE = (
    "This address was made with somebody’s own data, “{name}”, which a link or a reload cannot carry. You see "
    "“{default}” instead. If you have the file, choose “Your own data…” in the menu of data sets."
)
OFFER = "Your file **{name}** is loaded."
IN_PLANE = (
    "This page draws a plane: of the {d:,} columns you see the first two principal components, with {share:.0%} of the "
    "variance."
)
PART_HELP = "The file holds several tables, or sheets; one of them is used."
LABEL_HELP = "What the points are coloured by and what learning predicts; it is not among the inputs."
ORDER_HELP = "The place of each row in a sequence, such as a time or a frame number; it is not among the inputs."
LEAVE_OUT_HELP = "Columns that nothing is computed from. Free text and empty columns are left out by themselves."
COLUMNS_NOTE = (
    "A column counts as numbers or dates where at least 95% of its cells are; “missing” counts empty cells, infinite "
    "numbers, and words such as ?, NA or - where these are not written like the other words of the column."
)
SLOW = "The table is large: the result of these choices is shown once you use the data."


def found_line(total: int, shown: int) -> str:
    """Return how many data sets a search found, in words."""
    if total == 1:
        return "One data set found."
    rest = "" if shown == total else f" The {shown} nearest are listed; one more word finds fewer."
    return f"{total:,} data sets found.{rest}"


def entry_line(entry: Entry) -> str:
    """Return the line of a data set in a list, in Markdown; the number tells those of one name apart."""
    return f"{plain(entry.name)} · number {entry.number}"


def version_line(entry: Entry) -> str:
    """Return the caption below that line."""
    return f"version {entry.version} · {entry.size}"
