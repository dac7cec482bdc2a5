"""Codes for missing values, slips, placeholder dates and totals: told where they are, and not in ordinary columns."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from rfviz.datasets.files.upload import upload_of_frame
from rfviz.inspection.ends import far_off, stand_apart
from rfviz.inspection.inspection import Inspection

N = 2000


def draw(seed):
    return np.random.default_rng(seed)


def odd(column, **others):
    """Return the finding on odd values of a column, next to ordinary ones."""
    frame = pd.DataFrame({"v": column, "w": draw(99).normal(size=len(column))} | others)
    upload = upload_of_frame(frame)
    return Inspection(upload.prepare(upload.suggestion.replace({"label": None}))).finding("values")


def every(step, value, column):
    column = np.array(column, dtype=float)
    column[::step] = value
    return column


# --- codes ------------------------------------------------------------------------------------------------------------

CODES = {
    "−1 among distances": (-1, lambda g: g.integers(0, 90_000, N)),
    "−1 among days of a month": (-1, lambda g: g.integers(2, 32, N)),
    "−0.99 among shares": (-0.99, lambda g: g.uniform(0.06, 0.6, N)),
    "−200 among hundreds": (-200, lambda g: g.normal(1000, 220, N)),
    "−200 among temperatures": (-200, lambda g: g.normal(18, 9, N).round(1)),
    "−9.99 among deviations": (-9.99, lambda g: g.gamma(4, 0.1, N).round(2)),
    "99 among ages": (99, lambda g: g.normal(45, 15, N).clip(18, 89).round()),
    "999 among weights": (999, lambda g: g.normal(80, 12, N).round(1)),
    "0 among pressures": (0, lambda g: g.normal(72, 12, N).round().clip(24, 122)),
    "0 among lengths": (0, lambda g: g.normal(5.7, 1.1, N).clip(3.7, 10.7).round(2)),
    "9 on a scale": (9, lambda g: g.integers(1, 6, N)),
    "99 on a scale": (99, lambda g: g.integers(0, 4, N)),
}


@pytest.mark.parametrize("case", CODES.values(), ids=CODES)
def test_a_code_for_a_missing_value_is_told_with_its_rows(case):
    value, others = case
    column = every(40, value, others(draw(1)))
    found = odd(column)
    (claim,) = found.claims.of("codes")
    rest = column[column != value]
    assert claim.value == (value,) and claim.columns == ("v",)
    assert claim.of == {"low": rest.min(), "high": rest.max()}
    assert claim.rows.tolist() == list(range(0, N, 40)) == (found.rows - 1).tolist()
    assert "in 50 rows (1, 41, 81, …), while all others lie from " in found.text
    assert found.status == ("warning" if value else "look")  # 0 may be none of it
    assert "Empty these cells if what they hold stands for a missing value." in found.text


def test_refusals_and_unknowns_are_told_together():
    column = draw(2).normal(40, 12, N).clip(18, 80).round()
    column[::50], column[1::50] = 98, 99
    (claim,) = odd(column).claims.of("codes")
    assert claim.value == (98, 99) and len(claim.rows) == 80


def test_codes_of_whole_numbers_are_found_in_many_rows():
    column = every(50, -1, draw(3).integers(0, 10**6, 60_000))
    (claim,) = odd(column).claims.of("codes")
    assert claim.value == (-1,) and len(claim.rows) == 1200


def standard(values):
    return (values - values.mean()) / values.std()


# Laws of columns that hold no code and no slip.
HONEST = {
    "normal": lambda g, n: g.normal(size=n),
    "rounded": lambda g, n: g.normal(18, 9, n).round(1),
    "temperatures about 0": lambda g, n: g.normal(6, 2.2, n).round(),
    "uniform": lambda g, n: g.integers(0, 30, n),
    "differences": lambda g, n: np.diff(g.normal(size=n + 1).cumsum()).round(1),
    "lags": lambda g, n: g.poisson(4, n) - g.poisson(2, n),
    "lags from −1 on": lambda g, n: np.maximum(g.poisson(5, n) - g.poisson(1, n), -1),
    "counts": lambda g, n: g.poisson(5, n),
    "mostly the least": lambda g, n: np.where(g.random(n) < 0.6, 1000, g.normal(1500, 200, n).clip(1001).round()),
    "days before and after": lambda g, n: np.where(g.random(n) < 0.2, -g.integers(1, 4, n), g.integers(70, 200, n)),
    "logarithms of counts": lambda g, n: np.log(g.poisson(3, n) + 1).round(6),
    "counts far from 0": lambda g, n: g.poisson(30, n),
    "counts, standardised": lambda g, n: standard(1.0 * g.poisson(2, n)),
    "mostly zeros, standardised": lambda g, n: standard(np.where(g.random(n) < 0.7, 0, g.normal(5, 1, n).clip(1))),
    "rain": lambda g, n: np.where(g.random(n) < 0.6, 0, g.gamma(0.7, 6, n)).round(1),
    "money, or none": lambda g, n: np.where(g.random(n) < 0.2, 0, g.lognormal(6, 0.8, n)).round(2),
    "gifts": lambda g, n: g.choice([1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000], n, p=np.arange(11, 0, -1) / 66),
    "prices": lambda g, n: 10 * g.lognormal(2, 1, n).round() + 9,
    "incomes": lambda g, n: g.lognormal(10, 1, n).round(),
    "exponential": lambda g, n: g.exponential(size=n),
    "wealth": lambda g, n: 1 + g.pareto(1, n),
    "returns": lambda g, n: (0.01 * g.standard_t(3, n)).round(4),
    "Cauchy": lambda g, n: g.standard_cauchy(n),
    "months": lambda g, n: g.integers(0, 60, n),
    "years": lambda g, n: 2020 - g.exponential(15, n).round(),
    "ages up to 90": lambda g, n: g.normal(50, 18, n).clip(18, 90).round(),
    "per cent": lambda g, n: g.normal(80, 15, n).clip(0, 100).round(1),
    "answers": lambda g, n: g.integers(1, 6, n),
    "signs": lambda g, n: g.choice([-1, 0, 1], n),
    "tick boxes": lambda g, n: g.integers(0, 2, n),
    "small counts": lambda g, n: g.poisson(0.4, n),
}  # fmt: skip


@pytest.mark.parametrize("law", HONEST.values(), ids=HONEST)
def test_ordinary_columns_have_no_codes_and_no_slips(law):
    g, rate = draw(4), 0.005
    n_told = sum(bool(stand_apart(np.asarray(law(g, n), dtype=float), rate)) for n in (100, 700) for _ in range(60))
    assert n_told <= binom.isf(1e-4, 120, rate)


@pytest.mark.parametrize(
    "law", [lambda g: g.exponential(size=400), lambda g: 1 + g.pareto(1.5, 400)], ids=["exponential", "Pareto"]
)
def test_tails_of_which_theory_speaks_give_no_more_false_alarms_than_are_said(law):
    g, rate = draw(5), 0.1
    n_told = sum(bool(stand_apart(law(g), rate)) for _ in range(300))
    assert n_told <= binom.isf(1e-4, 300, rate)


# --- slips ------------------------------------------------------------------------------------------------------------

SLIPS = {
    "58.9 and 31.8 among 3 to 10": ((31.8, 58.9), lambda g: g.normal(5.7, 1.1, N).clip(3, 10)),
    "2207 among years": ((2207,), lambda g: g.integers(1895, 2011, N)),
    "1.13 among heights": ((1.13,), lambda g: g.normal(0.14, 0.03, N).clip(0.01).round(3)),
    "a million among normal numbers": ((1e6,), lambda g: g.normal(size=N)),
    "−40 among ages": ((-40,), lambda g: g.integers(18, 70, N)),
}


@pytest.mark.parametrize("case", SLIPS.values(), ids=SLIPS)
def test_slips_are_told_with_their_rows(case):
    values, others = case
    column = np.array(others(draw(6)), dtype=float)
    column[7 : 7 + len(values)] = values
    found = odd(column)
    (claim,) = found.claims.of("far values")
    assert claim.value == values and claim.rows.tolist() == list(range(7, 7 + len(values)))
    assert "Look up the rows with values far off, which are often slips." in found.text
    assert np.flatnonzero(far_off(column)).tolist() == claim.rows.tolist()


def test_years_are_written_without_a_comma():
    column = np.r_[draw(7).integers(1895, 2011, N - 1), 2207]
    assert "“v” is 2207 in 1 row (2000), while all others lie from 1895 to 2010." in odd(column).text


def test_a_code_does_not_hide_a_slip_nor_a_slip_a_code():
    column = every(50, 0, draw(8).normal(5.7, 1.1, N).clip(3.7, 10))
    column[1] = 58.9
    claims = odd(column).claims
    assert claims.value("codes") == (0,) and claims.value("far values") == (58.9,)


def test_a_number_that_names_something_is_no_slip():
    column = np.r_[draw(9).choice(10**6, N - 1, replace=False), 10**9].astype(float)
    assert "far values" in {claim.what for claim in odd(column).claims}
    found = odd(draw(10).normal(size=N), user_id=column)
    assert not found.claims.of("far values")


# --- dates ------------------------------------------------------------------------------------------------------------


def days(first, n=600, step="D"):
    return pd.Series(pd.date_range(first, periods=n, freq=step).astype("datetime64[us]"))


@pytest.mark.parametrize("day", ["1899-12-30", "1900-01-01", "1970-01-01", "9999-12-31", "2089-03-05"])
def test_a_repeated_day_far_from_all_others_is_told(day):
    column = days("2021-01-01", step="h")
    column[::20] = np.datetime64(day, "us")
    found = odd(column)
    said = (
        f"“v” is {day} in 30 rows (1, 21, 41, …), while all others lie from 2021-01-01 01:00:00 to 2021-01-25 23:00:00"
    )
    assert said in found.text and found.rows.tolist() == list(range(1, 600, 20))


def test_a_single_day_far_from_all_others_is_told():
    column = days("2015-01-01")
    column[3] = np.datetime64("1907-05-02", "us")
    assert "“v” is 1907-05-02 in 1 row (4), while all others lie from 2015-01-01 to 2016-08-22." in odd(column).text


@pytest.mark.parametrize(
    "column",
    [
        days("1970-01-01", 2000),
        days("1970-01-01", 12, "YS").repeat(50).reset_index(drop=True),
        pd.Series(np.datetime64("2020-06-01", "s") - draw(11).exponential(3e7, N).astype("timedelta64[s]")),
        pd.Series(np.datetime64("2020-01-01") + draw(12).integers(0, 900, N)),
    ],
    ids=["from 1970 on", "by year", "more and more", "uniform"],
)
def test_ordinary_dates_are_left_alone(column):
    assert odd(column.astype("datetime64[us]")).status == "fine"


# --- cells and labels -------------------------------------------------------------------------------------------------


def test_cells_that_are_no_numbers_or_days_are_told_with_their_rows():
    column = draw(13).normal(size=300).round(3).astype(str)
    column[[4, 17]] = "***"
    found = odd(column)
    said = "“v” has 2 cells that are no numbers (such as '***') and count as missing, in rows 5, 18."
    assert said in found.text and found.rows.tolist() == [5, 18]
    written = pd.Series(days("2020-01-01", 300).dt.strftime("%d.%m.%Y"))
    written[7] = "soon"
    assert odd(written).rows.tolist() == [8]


def test_words_that_may_stand_for_a_gap_are_told_with_their_rows():
    column = draw(14).choice(["Minor", "Major", "None"], 300)
    found = odd(column)
    (claim,) = found.claims.of("odd cells")
    assert claim.of["words"] == ("None",) and claim.rows.tolist() == np.flatnonzero(column == "None").tolist()


def test_rows_without_a_label_are_those_of_the_finding_on_missing_values():
    frame = pd.DataFrame({"x": draw(15).normal(size=200), "y": draw(16).choice(["a", "b"], 200)})
    frame.loc[[3, 80], "y"] = None
    for gaps in ([], [9]):
        frame.loc[gaps, "x"] = np.nan
        upload = upload_of_frame(frame)
        found = Inspection(upload.prepare(upload.suggestion.replace({"label": "y"}))).finding("missing")
        assert "2 rows of 200 lack a label" in found.text and "y" in found.columns
        assert (found.rows - 1).tolist() == sorted([3, 80, *gaps])


# --- totals -----------------------------------------------------------------------------------------------------------


def states(n=40):
    g = draw(17)
    names = [f"state {i}" for i in range(n)]
    return pd.DataFrame(
        {"v": names, "people": g.integers(10, 5000, n), "part": g.random(n).round(3), "rate": g.random(n)}
    )


def sums(frame, word):
    return pd.DataFrame([[word, frame.people.sum(), frame.part.sum(), frame.rate.mean()]], columns=frame.columns)


def told(frame):
    return odd(frame["v"].to_numpy(), **{name: frame[name].to_numpy() for name in frame.columns[1:]})


@pytest.mark.parametrize("word", ["Total", "Sum", "All", "GRAND TOTAL", "Total, all states:"])
def test_a_row_of_sums_is_told_by_its_word_and_by_arithmetic(word):
    frame = states()
    for place, whole in ((41, [frame, sums(frame, word)]), (1, [sums(frame, word), frame])):
        found = told(pd.concat(whole, ignore_index=True))
        said = f"Row {place} with “{word}” in “v” is the sum of all other rows in “people” and “part”."
        assert said in found.text and "Leave rows that are sums out" in found.text
        assert found.rows.tolist() == [place] and not found.claims.of("far values")


def test_a_last_row_of_sums_is_told_without_a_word():
    frame = states()
    found = told(pd.concat([frame, sums(frame, "")], ignore_index=True))
    assert "Row 41 is the sum of all other rows in “people” and “part”." in found.text


def test_a_word_alone_makes_no_row_of_sums():
    frame = states()
    mean = pd.DataFrame([["Total", 2505, 0.5, 0.4]], columns=frame.columns)
    assert not told(pd.concat([frame, mean], ignore_index=True)).claims.of("total rows")
    g = draw(18)
    assert odd(g.choice(["All", "some", "few"], 300), k=g.integers(0, 9, 300)).status == "fine"


def test_sums_of_parts_and_of_the_whole_are_told_apart():
    frame = states(30)
    parts = [part for i in range(0, 30, 6) for part in (frame[i : i + 6], sums(frame[i : i + 6], "Subtotal"))]
    found = told(pd.concat([*parts, sums(frame, "Grand total")], ignore_index=True))
    said = "5 rows with “Subtotal” in “v” (7, 14, 21, …) are sums of the rows above them in “people” and “part”."
    assert said in found.text and found.rows.tolist() == [7, 14, 21, 28, 35, 36]
    assert "“Grand total” in “v” is the sum of all rows that are not totals in “people” and “part”." in found.text


def test_sums_of_groups_are_told_wherever_they_stand():
    g = draw(19)
    frame = pd.DataFrame([(y, s, g.integers(5, 900)) for y in range(2000, 2012) for s in ("men", "women")])
    whole = frame.groupby(0, as_index=False)[2].sum().assign(**{"1": "both"}).rename(columns={"1": 1})[[0, 1, 2]]
    for word, is_told in (("All", True), ("both", False)):
        rows = pd.concat([frame, whole.replace("both", word)], ignore_index=True).sample(frac=1, random_state=0)
        found = odd(rows[1].to_numpy(), year=rows[0].to_numpy(), n=rows[2].to_numpy())
        assert ("are sums of the rows with the same “year” in “n”." in found.text) == is_told
