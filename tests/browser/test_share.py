"""What a person takes away from a page: each file is downloaded, opened and read back."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from rfviz import cli
from rfviz.features import from_json
from rfviz.lab.preset import read_preset
from rfviz.lab.zoom import read_zoom
from tests.browser.steps import EMBEDDING, SATURATION, settle, wait_for_chart, wait_for_query

pytestmark = pytest.mark.browser

OTHER = "distance-saturation?pool_size=16&compare=,&n_components=200&data.n_samples=30"


def opened(page):
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_role("dialog").wait_for()
    settle(page)
    return page.get_by_role("dialog")


def saved(page, dialog, name):
    """Return the bytes of the file that a button of the dialog gives."""
    with page.expect_download() as waiting:
        dialog.get_by_role("button", name=name, exact=True).locator("visible=true").first.click()
    return open(waiting.value.path(), "rb").read()


def tab(dialog, name):
    dialog.get_by_role("tab", name=name).click()


def zoom_in(page):
    """Draw a rectangle in the chart, and wait until the address holds it."""
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.3 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.8 * box["height"], steps=5)
    page.mouse.up()
    page.wait_for_function("location.search.includes('zoom=saturation')")


def test_a_copied_link_opens_the_same_chart_elsewhere(app, visit):
    zoom = "saturation:x,0.5,1.25,y,0.25,0.75"
    page = visit(app, f"{OTHER}&zoom={zoom}", permissions=["clipboard-read", "clipboard-write"])
    wait_for_chart(page, SATURATION)
    wait_for_query(page, pool_size="16", compare=",", zoom=zoom)
    assert not page.get_by_role("button", name="Share chart...").count()  # Plotly would send the data away
    opened(page).get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    address = page.evaluate("navigator.clipboard.readText()")
    other = visit(app, address.removeprefix(app.url).lstrip("/"), size=(900, 900))
    wait_for_chart(other, SATURATION)
    assert other.evaluate("rf.curves('saturation')") == page.evaluate("rf.curves('saturation')")
    assert other.evaluate("rf.range('saturation')") == [0.5, 1.25, 0.25, 0.75]


@pytest.mark.journey
def test_every_file_can_be_read_back(app, visit, tmp_path):
    page = visit(app, OTHER)
    wait_for_chart(page, SATURATION)
    zoom_in(page)
    dialog = opened(page)
    slug, values = read_preset(saved(page, dialog, "Settings (JSON)").decode())
    assert slug == "distance-saturation"
    zoomed = read_zoom(values.pop("zoom"))[0][SATURATION]
    assert values == {"pool_size": 16, "compare": [], "n_components": 200, "data.n_samples": 30}
    np.testing.assert_allclose([*zoomed["x"], *zoomed["y"]], page.evaluate("rf.range('saturation')"), atol=1e-3)

    tab(dialog, "Python")
    script = saved(page, dialog, "Script (.py)").decode()
    compile(script, "script.py", "exec")
    assert "pool_size=16" in script and "n_samples=30" in script
    assert json.loads(saved(page, dialog, "Notebook (.ipynb)"))["nbformat"] == 4

    tab(dialog, "Picture")
    picture = Image.open(io.BytesIO(saved(page, dialog, "PNG")))
    assert picture.width > 1000 and len(picture.convert("RGB").resize((100, 100)).getcolors(10_000)) > 20
    assert saved(page, dialog, "SVG").lstrip().startswith(b"<svg")
    (tmp_path / "chart.html").write_bytes(saved(page, dialog, "Interactive (HTML)"))

    tab(dialog, "Numbers")
    table = pd.read_csv(io.BytesIO(saved(page, dialog, "CSV")))
    assert table["map"].tolist() == ["q = 16"]
    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(saved(page, dialog, "Parquet"))), table, check_dtype=False)

    tab(dialog, "Features")
    held = np.load(io.BytesIO(saved(page, dialog, "All rows (NPZ, 24.0 kB)")), allow_pickle=False)["Phi"]
    assert held.shape == (30, 200) and np.isfinite(held).all()
    feature_map = from_json(saved(page, dialog, "Map (JSON)").decode())
    assert (feature_map.pool_size, feature_map.n_components, feature_map.n_features_in_) == (16, 200, 2)

    offline = visit.browser.new_context(offline=True).new_page()
    offline.goto(f"file://{tmp_path}/chart.html")
    offline.wait_for_selector(".js-plotly-plot .main-svg")
    drawn = offline.evaluate("document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range")
    assert drawn == pytest.approx(zoomed["x"])
    offline.context.close()


def test_the_settings_run_without_a_browser_and_a_report_opens_offline(app, visit, tmp_path, capsys):
    page = visit(app, OTHER)
    wait_for_chart(page, SATURATION)
    # The very file that the page gives, run by the command, gives the page's numbers.
    dialog = opened(page)
    (tmp_path / "settings.json").write_bytes(saved(page, dialog, "Settings (JSON)"))
    tab(dialog, "Numbers")
    table = pd.read_csv(io.BytesIO(saved(page, dialog, "CSV")))
    assert cli.main(["run", str(tmp_path / "settings.json"), "--out", str(tmp_path), "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "saturation.csv"), table, rtol=1e-5)
    dialog.get_by_role("button", name="Close", exact=True).click()
    dialog.wait_for(state="detached")
    # The report holds the pages visited.
    page.get_by_role("link", name="Maxout-PCA").click()
    wait_for_chart(page, EMBEDDING)
    dialog = opened(page)
    tab(dialog, "Report")
    (tmp_path / "report.html").write_bytes(saved(page, dialog, "Report (HTML)"))
    offline = visit.browser.new_context(offline=True).new_page()
    problems = []
    offline.on("pageerror", lambda error: problems.append(str(error)))
    offline.goto(f"file://{tmp_path}/report.html")
    offline.wait_for_function("document.querySelectorAll('.js-plotly-plot .main-svg').length >= 4")
    assert offline.locator("h2").all_text_contents() == ["Distance saturation", "Maxout-PCA"]
    assert "q = 16" in offline.locator("#distance-saturation").text_content()
    assert not problems
    offline.context.close()
