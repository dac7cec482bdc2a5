"""Declared parameters: every rule in words, validation, clamping and the stops of a slider."""

import inspect
import itertools
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from rfviz.errors import ParameterError
from rfviz.features import registry
from rfviz.params import Declared, Param, defaults, parameter, validate

COUNT = Param("m", 100, "int", low=1, high=2_000_000)
EVEN = Param("pairs", 10, "int", low=3, high=101, step=2)
WIDTH = Param("gamma", "scale", "float", low=0.0, open_low=True, high=50, choices=("scale",))
SHARE = Param("share", 0.5, "float", low=0.0, high=1.0)
FLAG = Param("paired", True, "bool")
KIND = Param("dtype", "float32", "choice", choices=("float32", "float64"))
FREE = Param("shift", 0.0, "float")
SIDES = Param("sides", None, "range", low=1, high=28)
SPAN = Param("span", (2, 3), "range", low=1, high=9)

RULES = [
    (COUNT, "must be an integer from 1 to 2,000,000"),
    (EVEN, "must be an even integer from 3 to 101"),
    (WIDTH, "must be a finite number greater than 0 and at most 50 or 'scale'"),
    (SHARE, "must be a finite number from 0 to 1"),
    (FLAG, "must be True or False"),
    (KIND, "must be one of 'float32', 'float64'"),
    (FREE, "must be a finite number"),
    (SIDES, "must be None or a pair (low, high) of integers with 1 ≤ low ≤ high ≤ 28"),
    (SPAN, "must be a pair (low, high) of integers with 1 ≤ low ≤ high ≤ 9"),
    (Param("a", 1, "int", low=1), "must be an integer of at least 1"),
    (Param("a", 1, "int", high=9), "must be an integer of at most 9"),
    (Param("a", 3, "int", low=3, step=3), "must be a multiple of 3 of at least 3"),
    (Param("a", 1.0, "float", low=0, open_low=True), "must be a finite number greater than 0"),
]


@pytest.mark.parametrize(("param", "rule"), RULES, ids=[rule for _, rule in RULES])
def test_rule_in_words(param, rule):
    assert param.rule == rule
    assert param.remedy == f"Try {param.name}={param.default!r}."


GOOD = [
    (COUNT, 1, 1),
    (COUNT, 2_000_000, 2_000_000),
    (COUNT, np.int8(5), 5),
    (EVEN, np.uint64(4), 4),
    (WIDTH, 50, 50.0),
    (WIDTH, 1e-300, 1e-300),
    (WIDTH, "scale", "scale"),
    (WIDTH, np.float32(0.5), 0.5),
    (WIDTH, Fraction(1, 4), 0.25),
    (SHARE, 0, 0.0),
    (SHARE, 1, 1.0),
    (FLAG, False, False),
    (FLAG, np.True_, True),
    (KIND, "float64", "float64"),
    (KIND, np.str_("float64"), "float64"),
    (FREE, -1e300, -1e300),
    (SIDES, None, None),
    (SIDES, [1, 28], (1, 28)),
    (SIDES, (np.int64(8), 8), (8, 8)),
    (SPAN, (1, 9), (1, 9)),
]
BAD = [
    (COUNT, 0),
    (COUNT, 2_000_001),
    (COUNT, 1.0),
    (COUNT, True),
    (COUNT, "1"),
    (COUNT, None),
    (COUNT, np.float64(3)),
    (COUNT, np.True_),
    (COUNT, 10**400),
    (COUNT, [1]),
    (COUNT, np.array([1])),
    (EVEN, 5),
    (EVEN, 2),
    (EVEN, 102),
    (WIDTH, 0),
    (WIDTH, 0.0),
    (WIDTH, -1),
    (WIDTH, 50.1),
    (WIDTH, math.nan),
    (WIDTH, math.inf),
    (WIDTH, "auto"),
    (WIDTH, True),
    (WIDTH, 1j),
    (WIDTH, Decimal(1)),
    (WIDTH, 10**400),
    (WIDTH, ""),
    (SHARE, -1e-9),
    (SHARE, 1.0001),
    (FLAG, 1),
    (FLAG, 0),
    (FLAG, "True"),
    (FLAG, None),
    (KIND, "float16"),
    (KIND, np.float32),
    (KIND, 32),
    (FREE, "x"),
    (SIDES, (0, 5)),
    (SIDES, (5, 4)),
    (SIDES, (1, 29)),
    (SIDES, 4),
    (SIDES, (1, 2, 3)),
    (SIDES, (1.0, 2)),
    (SIDES, "1,2"),
    (SIDES, (True, 2)),
    (SPAN, None),
    (SPAN, []),
]


