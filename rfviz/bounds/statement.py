"""A bound and the error that it bounds."""

from __future__ import annotations

from dataclasses import dataclass

from rfviz.bounds.tail import TailBound

__all__ = ["BoundStatement", "pair_statements"]


@dataclass(frozen=True, eq=False)
class BoundStatement:
    """A bound with all its constants, and which error it bounds.

    Attributes
    ----------
    about : {"one pair", "all pairs", "everywhere"}
    drawn : bool
        Whether it is a curve of its own, or one of the table only.
    """

    about: str
    bound: TailBound
    drawn: bool = True


def pair_statements(bound: TailBound, n_pairs: int) -> list[BoundStatement]:
    """Return a bound for one pair of points, and by the union over all pairs."""
    return [BoundStatement("one pair", bound), BoundStatement("all pairs", bound.over(n_pairs))]
