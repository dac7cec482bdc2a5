"""``rfviz maps``: every feature map is listed, with all that is needed to make one."""

import json

from rfviz import cli
from rfviz.features import registry


def test_every_map_is_listed(capsys):
    assert cli.main(["maps"]) == 0
    printed = capsys.readouterr().out
    for name, cls in registry().items():
        assert f"{cls.label}  (rfviz.features.{name})" in printed
        assert f"cost {cls.cost}; {cls.reference}" in printed
    assert max(map(len, printed.splitlines())) <= 100


def test_maps_as_json_say_enough_to_make_one(capsys):
    assert cli.main(["maps", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [entry["class"] for entry in listed] == list(registry())
    for entry in listed:
        cls = registry()[entry["class"]]
        defaults = {param["name"]: param["default"] for param in entry["parameters"]}
        assert cls(**defaults).get_params() == cls().get_params()
        assert entry["formula"] == cls.formula and all(param["rule"] for param in entry["parameters"])


def test_the_former_name_of_the_command_still_works(capsys):
    assert cli.main(["maps"]) == 0
    listed = capsys.readouterr().out
    assert cli.main(["schemes"]) == 0
    told = capsys.readouterr()
    assert told.out == listed and told.err == "rfviz schemes is deprecated. Use rfviz maps.\n"
