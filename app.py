"""Start the laboratory: ``streamlit run app.py`` or ``python app.py``.

The router that Streamlit runs for every visitor is ``rfviz/ui/router.py``, not this file. An entry script that lies
beside the ``pages`` folder would be taken for an old-style multipage app when a deep link is the first request after
the server starts.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before anything imports NumPy

import streamlit as st  # noqa: E402
from starlette.middleware import Middleware  # noqa: E402

from rfviz.ui.badge import device_route  # noqa: E402
from rfviz.ui.connect import Connect  # noqa: E402
from rfviz.ui.lasting import Lasting  # noqa: E402
from rfviz.ui.own_sources import own_sources  # noqa: E402
from rfviz.ui.page_headers import PageHeaders  # noqa: E402
from rfviz.ui.page_index import ROUTER, find_pages  # noqa: E402
from rfviz.ui.plotly_script import plotly_routes, server_path  # noqa: E402
from rfviz.ui.preload import preloaded  # noqa: E402
from rfviz.ui.startup import lifespan, report_script_error  # noqa: E402

app = st.App(
    ROUTER,
    lifespan=lifespan,
    routes=[*plotly_routes(), device_route()],
    middleware=[
        Middleware(Lasting, folders=[server_path("/static/"), server_path("/rfviz/")]),
        Middleware(Connect, slugs=[page.slug for page in find_pages()]),
        Middleware(PageHeaders, makers=[preloaded, own_sources]),
    ],
    on_script_error=report_script_error,
)

if __name__ == "__main__":
    app.run()
