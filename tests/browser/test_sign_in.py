"""Signing in by OpenID Connect, with an identity provider of the test's own."""

import json
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.browser.conftest import free_port, running_app

pytestmark = pytest.mark.browser

CLIENT = "rfviz-of-the-class"


class Provider(BaseHTTPRequestHandler):
    """An identity provider at which Ada is always signed in."""

    key = RSAKey.generate_key(2048, {"kid": "1", "use": "sig", "alg": "RS256"})
    nonces: ClassVar[dict[str, str]] = {}

    @property
    def issuer(self):
        return f"http://localhost:{self.server.server_port}"

    def do_GET(self):
        """Describe the provider, show its keys, and send who comes to sign in back with a code."""
        asked = urlsplit(self.path)
        if asked.path == "/authorize":
            query = {name: values[0] for name, values in parse_qs(asked.query).items()}
            code = f"code-{len(self.nonces)}"
            self.nonces[code] = query["nonce"]
            self.send_response(302)
            self.send_header("Location", f"{query['redirect_uri']}?code={code}&state={query['state']}")
            self.end_headers()
        elif asked.path == "/keys":
            self.answer({"keys": [self.key.as_dict(private=False)]})
        else:
            ends = {name: f"{self.issuer}/{name.partition('_')[0]}" for name in ("token_endpoint", "keys_uri")}
            self.answer(
                {
                    "issuer": self.issuer,
                    "authorization_endpoint": f"{self.issuer}/authorize",
                    "token_endpoint": ends["token_endpoint"],
                    "jwks_uri": ends["keys_uri"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                }
            )

    def do_POST(self):
        """Give a signed token for a code."""
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": "1815",
            "iat": now,
            "exp": now + 600,
            "nonce": self.nonces[form["code"][0]],
            "email": "ada@example.org",
        }
        token = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.key)
        self.answer({"access_token": "a", "token_type": "Bearer", "expires_in": 600, "id_token": token})

    def answer(self, content):
        """Send JSON."""
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Keep quiet."""


@pytest.fixture(scope="module")
def guarded_app(browser, tmp_path_factory):
    """Start an app that asks its users to sign in."""
    provider = ThreadingHTTPServer(("localhost", 0), Provider)
    Thread(target=provider.serve_forever, daemon=True).start()
    folder, port = tmp_path_factory.mktemp("guarded"), free_port()
    secrets = folder / "secrets.toml"
    secrets.write_text(f"""
[auth]
redirect_uri = "http://localhost:{port}/oauth2callback"
cookie_secret = "a long text that nobody can guess"
client_id = "{CLIENT}"
client_secret = "secret"
server_metadata_url = "http://localhost:{provider.server_port}/.well-known/openid-configuration"
""")
    with running_app(folder, port, STREAMLIT_SECRETS_FILES=str(secrets)) as server:
        yield server
    provider.shutdown()


def test_only_who_has_signed_in_comes_in_and_finds_the_page_they_came_for(visit, guarded_app):
    page = visit(guarded_app, "hashing?pool_size=8")
    page.get_by_role("heading", name="Sign in").wait_for()
    assert page.locator(".js-plotly-plot").count() == 0
    assert page.locator("[data-testid=stSidebarNav]").count() == 0
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/hashing?pool_size=8**")
    page.locator(".js-plotly-plot").first.wait_for()
    page.get_by_text("Signed in as ada@example.org").wait_for()

    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()
    stranger = visit(guarded_app, "your-machine")
    stranger.get_by_role("heading", name="Sign in").wait_for()


def test_phones_join_a_room_without_an_account(visit, guarded_app):
    page = visit(guarded_app, "join")
    assert page.get_by_role("button", name="Sign in").count() == 0
    assert page.locator("input").count() == 1
