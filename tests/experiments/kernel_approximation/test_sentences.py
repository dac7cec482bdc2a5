"""What kernel approximation says is what its charts draw, in the unit in which they draw it."""

import numpy as np
import pytest

from tests.lab.sentences import About, Sentence, drawn, page_at, seeds

TITLES = {"rmse": "RMSE", "mae": "MAE", "maximum": "maximum error", "correlation": "correlation"}
MAPS = [["RandomFourier"], ["RandomMaxout", "RandomFourier"], ["RandomMaxout", "SharedPoolMaxout"], ["RandomReLU"]]


def settings(seed):
    rng = np.random.default_rng(seed)
    values = {
        "data": str(rng.choice(["sphere", "digits"])),
        "points": 16,
        "m_max": 200,
        "draws": int(rng.choice([1, 2, 5])),
        "m": int(rng.choice([12, 38, 64])),
        "metric": ["rmse", "rmse", "mae", "maximum", "correlation"][seed % 5],
        "relative": bool(rng.integers(2)),
        "maps": MAPS[seed % 4],
        "odd": False,
    }
    return values | ({"n_projections": int(rng.choice([40, 400])), "pool_size": 4} if seed % 4 == 2 else {})


def at_m(figure, name, m):
    """Return the value of a curve, by its whole name, at m."""
    (one,) = [t for t in figure.data if t.name == name]
    return np.asarray(one.y, float)[np.asarray(one.x) == m][0]


@pytest.mark.parametrize("seed", seeds(20))
def test_every_number_of_the_sentence_is_drawn(seed):
    values = settings(seed)
    values["m"] = near(values)
    found = page_at("kernel-approximation", values)
    main, said, m = found.charts[0].figure, Sentence(found.charts[0].words), values["m"]
    metric, relative = values["metric"], values["relative"] and values["metric"] != "correlation"
    assert main.layout.yaxis.title.text == TITLES[metric] + ", % of mean k(x, x)" * relative
    assert (main.layout.yaxis.tickformat or "").endswith("%") == relative
    labels = [t.name for t in main.data if t.mode == "lines+markers"]
    said.says(f"With {{}} features the {TITLES[metric]} is", m)
    scale, unit = (100, "%") if relative else (1, "")
    for label in labels:
        of = " of mean k(x, x)" * (relative and label == labels[0])
        phrase = f"{{}}{unit}{of} for {label.replace('4', '{}')}"
        numbers = [scale * at_m(main, label, m)] + [4] * ("4" in label)
        word = {"rmse": "theory", "mae": "if normal"}.get(metric)
        if word and any(t.name == f"{label}: {word}" for t in main.data):
            phrase = f"{phrase} ({word}: {{}}{unit})"
            numbers.append(scale * at_m(main, f"{label}: {word}", m))
            assert sum(bool(t.showlegend) for t in main.data if t.legendgroup == word) == 1
        said.says(phrase, *numbers)
    if "off the theory" in said:
        said.says(f"go together and {{}} draw{'s are' if values['draws'] > 1 else ' is'} few", values["draws"])
    said.says("All {} pairs of {} points", 120, 16)
    if values["draws"] > 1:
        said.says(" and {} draws;", values["draws"])
    clouds = [chart.frame for chart in found.charts if chart.name.startswith("cloud")]
    outside = max(1 - cloud["pairs"].sum() / (120 * values["draws"]) for cloud in clouds)
    if outside >= 0.005:
        said.says("Up to {}% of the pairs are outside the axes of a cloud", 100 * outside)
    if values["maps"][-1] == "SharedPoolMaxout" and metric == "rmse":
        pool_story(said, main, labels, values, " ÷ mean k(x, x)" * relative)
    said.skips(", q = 4")
    said.says_nothing_else()


def near(values):
    """Return the number of the page's grid next to one."""
    grid = page_at("kernel-approximation", {k: v for k, v in values.items() if k != "m"}).settings.grid
    return min(grid, key=lambda m: abs(m - values["m"]))


def pool_story(said, figure, labels, values, per):
    """Hold what is said of the shared pool against the exact curves, of mean squares a + b/m and b/m."""
    (x, alone), (_, shared) = (drawn(figure, f"{label}: theory") for label in labels)
    n, m = values["n_projections"], x[-1]
    said.says("{} projections make {} independent feature", n, n // 4)
    said.says(
        f"with an exact RMSE{per} of {{}}. Shared, they make {{}} features with {{}}",
        alone[-1] * np.sqrt(m / (n // 4)),
        m,
        shared[-1],
    )
    _, floor = np.polyfit(1 / x, shared**2, 1)
    said.says("do not fall below {}", About(np.sqrt(max(floor, 0)), 2e-3 * shared[-1]))
    said.says("{} independent features reach {}, but take {} projections", m, alone[-1], 4 * m)


@pytest.mark.parametrize("relative", [True, False])
def test_numbers_and_script_are_in_the_unit_of_the_chart(relative):
    """Of maxout, whose k(x, x) is 1.55: chart, table and script agree, and their names say the unit."""
    values = {
        "data": "sphere",
        "points": 16,
        "m_max": 100,
        "draws": 2,
        "maps": ["RandomMaxout"],
        "relative": relative,
    }
    found = page_at("kernel-approximation", values)
    chart, per = found.charts[0], " ÷ mean k(x, x)" * relative
    (curve,) = [t for t in chart.figure.data if t.mode == "lines+markers"]
    np.testing.assert_allclose(chart.frame[f"RMSE{per}"], curve.y)
    assert not any(name.endswith("RMSE") for name in chart.frame) or not relative
    (spread,) = [t for t in found.charts[-1].figure.data if t.name.endswith(": spread")]
    np.testing.assert_allclose(found.charts[-1].frame[f"spread{per}"], spread.y)
    other = page_at("kernel-approximation", values | {"relative": not relative}).charts[0].frame
    ratio = chart.frame[f"RMSE{per}"] / other[f"RMSE{' ÷ mean k(x, x)' * (not relative)}"]
    assert np.allclose(ratio, ratio.iloc[0]) and not np.isclose(ratio.iloc[0], 1.0)
    names = {}
    exec(found.page.script(found.source, found.settings).replace("result.figure(name).show()", "pass"), names)
    np.testing.assert_allclose(names["frames"]["kernel-error"][f"RMSE{per}"], curve.y)
