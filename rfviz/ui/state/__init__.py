"""State of a page: the values of its controls, its address, its history, its pinned charts.

What else a session holds is declared where it is used; see :mod:`rfviz.ui.session`.
"""

from rfviz.ui.state.page_state import PageState, forget_page

__all__ = ["PageState", "forget_page"]
