import json

import pytest

from rfviz.datasets.files.meta import Meta, read_meta


def _write(folder, content):
    (folder / "a.meta.json").write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read_meta(folder / "a.npz")


def test_reads(tmp_path):
    meta = _write(
        tmp_path,
        {
            "source": [{"repository": "github.com/a/b", "path": "x"}, {"url": "https://c.org"}],
            "licence": "CC BY 4.0.",
            "note": "one\nline",
            "full": {"classes": ["cat", "dog"], "numeric_columns": ["u", 3]},
        },
    )
    assert meta == Meta("github.com/a/b and https://c.org", "CC BY 4.0", "one line", ("cat", "dog"), ("u", "3"))


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "3", "null", "[" * 100_000, '{"full": 3}', '{"source": {"repository": 5}}', '{"classes": [[1]]}'],
)
def test_lenient(tmp_path, content):
    assert _write(tmp_path, content) == Meta()


def test_preparation(tmp_path):
    assert _write(tmp_path, {"preparation": {"label": "a", "scale": "none"}}).preparation == {
        "label": "a",
        "scale": "none",
    }
    assert _write(tmp_path, {"preparation": ["a"]}) == Meta()


def test_missing_undecodable_or_huge(tmp_path):
    assert read_meta(tmp_path / "a.npz") == Meta()
    (tmp_path / "a.meta.json").write_bytes(b'{"licence": "\xff"}')
    assert read_meta(tmp_path / "a.npz") == Meta()
    assert _write(tmp_path, '{"licence": "' + "x" * 1_000_000 + '"}') == Meta()


def test_long_and_unprintable_text(tmp_path):
    licence = _write(tmp_path, {"licence": "\x1b[31mred\u202e " + "x" * 1000}).licence
    assert licence.isprintable() and len(licence) == 240 and licence.endswith("…")
