"""What those read who have to sign in; that others need not is what every other test shows."""

import pytest
from streamlit.testing.v1 import AppTest

from rfviz.ui import sign_in

pytest.importorskip("authlib", reason="Signing in needs Authlib; pip install 'rfviz[auth]' adds it")

ONE = {"client_id": "one", "client_secret": "secret", "server_metadata_url": "https://one.example.org"}


def _door():
    from rfviz.ui.sign_in import sign_in_page

    sign_in_page()


@pytest.fixture
def door():
    """Return a function that runs the sign-in page of a server with this section of secrets."""

    def run(**auth):
        page = AppTest.from_function(_door)
        page.secrets["auth"] = {"redirect_uri": "http://localhost/oauth2callback", "cookie_secret": "s", **auth}
        return page.run()

    return run


def test_each_identity_provider_has_a_button(door):
    assert [button.label for button in door(**ONE).button] == ["Sign in"]
    page = door(university=ONE, github=ONE)
    assert [button.label for button in page.button] == ["Sign in with university", "Sign in with github"]


def test_secrets_that_lack_something_are_an_error_in_one_sentence(door):
    page = door(client_id="one")
    page.button[0].click().run()
    assert not page.exception
    assert page.error[0].value.startswith("Nobody can sign in before the section `[auth]`")


def test_without_the_packages_the_page_says_how_to_add_them(door, monkeypatch):
    monkeypatch.setattr(sign_in, "find_spec", lambda name: None)
    page = door(**ONE)
    assert not page.button
    assert "pip install 'rfviz[auth]'" in page.error[0].value
