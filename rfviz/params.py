"""Parameters declared once: the declaration validates, words the error and draws the slider.

A feature map or a data set lists its :class:`Param` objects; :func:`validate` checks a whole set of values against them
and every user interface reads the same bounds, defaults and help from them, so that they can never disagree. The
constructor of a class that is :class:`Declared` follows from them too.
"""

from __future__ import annotations

import inspect
import math
import numbers
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, ClassVar, ForwardRef, Literal, TypeGuard, dataclass_transform, get_type_hints

from rfviz.errors import ParameterError
from rfviz.expressions import ExpressionError
from rfviz.formula import parse_formula

__all__ = ["Declared", "Param", "annotation_of", "defaults", "parameter", "validate"]

Kind = Literal["int", "float", "bool", "choice", "range", "formula"]

# Mantissas of the values that a logarithmic slider stops at. All are even, so that features that come in pairs
# (cos, sin) divide them.
_STOPS = (10, 12, 16, 20, 24, 30, 40, 50, 60, 80)


@dataclass(frozen=True)
class Param:
    """One parameter of a feature map, a data set or an analysis.

    Parameters
    ----------
    name : str
        The keyword argument it stands for.
    default : int, float, bool, str, tuple or None
        Value when nothing is said.
    kind : {"int", "float", "bool", "choice", "range", "formula"}
        Type of the value; a ``range`` is a pair of integers, the smaller first, or None if that is the default; a
        ``formula`` is a text for :func:`rfviz.formula.parse_formula`.
    low, high : float, optional
        Inclusive bounds of an ``int`` or ``float``, or of both ends of a ``range``; of a ``formula``, `low` is the
        smallest x that it must have a value at.
    open_low : bool
        Whether `low` itself is excluded (``gamma > 0``).
    step : int
        For an ``int``: the value must be a multiple of it.
    log : bool
        Whether a slider should move through orders of magnitude.
    choices : tuple of str
        The values of a ``choice``; for a ``float``, words allowed as well as numbers (``"scale"``).
    ui_low, ui_high : float, optional
        Narrower bounds for a slider, where all that is legal would make it useless.
    marks : tuple of float
        Where a slider stops, where that should not be a general grid.
    symbol : str
        LaTeX of the quantity, without dollars: ``"m"``.
    label : str
        The text next to the control.
    help : str
        One or two sentences: what it does and what to expect when it grows.
    titles : tuple of str
        The text shown for each of the `choices`.
    when : (str, tuple), optional
        Another parameter, declared before, and its values with which this one has an effect.
    compared : tuple
        Values that a chart offers to draw next to each other, a curve for each; empty if it offers none.
    """

    name: str
    default: Any
    kind: Kind
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    step: int = 1
    log: bool = False
    choices: tuple[str, ...] = ()
    ui_low: float | None = None
    ui_high: float | None = None
    marks: tuple[float, ...] = ()
    symbol: str = ""
    label: str = ""
    help: str = ""
    titles: tuple[str, ...] = ()
    when: tuple[str, tuple[Any, ...]] | None = None
    compared: tuple[Any, ...] = ()

    def applies(self, values: Mapping[str, Any]) -> bool:
        """Return whether the parameter has an effect given the `values` of others; if not, it needs no control."""
        return self.when is None or self.when[0] not in values or values[self.when[0]] in self.when[1]

    @property
    def rule(self) -> str:
        """Return the rule in words, to follow the parameter's name: ``"must be an integer from 1 to 1024"``."""
        if self.kind == "bool":
            return "must be True or False"
        if self.kind == "formula":
            return "must be a formula in x"
        if self.kind == "choice":
            return "must be one of " + ", ".join(map(repr, self.choices))
        if self.kind == "range":
            none = "None or " if self.default is None else ""
            return f"must be {none}a pair (low, high) of integers with {self.low:g} ≤ low ≤ high ≤ {self.high:g}"
        noun = "an integer" if self.kind == "int" else "a finite number"
        if self.step != 1:
            noun = "an even integer" if self.step == 2 else f"a multiple of {self.step}"
        low, high = (None if v is None else f"{v:g}" if abs(v) < 1e6 else f"{v:,.0f}" for v in (self.low, self.high))
        if self.open_low:
            bounds = f" greater than {low}" + (f" and at most {high}" if high else "")
        elif low and high:
            bounds = f" from {low} to {high}"
        else:
            bounds = f" of at least {low}" if low else f" of at most {high}" if high else ""
        words = "".join(f" or {c!r}" for c in self.choices)
        return f"must be {noun}{bounds}{words}"

    @property
    def sign(self) -> str:
        r"""Return the symbol in plain text: ``"γ"`` for ``r"\gamma"``."""
        name = self.symbol.removeprefix("\\")
        return name if name == self.symbol else unicodedata.lookup(f"GREEK SMALL LETTER {name}")

    @property
    def remedy(self) -> str:
        """Return a sentence that names a value that works."""
        return f"Try {self.name}={self.default!r}."

    def validate(self, value: Any) -> Any:
        """Return `value` as a plain Python object of this parameter's kind.

        Raises
        ------
        ParameterError
            With the parameter's name, its rule, the value and a remedy.
        """
        if self._accepts(value):
            return self._plain(value)
        raise ParameterError(self.name, self.rule, value, self._why_not(value) or self.remedy)

    def _why_not(self, value: Any) -> str:
        """Return the fault of a formula as a sentence, or an empty string for other parameters."""
        if self.kind != "formula" or not isinstance(value, str):
            return ""
        try:
            parse_formula(value, *(() if self.low is None else (self.low,)))
        except ExpressionError as error:
            return str(error)
        return ""

    def _accepts(self, value: Any) -> bool:
        if self.kind == "bool":
            return type(value).__name__ in ("bool", "bool_")
        if self.kind == "range":
            if value is None:
                return self.default is None
            return _is_pair(value) and value[0] <= value[1] and self._within(value[0]) and self._within(value[1])
        if self.kind == "formula":
            return isinstance(value, str) and not self._why_not(value)
        if isinstance(value, str):
            return value in self.choices
        if self.kind == "int":
            return _is_integer(value) and self._within(value) and value % self.step == 0
        return self.kind == "float" and _is_finite_number(value) and self._within(value)

    def _plain(self, value: Any) -> Any:
        if value is None or isinstance(value, str):
            return value
        if self.kind == "range":
            return int(value[0]), int(value[1])
        return {"bool": bool, "int": int, "float": float}[self.kind](value)

    def clamp(self, value: Any) -> Any:
        """Return the legal value nearest to `value`; the default where nothing is near. Never raises."""
        try:
            return self.validate(value)
        except ParameterError:
            pass
        least = -math.inf if self.low is None else self.low
        most = math.inf if self.high is None else self.high
        if self.kind == "range" and _is_pair(value):
            low, high = sorted(int(min(max(end, least), most)) for end in value)
            return low, high
        if self.kind not in ("int", "float") or not _is_finite_number(value):
            return self.default
        value = min(max(value, least), most)
        if self.kind == "int":
            multiple = round(value / self.step)
            if self.low is not None:
                multiple = max(multiple, math.ceil(least / self.step))
            if self.high is not None:
                multiple = min(multiple, math.floor(most / self.step))
            value = multiple * self.step
        try:
            return self.validate(value)
        except ParameterError:
            return self.default

    def slider_ends(self) -> tuple[float, float]:
        """Return the lowest and the highest value that a slider offers.

        Raises
        ------
        ValueError
            If nothing bounds it.
        """
        low = self.low if self.ui_low is None else self.ui_low
        high = self.high if self.ui_high is None else self.ui_high
        if low is None or high is None:
            raise ValueError(f"{self.name} needs bounds for a slider")
        return low, high

    def stops(self) -> list[int] | list[float]:
        """Return the values that a slider stops at, the default too: its marks, or logarithmic ones."""
        if self.marks:
            return sorted({*self.marks, self.default})
        low, high = self.slider_ends()
        if low <= 0:
            raise ValueError(f"{self.name} needs positive bounds for a logarithmic slider")
        convert = int if self.kind == "int" else float
        values = {convert(self.default)} if self.default not in self.choices else set()
        if convert(high) % self.step == 0 or self.kind == "float":
            values.add(convert(high))  # a slider reaches its end: all rows of a data set, however many they are
        for exponent in range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1):
            for mantissa in _STOPS:
                value = mantissa * 10.0 ** (exponent - 1)
                if self.kind == "int" and value != round(value):
                    continue
                # Through a short decimal, so that 0.3 is the number that people type.
                value = round(value) if self.kind == "int" else float(f"{value:.6g}")
                if low <= value <= high and (self.kind == "float" or value % self.step == 0):
                    values.add(value)
        return sorted(values)

    def _within(self, value: float) -> bool:
        if self.low is not None and (value <= self.low if self.open_low else value < self.low):
            return False
        return self.high is None or value <= self.high


