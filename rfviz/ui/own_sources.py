"""Tell browsers that all pictures of a page come from its own server.

Names in a reader's file, and words in a link that somebody sent, are shown on pages. Should any of them be taken for
the Markdown of a picture, the browser would fetch that from a host on the internet, which learns who looks.
"""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rfviz.ui.preload import is_page

__all__ = ["OwnSources"]

_POLICY = "; ".join((
    "img-src 'self' data: blob:", "media-src 'self' data: blob:", "font-src 'self' data:", "object-src 'none'",
    "base-uri 'self'",
))  # fmt: skip


class OwnSources:
    """ASGI middleware that adds this rule to what is a page.

    Parameters
    ----------
    app : callable
        The application behind it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, pages with the rule."""

        async def rule(message: Message) -> None:
            if message["type"] == "http.response.start" and is_page(message):
                policy = (b"content-security-policy", _POLICY.encode())
                message = {**message, "headers": [*message["headers"], policy]}
            await send(message)

        await self.app(scope, receive, rule if scope["type"] == "http" else send)
