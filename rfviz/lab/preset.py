"""Settings without a browser: from a JSON file, from an address of the laboratory, or from nothing but defaults."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from rfviz import datasets
from rfviz._version import __version__
from rfviz.datasets.base import is_own
from rfviz.errors import DataError, ParameterError
from rfviz.experiments.data import Data, in_plane
from rfviz.lab.address import VIEW_ONLY, current_name, format_value, is_appended, parse_value, same_text
from rfviz.lab.controls import Control
from rfviz.lab.panel import Panel

__all__ = ["Preset", "read_preset", "write_preset"]


class Preset(Panel):
    """A panel that answers from names and values.

    Parameters
    ----------
    values : mapping of str to object
        Values by the names that a page's address uses; all others take their defaults.
    progress : callable, optional
        Told about the loading of data, see :func:`rfviz.datasets.load`.
    own : DatasetSpec, optional
        An upload, which every page takes; see :func:`rfviz.datasets.files.own.own_spec`.
    """

    def __init__(
        self,
        values: Mapping[str, Any] | None = None,
        progress: datasets.Progress | None = None,
        own: datasets.DatasetSpec | None = None,
    ) -> None:
        super().__init__()
        self._given = {current_name(name): value for name, value in (values or {}).items()}
        self._progress, self._own = progress, own

    def _answer(self, control: Control) -> Any:
        """Return the value given for a control, or its default.

        Raises
        ------
        ParameterError
            If a value is not legal: with the nearest value that is. A page in the browser would replace it and
            show a notice; what runs unwatched had better stop.
        """
        if control.name not in self._given:
            return control.default
        given = self._given[control.name]
        try:
            value = control.clean(given)
        except ValueError:
            raise ParameterError(control.name, _rule(control), given) from None
        if not same_text(format_value(value), format_value(given)):
            raise ParameterError(control.name, _rule(control), given, f"The nearest is {format_value(value)}.")
        return value

    def data(self, default: str, names: Sequence[str] | None = None, planar: bool = False) -> Data:
        """Load the data set that is named.

        Raises
        ------
        DataError, MemoryBudgetError, ParameterError
            If it is unknown, cannot be loaded, or its settings are not legal.
        """
        specs = datasets.specs()
        name = str(self._given.get("data", default))
        self.answers["data"] = name
        if is_own(name):
            data = self._own_data(name)
            return in_plane(data)[0] if planar and data.dataset.n_features > 2 else data
        if names is not None and name not in names:
            raise DataError(f"The data set {name!r} cannot be chosen here. Known: {', '.join(names)}.")
        spec = datasets.spec(name) if name not in specs else specs[name]
        values = {param.name: self.control(param, name=f"data.{param.name}") for param in spec.params}
        dataset = datasets.load(name, self._progress, **values)
        return Data(name, tuple(sorted(values.items())), spec.extra.get("stamp"), dataset)

    def _own_data(self, name: str) -> Data:
        if self._own is None or self._own.name != name:
            raise DataError(f"{name!r} are somebody’s own data, which settings do not hold. Give the file: --data FILE")
        values = tuple(self._own.extra["values"].items())
        return Data(name, values, self._own.extra["stamp"], self._own.load())

    def unasked(self) -> list[str]:
        """Return names that were given but that nothing asked for: misspelled, or without effect."""
        return [name for name in self._given if name not in self.answers]

    @property
    def has_data(self) -> bool:
        """Return whether the page has asked for data."""
        return "data" in self.answers


def _rule(control: Control) -> str:
    if control.kind in ("word", "words", "own") and control.options:
        return f"must be {'some' if control.kind == 'words' else 'one'} of {', '.join(map(str, control.options))}"
    if control.kind == "stops":
        words = [option for option in control.options if isinstance(option, str)]
        numbers = [option for option in control.options if not isinstance(option, str)]
        return f"must be a stop of its slider, from {numbers[0]:g} to {numbers[-1]:g}" + "".join(
            f" or {word!r}" for word in words
        )
    if control.kind == "switch":
        return "must be true or false"
    if control.kind == "own" and control.low == control.high:
        return f"must be of the form {format_value(control.default)}"
    noun = "a pair of integers" if control.kind == "ends" else "an integer"
    return f"must be {noun} from {control.low} to {control.high}"


def read_preset(text: str) -> tuple[str, dict[str, Any]]:
    """Return the page and the values that a preset holds.

    Parameters
    ----------
    text : str
        The JSON text that :func:`write_preset` gives, or an address of the laboratory.

    Returns
    -------
    page : str
        Slug of the page.
    values : dict
        By the names of its address; ``"zoom"`` is not a setting, see :func:`rfviz.lab.zoom.read_zoom`.

    Raises
    ------
    DataError
        If it is neither.
    """
    text = text.strip()
    if text.startswith(("http://", "https://")):
        return _from_address(text)
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"A preset must be JSON, or an address of the laboratory; this is neither ({error}).") from None
    if not isinstance(held, dict) or not isinstance(held.get("page"), str):
        raise DataError('A preset must be a JSON object with "page", a text; see “Share” on any page for one.')
    values = held.get("values", {})
    if not isinstance(values, dict) or not all(_is_plain(value) for value in values.values()):
        raise DataError('"values" of a preset must be an object of numbers, words, and lists of them.')
    return held["page"], values


def write_preset(page: str, values: Mapping[str, Any]) -> str:
    """Return a page's values as JSON, for ``rfviz run`` and :func:`read_preset`."""
    return json.dumps({"rfviz": __version__, "page": page, "values": dict(values)}, indent=2, ensure_ascii=False) + "\n"


def _from_address(address: str) -> tuple[str, dict[str, Any]]:
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise DataError(f"This address cannot be read ({error}).") from None
    pairs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not is_appended(pair[0])]
    values = {name: parse_value(value) for name, value in pairs if name not in (*VIEW_ONLY, "zoom")}
    # A text of its own kind, see rfviz.lab.zoom.
    values |= {name: value for name, value in pairs if name == "zoom"}
    return parts.path.rstrip("/").rpartition("/")[2], values


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_plain(part) and not isinstance(part, list) for part in value)
    return isinstance(value, (int, float, str, bool))
