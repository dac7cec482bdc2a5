"""What Streamlit runs for every visitor and every change: the navigation, then the page that was asked for."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from rfviz.ui.web.startup import wait_until_ready

wait_until_ready()  # before anything is imported that computes

from rfviz.lab.index import ASSETS, NAVIGATION  # noqa: E402
from rfviz.ui.layout import use_style  # noqa: E402
from rfviz.ui.no_such_page import page_of_unknown_address  # noqa: E402
from rfviz.ui.own_data.session import session_data  # noqa: E402
from rfviz.ui.sign_in import sign_in_page, sign_out_button, wants_sign_in  # noqa: E402
from rfviz.ui.teaching.menu import wants_sidebar  # noqa: E402

st.logo(str(ASSETS / "logo.svg"), size="large", icon_image=str(ASSETS / "icon.svg"))
# The icon before st.navigation, or Streamlit asks a font host for the page's own as an image. The sidebar is as wide as
# its words (pixels): what it leaves is the chart's. Said once a run: Streamlit opens and shuts it with every change.
sidebar = 256 if wants_sidebar() else "collapsed"
st.set_page_config(page_icon=str(ASSETS / "icon.svg"), layout="wide", initial_sidebar_state=sidebar)
use_style()
session_data()  # also on a page without data, so that each session ends when its page has gone

groups: dict[str, list[StreamlitPage]] = {}
for found in NAVIGATION:
    page = st.Page(found.path, title=found.title, icon=found.icon, url_path=found.slug, default=found.slug == "home")
    groups.setdefault(found.group, []).append(page)
if unknown := page_of_unknown_address(st.context.url):
    groups[""].append(unknown)
asked = wants_sign_in()
# All pages, also where there are more than twelve.
current = st.navigation(groups, expanded=True, position="hidden" if asked else "sidebar")
st.set_page_config(page_title=f"{current.title} · rfviz")
if asked:
    sign_in_page()
else:
    sign_out_button()
    current.run()