@pytest.mark.parametrize(("param", "value", "expected"), GOOD)
def test_good_values(param, value, expected):
    result = param.validate(value)
    assert result == expected and type(result) in (int, float, bool, str, np.str_, tuple, type(None))
    assert param.clamp(value) == expected


@pytest.mark.parametrize(("param", "value"), BAD, ids=lambda value: str(value)[:20])
def test_bad_values(param, value):
    with pytest.raises(ParameterError) as caught:
        param.validate(value)
    error, message = caught.value, str(caught.value)
    assert (error.name, error.rule, error.remedy) == (param.name, param.rule, param.remedy)
    assert message.startswith(f"{param.name} {param.rule}; got ") and message.endswith(f". {param.remedy}")
    assert len(message) < 250
    param.validate(param.clamp(value))  # never raises, always legal


def test_error_survives_pickling():
    error = ParameterError("m", "must be small", 10, "Try 1.")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) and copy.value == 10


CLAMPED = [
    (COUNT, 0, 1),
    (COUNT, -5.7, 1),
    (COUNT, 1e9, 2_000_000),
    (COUNT, 7.4, 7),
    (COUNT, "7", 100),
    (COUNT, None, 100),
    (COUNT, math.inf, 100),
    (EVEN, 1, 4),
    (EVEN, 1000, 100),
    (EVEN, 7.1, 8),
    (EVEN, 103, 100),
    (WIDTH, 1e9, 50.0),
    (WIDTH, -1, "scale"),
    (WIDTH, "auto", "scale"),
    (SHARE, 2, 1.0),
    (SHARE, -2, 0.0),
    (FLAG, "no", True),
    (KIND, "float16", "float32"),
    (FREE, 1e308, 1e308),
    (Param("a", 1, "int"), 2.6, 3),
]


@pytest.mark.parametrize(("param", "value", "expected"), CLAMPED)
def test_clamp(param, value, expected):
    assert param.clamp(value) == expected


@pytest.mark.parametrize("high", range(100, 106))
def test_clamp_reaches_the_last_multiple(high):
    assert Param("a", 4, "int", low=1, high=high, step=4).clamp(10**6) == high // 4 * 4


def test_stops():
    count = Param("m", 1000, "int", low=1, high=10**7, ui_low=10, ui_high=20_000, log=True)
    stops = count.stops()
    assert stops[:11] == [10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100] and stops[-1] == 20_000
    assert stops == sorted(set(stops)) and 1000 in stops
    assert all(type(stop) is int and count.validate(stop) == stop for stop in stops)
    assert all(stop % 2 == 0 for stop in stops)
    assert max(after / before for before, after in itertools.pairwise(stops)) < 1.5


def test_stops_of_a_float():
    width = Param("gamma", "scale", "float", low=0, choices=("scale",), ui_low=0.01, ui_high=10, log=True)
    stops = width.stops()
    assert stops[0] == 0.01 and stops[-1] == 10.0 and 0.3 in stops
    assert all(type(stop) is float for stop in stops)


def test_stops_hold_an_odd_default_small_integers_and_the_end():
    stops = Param("q", 7, "int", low=1, high=32, log=True).stops()
    assert stops == [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 30, 32]
    with pytest.raises(ValueError, match="q needs positive bounds"):
        Param("q", 7, "int", low=0, high=32, log=True).stops()
    with pytest.raises(ValueError, match="shift needs bounds"):
        FREE.stops()


