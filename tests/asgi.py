"""Requests to an application without a server."""

import asyncio

from starlette.datastructures import Headers


def fetch(app, path, encoding="identity", query=b"", hear=lambda message: None, body=None, **more):
    """Return status, headers and body of an application's answer; `hear` gets each of its messages.

    A `body` is posted.
    """
    sent = []

    async def receive():
        return {"type": "http.request", "body": body or b""}

    async def send(message):
        sent.append(message)
        hear(message)

    headers = [
        (b"accept-encoding", encoding.encode()),
        *((name.encode(), text.encode()) for name, text in more.items()),
    ]
    scope = {
        "type": "http",
        "method": "GET" if body is None else "POST",
        "path": path,
        "root_path": "",
        "query_string": query,
        "headers": headers,
        "asgi": {"spec_version": "2.4"},
    }
    asyncio.run(app(scope, receive, send))
    body = b"".join(message["body"] for message in sent[1:])
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), body
