"""Start the laboratory: ``streamlit run app.py`` or ``python app.py``.

The script that Streamlit runs for every visitor is ``rfviz/ui/router.py``, not this file: it takes an entry script next
to a ``pages`` folder for an old-style multipage app when a deep link is the first request after the server starts.

Nothing is imported here that computes: the port is open already, and visitors wait until this has been run.
"""

from rfviz._blas import choose_openblas_kernels, shorten_openblas_waits

shorten_openblas_waits()
choose_openblas_kernels()  # before anything imports NumPy

import streamlit as st  # noqa: E402
from starlette.middleware import Middleware  # noqa: E402

from rfviz.lab.index import NAVIGATION  # noqa: E402
from rfviz.ui.web.animation_route import animation_route  # noqa: E402
from rfviz.ui.web.boot_script import InjectBootScript  # noqa: E402
from rfviz.ui.web.component_scripts import script_route  # noqa: E402
from rfviz.ui.web.departures import IgnoreDepartures  # noqa: E402
from rfviz.ui.web.device_route import device_route  # noqa: E402
from rfviz.ui.web.headers import PageHeaders, content_security_policy  # noqa: E402
from rfviz.ui.web.health_route import health_route  # noqa: E402
from rfviz.ui.web.plotly_routes import plotly_routes, server_path  # noqa: E402
from rfviz.ui.web.preload import preloaded  # noqa: E402
from rfviz.ui.web.room_route import room_routes  # noqa: E402
from rfviz.ui.web.startup import ROUTER, lifespan, report_script_error  # noqa: E402
from rfviz.ui.web.static_cache import StaticCache  # noqa: E402

app = st.App(
    ROUTER,
    lifespan=lifespan,
    routes=[*plotly_routes(), script_route(), device_route(), health_route(), animation_route(), *room_routes()],
    middleware=[
        Middleware(IgnoreDepartures),
        Middleware(StaticCache, folders=[server_path("/static/"), server_path("/rfviz/")]),
        Middleware(InjectBootScript, slugs=[page.slug for page in NAVIGATION]),
        Middleware(PageHeaders, makers=[preloaded, content_security_policy]),
    ],
    on_script_error=report_script_error,
)

if __name__ == "__main__":
    app.run()
