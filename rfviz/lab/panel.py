"""The panel that a page asks for its settings, and what it is told about the data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from rfviz.datasets import Dataset
from rfviz.experiments.data import Data
from rfviz.lab.controls import Control, of_param, one_of, some_of
from rfviz.params import Param

__all__ = ["Panel", "ReplayPanel", "ScaledData"]


@dataclass(frozen=True)
class ScaledData:
    """Data, and how their rows or columns are scaled before anything else."""

    data: Data
    normalise: str

    @property
    def dataset(self) -> Dataset:
        return self.data.dataset


class Panel(ABC):
    """Answers for the controls of one page: from widgets, or from given values.

    A page asks in the order in which a user meets the controls; what it asks may depend on the answers before.

    Attributes
    ----------
    controls : dict of str to Control
        Those that were asked for, by name.
    answers : dict of str to object
        Their values.
    """

    def __init__(self) -> None:
        self.controls: dict[str, Control] = {}
        self.answers: dict[str, Any] = {}

    def ask(self, control: Control) -> Any:
        """Return a legal value of a control."""
        self.controls[control.name] = control
        self.answers[control.name] = value = self._answer(control)
        return value

    @abstractmethod
    def _answer(self, control: Control) -> Any:
        """Return a legal value of a control."""

    @abstractmethod
    def data(self, default: str, names: Sequence[str] | None = None, planar: bool = False) -> Data:
        """Return a data set.

        Parameters
        ----------
        default : str
            The data set where nothing is said.
        names : sequence of str, optional
            Those that make sense on this page; all by default.
        planar : bool
            Whether the page draws a plane: uploads of more columns are then projected to two.
        """

    def control(self, param: Param, default: Any = None, name: str | None = None) -> Any:
        """Return a legal value of a parameter; see :func:`rfviz.lab.controls.of_param`."""
        control = of_param(param, default, name)
        value = self.ask(control)
        if control.kind == "ends":
            value = tuple(value)
            return None if param.default is None and value == (control.high, control.high) else value
        return value

    def choice(
        self,
        name: str,
        options: Sequence[str],
        default: str,
        label: str,
        help: str = "",
        titles: Mapping[Any, str] | None = None,
    ) -> str:
        """Return one of several words."""
        return self.ask(one_of(name, options, default, label, help, titles))

    def several(
        self,
        name: str,
        options: Sequence[Any],
        default: Sequence[Any],
        label: str,
        help: str,
        titles: Mapping[Any, str] | None = None,
    ) -> tuple[Any, ...]:
        """Return any number of the options."""
        return tuple(self.ask(some_of(name, options, default, label, help, titles)))

    def peek(self, param: Param) -> Any:
        """Return the value of a control on which others depend though it is drawn, and asked for again, after them."""
        return self.control(param)

    def with_value(self, name: str, value: Any) -> Panel:
        """Return a panel that gives the same answers but for one control."""
        return ReplayPanel(self.answers | {name: value})

    # --- what matters only where there is something to look at --------------------------------------------------------

    def section(self, name: str, controls: Sequence[str] = ()) -> AbstractContextManager[Any]:
        """Enter the section of the page in which the controls asked for inside are drawn.

        ``"controls"`` is a row of columns; ``"line"`` one line; any other name a place of the page's own. Where some
        of the controls are named, the others are behind a button, so that the chart and its sentence have room.
        """
        return nullcontext()

    def formula(self, text: str) -> None:  # noqa: B027 - most panels show nothing
        """Show a formula next to the controls."""


class ReplayPanel(Panel):
    """A panel that repeats the answers of another one; the data are those that were chosen there."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        super().__init__()
        self._given = answers

    def _answer(self, control: Control) -> Any:
        return control.clean(self._given.get(control.name, control.default))

    def data(self, default: str, names: Sequence[str] | None = None, planar: bool = False) -> Data:
        raise TypeError("A replayed panel answers for settings only: the source stays")
