"""How fast this machine is: every feature map against the limit of the device, and what stays interactive on it."""

import streamlit as st

from rfviz.ui import layout
from rfviz.ui import machine_text as text
from rfviz.ui import machine_views as views
from rfviz.ui.live_run import LiveRun
from rfviz.ui.sidebar import show_device

TITLE = "Your machine"
ICON = ":material/speed:"
GROUP = "Laboratory"
ORDER = 90
QUESTION = "How near do the feature maps come to the best that this device can do, and how large may they be here?"

state = layout.page_title("your-machine", controls=False)
work = views.benchmark()
speeds = work.speeds()
live = LiveRun("your-machine", work, hint=text.HINT)
live.start_and_stop()
more = not live.is_going and views.look(work)
views.chart(speeds, work.glances(), str(work.identity))
if speeds:
    views.sizes(speeds)
    views.again(work)
layout.details(state, {
    "For an issue: the figures to paste": lambda: views.issue(speeds),
    "Results that were recorded before": views.records,
    "How it is computed": lambda: st.markdown(text.METHOD),
})  # fmt: skip
state.finish()
show_device()
# Last, when the page stands: what a run has not drawn yet is shown faded.
if live.wait() or more:
    st.rerun()
