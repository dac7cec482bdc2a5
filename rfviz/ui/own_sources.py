"""The rule that all pictures of a page come from its own server.

Names in a reader's file, and words in a link that somebody sent, are shown on pages. Should any of them be taken for
the Markdown of a picture, the browser would fetch that from a host on the internet, which learns who looks.
"""

from __future__ import annotations

__all__ = ["own_sources"]

_POLICY = "; ".join((
    "img-src 'self' data: blob:", "media-src 'self' data: blob:", "font-src 'self' data:", "object-src 'none'",
    "base-uri 'self'",
))  # fmt: skip


def own_sources(path: str) -> list[tuple[str, str]]:
    """The header that tells browsers so; the same for every `path`."""
    return [("content-security-policy", _POLICY)]
