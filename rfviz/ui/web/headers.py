"""Headers that every page of the laboratory gets, and nothing else that its server sends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rfviz.ui.web.plotly_routes import server_path

__all__ = ["PageHeaders", "content_security_policy", "is_page"]

Headers = Iterable[tuple[str, str]]


class PageHeaders:
    """ASGI middleware that adds headers to pages.

    Parameters
    ----------
    app : callable
        The application behind it.
    makers : sequence of callable
        Each gets the requested path and returns pairs of names, in lower case, and values.
    """

    def __init__(self, app: ASGIApp, makers: Sequence[Callable[[str], Headers]]) -> None:
        self.app, self._makers = app, tuple(makers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, pages with their headers."""

        async def add(message: Message) -> None:
            if message["type"] == "http.response.start" and is_page(scope, message):
                found = [pair for make in self._makers for pair in make(scope["path"])]
                more = [(name.encode(), value.encode()) for name, value in found]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self.app(scope, receive, add if scope["type"] == "http" else send)


def is_page(scope: Scope, message: Message) -> bool:
    """Return whether a response that starts so is a page of Streamlit's: those of our own routes need nothing more."""
    if scope["path"].startswith((server_path("/rfviz/"), server_path("/join"))):
        return False
    return any(name.lower() == b"content-type" and b"text/html" in value for name, value in message["headers"])


_POLICY = "; ".join(
    (
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'self'",
    )
)


def content_security_policy(path: str) -> Headers:
    """Return the header that lets a page fetch pictures from its own server alone.

    Names in a user's file, and words in a link, are shown on pages. Should any of them be taken for the Markdown of a
    picture, the browser would fetch that from a stranger's host, which learns who looks.
    """
    return [("content-security-policy", _POLICY)]
