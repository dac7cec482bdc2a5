"""Columns that hold one of several words: a column of zeros and ones for each word, named ``service=http``."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rfviz.datasets.files.arrays import Arrays
from rfviz.datasets.parameters import MISSING
from rfviz.errors import DataError

__all__ = ["MISSING_WORDS", "Categorical", "joined"]

MISSING_WORDS = replace(
    MISSING,
    choices=("error", "drop rows", "most frequent"),
    help="What to do about missing words: stop and say where they are, leave out the rows that have them, or fill in "
    "the most frequent word of the column (over the training rows where there is a split).",
)
# Words for a missing value.
_UNKNOWN = ("", "?", "nan", "None")


@dataclass(frozen=True, eq=False)
class Categorical:
    """Columns of words, as positions in lists of words.

    Attributes
    ----------
    codes : ndarray of int, shape (n_samples, n_columns)
        Position of the word; -1 where it is missing.
    columns : tuple of str
    words : tuple of tuple of str
        The words of each column.
    """

    codes: np.ndarray
    columns: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]

    @classmethod
    def from_text(cls, table: np.ndarray, columns: tuple[str, ...]) -> Categorical:
        """Learn the words of text columns, shape (n_samples, n_columns), in alphabetical order."""
        codes, words = np.full(table.shape, -1, dtype=np.int16), []
        for place, column in enumerate(table.T):
            found, where = np.unique(column, return_inverse=True)
            known = np.array([word not in _UNKNOWN for word in found.tolist()], dtype=bool)
            new = np.where(known, np.cumsum(known) - 1, -1)
            codes[:, place] = new[where]
            words.append(tuple(str(word) for word in found[known]))
        return cls(codes, columns, tuple(words))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns of zeros and ones: ``column=word``."""
        return tuple(f"{c}={w}" for c, words in zip(self.columns, self.words, strict=True) for w in words)

    @property
    def note(self) -> str:
        """Return a statement on which columns became how many."""
        parts = [f"{c} ({len(words)})" for c, words in zip(self.columns, self.words, strict=True)]
        return f"one column of zeros and ones for each word of {', '.join(parts)}"

    def rows(self, which: np.ndarray) -> Categorical:
        """Return some of the rows."""
        return replace(self, codes=self.codes[which])

    def one_hot(self) -> np.ndarray:
        """Return zeros and ones, uint8 of shape (n_samples, n_words); a row without a word has only zeros."""
        blocks = [
            self.codes[:, [place]] == np.arange(len(words), dtype=self.codes.dtype)
            for place, words in enumerate(self.words)
        ]
        return np.concatenate(blocks, axis=1).astype(np.uint8)

    def complete(self, missing: str, n_train: int | None = None) -> tuple[Categorical, np.ndarray, str]:
        """Drop or fill missing words.

        Parameters
        ----------
        missing : {"error", "drop rows", "most frequent"}
        n_train : int, optional
            Rows before it say which word is the most frequent.

        Returns
        -------
        whole : Categorical
            Without gaps.
        rows : ndarray of int
            Those that are left.
        note : str
            The change in words, or an empty string.

        Raises
        ------
        DataError
            If words are missing and `missing` does not say what to do: where they are.
        """
        gaps, everything = self.codes < 0, np.arange(len(self.codes))
        if not gaps.any():
            return self, everything, ""
        where = ", ".join(f"{c} ({n:,})" for c, n in zip(self.columns, gaps.sum(axis=0), strict=True) if n)
        n_rows = int(gaps.any(axis=1).sum())
        if missing == "error":
            raise DataError(
                f"{gaps.sum():,} words are missing in {n_rows:,} of {len(gaps):,} rows: {where}. "
                "Use missing='drop rows' or missing='most frequent'."
            )
        if missing == "drop rows":
            left = everything[~gaps.any(axis=1)]
            return self.rows(left), left, f"{n_rows:,} rows with missing words left out: {where}"
        codes = self.codes.copy()
        for place in np.flatnonzero(gaps.any(axis=0)):
            seen = self.codes[:n_train, place]
            codes[gaps[:, place], place] = np.bincount(seen[seen >= 0], minlength=1).argmax()
        return replace(self, codes=codes), everything, f"missing words replaced by the most frequent: {where}"


def joined(arrays: Arrays, categorical: Categorical, numeric_names: tuple[str, ...]) -> Arrays:
    """Return arrays with the columns of zeros and ones after their own, all float32 and named."""
    X = np.concatenate([arrays.X.astype(np.float32), categorical.one_hot()], axis=1, dtype=np.float32)
    return replace(arrays, X=X, feature_names=(*numeric_names, *categorical.names))
