"""Where a recipe asks for its settings, and what it is told about the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from rfviz import datasets
from rfviz.params import Param
from rfviz.recipes.controls import Control, of_param, one_of, some_of

__all__ = ["Data", "Panel", "ScaledData"]


@dataclass(frozen=True, eq=False)
class Data:
    """A data set that was chosen.

    Attributes
    ----------
    name : str
        Its name in the registry.
    values : mapping
        Its settings.
    dataset : Dataset
    key : tuple
        Hashable: what was loaded, to keep results by.
    """

    name: str
    values: Mapping[str, Any]
    dataset: datasets.Dataset = field(repr=False)
    key: tuple


@dataclass(frozen=True, eq=False)
class ScaledData:
    """Data, and how their rows or columns are scaled before anything else."""

    data: Data
    normalise: str

    @property
    def key(self) -> tuple:
        """Hashable, to keep results by."""
        return self.data.key, self.normalise


class Panel(ABC):
    """Answers for the controls of one page: from widgets, or from a preset.

    A recipe asks in the order in which a reader meets the controls; what it asks may depend on the answers before.
    """

    @abstractmethod
    def ask(self, control: Control) -> Any:
        """A legal value of a control."""

    @abstractmethod
    def data(self, default: str, names: Sequence[str] | None = None) -> Data:
        """A data set, `default` where nothing is said; one of `names` where only some make sense."""

    def control(self, param: Param, default: Any = None, name: str | None = None) -> Any:
        """A legal value of a parameter; see :func:`rfviz.recipes.controls.of_param`."""
        control = of_param(param, default, name)
        value = self.ask(control)
        if control.kind == "ends":
            value = tuple(value)
            return None if param.default is None and value == (control.high, control.high) else value
        return value

    def choice(
        self, name: str, options: Sequence[str], default: str, label: str, help: str = "", titles: Mapping | None = None
    ) -> str:
        """One of several words."""
        return self.ask(one_of(name, options, default, label, help, titles))

    def several(
        self, name: str, options: Sequence[Any], default: Sequence[Any], label: str, help: str,
        titles: Mapping | None = None,
    ) -> list:  # fmt: skip
        """Any number of the options."""
        return self.ask(some_of(name, options, default, label, help, titles))

    def foreseen(self, param: Param) -> Any:
        """The value of a control on which others depend though it is met after them, where it is asked for again."""
        return self.control(param)

    # --- what matters only where there is something to look at --------------------------------------------------------

    def section(self, name: str, controls: Sequence[str] = ()) -> AbstractContextManager:
        """Where the controls asked for inside are drawn: ``"controls"``, a row of columns; ``"line"``, one line;
        ``"more"``, what few readers need, which are these controls by name."""
        return nullcontext()

    def formula(self, text: str) -> None:  # noqa: B027 - most panels show nothing
        """A formula that belongs beside the controls."""
