"""Encodings that a file does not tell: names of towns in several languages, and the few that mislead."""

import pytest

from rfviz.datasets.files.upload import read_upload

TOWNS = {
    "cp1251": ["Москва", "Казань", "Тула", "Санкт-Петербург"],
    "koi8_r": ["Москва", "Казань", "Тула", "Нижний Новгород"],
    "cp866": ["Москва", "Казань", "Тула"],
    "cp1253": ["Αθήνα", "Πάτρα", "Θεσσαλονίκη"],
    "cp1256": ["القاهرة", "الرياض", "بغداد"],
    "cp874": ["กรุงเทพ", "เชียงใหม่", "ภูเก็ต"],
    "gb18030": ["北京", "上海", "广州", "男", "女"],
    "big5": ["台北", "台中", "高雄"],
    "cp932": ["東京", "大阪", "京都"],
    "cp949": ["서울", "부산", "대구"],
    "cp1250": ["Plzeň", "Třebíč", "Zlín"],
    "iso8859_2": ["Plzeň", "Třebíč", "Žďár", "Šternberk"],
    "cp1254": ["İstanbul", "Eskişehir", "Diyarbakır", "Muğla"],
    "cp1257": ["Šiauliai", "Kėdainiai", "Panevėžys", "Mažeikiai"],
    "mac_roman": ["Zürich", "Köln", "München", "Genève"],
    "cp850": ["Zürich", "Köln", "München"],
}
# Read as Windows-1252, as most such files are.
WESTERN = [
    ["Zürich", "Köln", "Größe", "Spaß"],
    ["Genève", "Orléans", "Besançon", "Nîmes", "été"],
    ["Málaga", "A Coruña", "León", "Cádiz"],
    ["São Paulo", "Brasília", "Goiânia"],
    ["Malmö", "Västerås", "Tromsø", "Ærø"],
    ["São Paulo", "Zürich", "Málaga", "Tromsø", "Reykjavík", "Århus"],
    ["Ísafjörður", "Þórshöfn", "Keflavík"],
    ["the user’s “own” words – here", "plain", "x"],
    ["5 °C", "7 ± 2 µm", "9 €"],
    ["à", "b", "c"],
    ["une été", "d’où", "l’été"],
]


def read(towns, encoding):
    text = "town,x\n" + "".join(f"{town},{i}\n" for i, town in enumerate(towns))
    return read_upload("a.csv", text.encode(encoding))


@pytest.mark.parametrize("encoding", TOWNS)
@pytest.mark.parametrize("repeats", [1, 30])
def test_towns_are_read_in_the_encoding_of_their_language(encoding, repeats):
    found = read([f"{town} {i}" if i else town for i in range(repeats) for town in TOWNS[encoding]], encoding)
    assert set(found.table.head["town"]) <= {f"{t} {i}" for t in TOWNS[encoding] for i in range(30)} | set(
        TOWNS[encoding]
    )
    assert "which is a guess" in found.notes[0]


@pytest.mark.parametrize("towns", WESTERN, ids=lambda towns: towns[0])
@pytest.mark.parametrize("repeats", [1, 30])
def test_western_text_is_read_as_windows_1252(towns, repeats):
    found = read(towns * repeats, "cp1252")
    assert list(found.table.head["town"]) == (towns * repeats)[:8]
    assert "Windows-1252 (Western European), which is a guess" in found.notes[0]


def test_one_byte_does_not_change_how_the_others_are_read():
    text = "stadt,v\nZürich,1\nKöln,2\nWien,3\n".encode() + "Genève,4\n".encode("cp1252")
    found = read_upload("a.csv", text)
    assert list(found.table.head["stadt"]) == ["Zürich", "Köln", "Wien", "Genève"]
    assert found.notes[0] == "1 byte is not UTF-8, as the others are, and was read as Windows-1252."
    # Behind the first block that is looked at.
    late = read_upload("a.csv", b"a,b\n" + ("é" * 60 + ",1\n").encode() * 12_000 + b"\xe9,2\n\xe8,2\n")
    assert late.notes[0].startswith("2 bytes are not UTF-8")
    assert set(late.table.values("a").categories) == {"è", "é", "é" * 60}
