"""Headers that go with every page of the laboratory, and with nothing else that its server sends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["PageHeaders", "is_page"]


class PageHeaders:
    """ASGI middleware that adds headers to what is a page.

    Parameters
    ----------
    app : callable
        The application behind it.
    makers : sequence of callable
        Each is given the path that was asked for, and gives pairs of names, in lower case, and values.
    """

    def __init__(self, app: ASGIApp, makers: Sequence[Callable[[str], Iterable[tuple[str, str]]]]) -> None:
        self.app, self._makers = app, tuple(makers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, pages with their headers."""

        async def add(message: Message) -> None:
            if message["type"] == "http.response.start" and is_page(message):
                found = [pair for make in self._makers for pair in make(scope["path"])]
                more = [(name.encode(), value.encode()) for name, value in found]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self.app(scope, receive, add if scope["type"] == "http" else send)


def is_page(message: Message) -> bool:
    """Whether an answer that begins so is a page."""
    return any(name.lower() == b"content-type" and b"text/html" in value for name, value in message["headers"])