def test_sets_of_values():
    params = (COUNT, FLAG)
    assert defaults(params) == {"m": 100, "paired": True}
    assert validate(params, {"m": np.int64(3)}) == {"m": 3, "paired": True}
    with pytest.raises(ParameterError, match="paired must be True or False; got 1"):
        validate(params, {"paired": 1})
    with pytest.raises(ParameterError, match=r"q must be the name of a parameter; got 'q'.*ters: m, paired\."):
        validate(params, {"q": 1})


def test_a_parameter_that_has_no_effect_beside_others():
    smoothness = Param("nu", 1.5, "float", low=0.1, when=("kernel", ("matern", "rough")))
    assert smoothness.applies({"kernel": "matern"}) and smoothness.applies({"kernel": "rough", "m": 1})
    assert not smoothness.applies({"kernel": "gaussian"})
    assert smoothness.applies({})  # nothing is known of the other
    assert COUNT.applies({"kernel": "gaussian"})


def test_conditions_and_titles_of_all_schemes_name_what_there_is():
    for scheme in registry().values():
        before = {}
        for param in scheme.params:
            if param.when:
                assert set(param.when[1]) <= set(before[param.when[0]].choices)
            assert len(param.titles) in (0, len(param.choices))
            before[param.name] = param


class Base(Declared, BaseEstimator):
    size: int = parameter(default=10, kind="int", kw_only=False, low=1, label="Size")
    seed: Any = 0
    kind: str = parameter(default="a", kind="choice", choices=("a", "b"))


class Scaled(Base):
    name = "a fact"
    limit: ClassVar[float] = 2.0
    learnt_: float
    factor: float = parameter(default=1.0, kind="float", low=0.0)
    shape: Any = None


class Large(Scaled):
    limit: float = 3.0  # a fact, as above
    size: int = parameter(default=99, kind="int", kw_only=False, low=50)


class Written(Base):
    def __init__(self, size=1):
        self.size = size


def test_a_constructor_follows_from_what_is_declared():
    def written(size: int = 10, *, factor: float = 1.0, shape: Any = None, seed: Any = 0, kind: str = "a"):
        pass

    assert inspect.signature(Scaled) == inspect.signature(written)
    assert vars(Scaled(3, factor=2.0)) == {"size": 3, "factor": 2.0, "shape": None, "seed": 0, "kind": "a"}
    assert [(p.name, p.default, p.low) for p in Scaled.params] == [
        ("size", 10, 1),
        ("kind", "a", None),
        ("factor", 1.0, 0),
    ]
    assert Scaled.param("kind").choices == ("a", "b")


def test_a_declaration_takes_the_place_of_an_inherited_one():
    assert Large().size == 99 and Large.limit == 3.0 and Large.param("size").low == 50 and Base().size == 10
    assert list(inspect.signature(Large).parameters) == list(inspect.signature(Scaled).parameters)


def test_a_constructor_of_ones_own_is_kept():
    assert vars(Written()) == {"size": 1} and Written.params == Base.params


def test_declared_classes_are_scikit_learns():
    one = Scaled(3, seed=[1])
    for copy in (clone(one), pickle.loads(pickle.dumps(one))):
        assert copy.get_params() == one.get_params() and type(copy) is Scaled
    assert one.seed is one.get_params()["seed"]  # as it was given, and not a copy
    assert one.set_params(factor=5).factor == 5 and repr(one) == "Scaled(factor=5, seed=[1], size=3)"


@pytest.mark.parametrize("call", [lambda: Scaled(1, 2.0), lambda: Scaled(facto=1.0), lambda: Scaled(1, size=1)])
def test_wrong_arguments_are_refused(call):
    with pytest.raises(TypeError, match=r"^Scaled\(\) "):
        call()


@pytest.mark.parametrize(("symbol", "sign"), [("q", "q"), (r"\gamma", "γ"), (r"\nu", "ν"), ("", "")])
def test_symbols_in_plain_text(symbol, sign):
    assert Param("a", 1, "int", symbol=symbol).sign == sign
