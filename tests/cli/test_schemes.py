"""``rfviz schemes``: every feature map is listed, with all that is needed to make one."""

import json

from rfviz import cli
from rfviz.features import registry


def test_every_scheme_is_listed(capsys):
    assert cli.main(["schemes"]) == 0
    printed = capsys.readouterr().out
    for name, scheme in registry().items():
        assert f"{scheme.label}  (rfviz.features.{name})" in printed
        assert f"cost {scheme.cost}; {scheme.reference}" in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_schemes_as_json_say_enough_to_make_one(capsys):
    assert cli.main(["schemes", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["class"] for entry in listed] == list(registry())
    for entry in listed:
        scheme = registry()[entry["class"]]
        defaults = {param["name"]: param["default"] for param in entry["parameters"]}
        assert scheme(**defaults).get_params() == scheme().get_params()
        assert entry["formula"] == scheme.formula and all(param["rule"] for param in entry["parameters"])