def _is_integer(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, numbers.Integral)


def _is_finite_number(value: Any) -> bool:
    try:
        return not isinstance(value, bool) and isinstance(value, numbers.Real) and math.isfinite(value)
    except OverflowError:  # an integer that no float can hold
        return False


def _is_pair(value: Any) -> TypeGuard[Sequence[int]]:
    """Return whether `value` is a list of two integers."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_is_integer, value))


def parameter(*, default: Any, kind: Kind, kw_only: bool = True, **declaration: Any) -> Any:
    """Declare a parameter as the value of an annotated attribute of a class that is :class:`Declared`.

    Parameters
    ----------
    default, kind, **declaration
        Of a :class:`Param`; its name is that of the attribute.
    kw_only : bool
        False for the first parameter, which may be given without its name. Type checkers read it.
    """
    return Param("", default, kind, **declaration)


@dataclass_transform(kw_only_default=True, field_specifiers=(parameter,))
class Declared:
    """Base of estimators whose constructor follows from the parameters that they declare, as that of a dataclass does.

    A parameter is an annotated attribute with a value: a :func:`parameter`, a :class:`Param` or, where it is not to be
    checked or shown, just its default. The constructor stores what it is given and does nothing else, as scikit-learn
    asks. The first parameter of the base class may be given without its name and comes first; a class's own come next,
    then those of the classes that it derives from. A class with an ``__init__`` of its own keeps it. What a class
    annotates as a ``ClassVar`` is a fact of it and of those below, and no parameter.

    Attributes
    ----------
    params : tuple of Param
        The declared parameters: first those of the base class, then in the order of the constructor.

    Examples
    --------
    >>> import inspect
    >>> from rfviz.params import Declared, parameter
    >>> class Base(Declared):
    ...     size: int = parameter(default=10, kind="int", low=1, kw_only=False)
    ...     seed: int = 0
    >>> class Scaled(Base):
    ...     factor: float = parameter(default=1.0, kind="float")
    >>> print(inspect.signature(Scaled))
    (size: int = 10, *, factor: float = 1.0, seed: int = 0)
    >>> [param.name for param in Scaled.params]
    ['size', 'factor']
    """

    params: ClassVar[tuple[Param, ...]] = ()
    # What the class itself declares: of the constructor, and for all else if there is more to it than a default.
    _own: ClassVar[dict[str, tuple[inspect.Parameter, Param | None]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._own = {}
        for name, hint in inspect.get_annotations(cls).items():
            hints = (inspect.get_annotations(base).get(name) for base in cls.__mro__)
            if name not in vars(cls) or any("ClassVar" in str(hint) for hint in hints):
                continue
            value = vars(cls)[name]
            param = replace(value, name=name) if isinstance(value, Param) else None
            default = param.default if param else value
            setattr(cls, name, default)
            cls._own[name] = (
                inspect.Parameter(
                    name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation_of(hint, cls)
                ),
                param,
            )
        if cls._own:
            cls._construct()

    @classmethod
    def _construct(cls) -> None:
        """Set the parameters and the constructor by what this class and those above it declare."""
        classes = [own for base in cls.__mro__ if (own := vars(base).get("_own"))]
        first, *last = classes[-1]
        names = dict.fromkeys([first, *(name for own in classes[:-1] for name in own), *last])
        found = {name: next(own[name] for own in classes if name in own) for name in names}
        declared = (found[name][1] for name in dict.fromkeys([first, *last, *names]))
        cls.params = tuple(param for param in declared if param)
        if "__init__" in vars(cls):
            return
        this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        arguments = [argument for argument, _ in found.values()]
        arguments[0] = arguments[0].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        cls.__init__ = _constructor(cls, inspect.Signature([this, *arguments]))

    @classmethod
    def param(cls, name: str) -> Param:
        """Return the declaration of a parameter."""
        return {param.name: param for param in cls.params}[name]


def _constructor(cls: type, signature: inspect.Signature) -> Callable[..., None]:
    """Return a constructor that stores its arguments."""
    arguments = list(signature.parameters.values())[1:]
    defaults = {argument.name: argument.default for argument in arguments}

    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            given = signature.bind(self, *args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}() {error}") from None
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    function: Any = construct
    function.__signature__, function.__module__ = signature, cls.__module__
    function.__annotations__ = {argument.name: argument.annotation for argument in arguments} | {"return": None}
    function.__name__, function.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
    return function


def annotation_of(hint: Any, cls: type) -> Any:
    """Return what an annotation in the body of a class means, so that a constructor in any module can have it.

    Text would be read by the names of that other module. If its own one lacks a name by now, it stays a reference that
    is read there when it is asked for.
    """
    if not isinstance(hint, str):
        return hint
    try:
        return get_type_hints(SimpleNamespace(__annotations__={"": hint}), vars(sys.modules[cls.__module__]))[""]
    except (NameError, AttributeError, KeyError):
        return ForwardRef(hint, module=cls.__module__)


def defaults(params: Iterable[Param]) -> dict[str, Any]:
    """Return the default of every parameter, by name."""
    return {p.name: p.default for p in params}


def validate(params: Iterable[Param], values: Mapping[str, Any]) -> dict[str, Any]:
    """Check `values` against `params`; a parameter without a value takes its default.

    Parameters
    ----------
    params : iterable of Param
    values : mapping of str to object

    Returns
    -------
    dict of str to object
        Every parameter, as a plain Python object.

    Raises
    ------
    ParameterError
        For the first value that breaks its rule, or a name that no parameter has.
    """
    declared = {p.name: p for p in params}
    for name in values:
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise ParameterError(name, "must be the name of a parameter", name, f"Known parameters: {known}.")
    return {name: p.validate(values.get(name, p.default)) for name, p in declared.items()}
