"""Views of a page: its defaults and each of its presets, computed as ``rfviz run`` does, with what can be played."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rfviz.cache import Cache
from rfviz.errors import RfvizError, capture_warnings
from rfviz.experiments.work import Work
from rfviz.lab.animation import encode
from rfviz.lab.facts import CACHE
from rfviz.lab.page import Computed, Page, compute
from rfviz.lab.preset import Preset
from rfviz.progress import Progress

__all__ = ["DEFAULTS", "LIMIT_S", "PLAY_S", "Player", "View", "compute_view", "views_of"]

#: Seconds of processor time that a view may take.
LIMIT_S = 60.0
#: Label of the view without a preset.
DEFAULTS = "As it opens"
#: Seconds that the frames of an animation may take, as after Play is pressed in the laboratory.
PLAY_S = 8.0
# Bytes of an animation, beyond which frames are left out, and how many stay all the same.
_FRAMES_BYTES, _FEWEST_FRAMES = 170_000, 8


class _TooLong(BaseException):
    """Ends a computation; no Exception, since a part of a sweep that fails is remembered as failed."""


@dataclass(frozen=True, eq=False)
class Player:
    """The frames of an animation.

    Attributes
    ----------
    now : object
        The value that the page's own picture has.
    name : str
        Of the file: the same for the same frames.
    frames : str
        See :func:`rfviz.lab.animation.encode`.
    """

    symbol: str
    now: Any
    name: str
    frames: str = field(repr=False)


@dataclass(frozen=True, eq=False)
class View:
    """A page with some settings.

    Attributes
    ----------
    preset, summary : str
        Its label and what it shows; ``DEFAULTS`` for the page as it opens.
    file : str
        Name of its file in the site.
    command : str
        The command line that computes the same.
    computed : Computed or None
        The results, or None if the view was left out.
    reason : str
        Why it was left out, or what of it is missing: a sentence.
    answers : mapping
        The settings by name.
    choices : tuple of str
        Labels of the controls that the laboratory has.
    """

    page: Page[Any, Any, Any]
    preset: str
    summary: str
    file: str
    command: str
    computed: Computed[Any, Any, Any] | None = field(default=None, repr=False)
    reason: str = ""
    answers: Mapping[str, Any] = field(default_factory=dict[str, Any])
    choices: tuple[str, ...] = ()
    players: tuple[Player, ...] = ()


def views_of(page: Page[Any, Any, Any], progress: Progress) -> Iterator[View]:
    """Yield the view of a page's defaults, and those of its presets."""
    for label, (summary, values) in {DEFAULTS: ("", {}), **page.presets}.items():
        is_preset = label != DEFAULTS
        title = f"{page.entry.title}, {label}" if is_preset else page.entry.title

        def told(share: float | None, text: str, title: str = title) -> None:
            progress(share, title)

        command = f'rfviz run {page.slug} --figure "{label}"' if is_preset else f"rfviz run {page.slug}"
        file = f"{page.slug}--{_plain(label)}.html" if is_preset else f"{page.slug}.html"
        yield compute_view(View(page, label, summary, file, command), values, told)


def _plain(label: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")


def compute_view(
    view: View,
    values: Mapping[str, Any],
    progress: Progress,
    limit: float = LIMIT_S,
    plays: bool = True,
    cache: Cache = CACHE,
) -> View:
    """Compute a view.

    Parameters
    ----------
    view : View
        Without results.
    values : mapping
        The settings, as :class:`rfviz.lab.preset.Preset` takes them.
    limit : float
        Seconds of processor time, after which a sweep shows the parts that it has, and anything else is left out.
    plays : bool
        Whether frames are computed, too.
    cache : Cache
        Presets of a page, steps of a lesson and the facts that it quotes share most of what they are computed from.
    """
    began = time.process_time()
    told: list[str] = []

    def watched(share: float | None, text: str) -> None:
        if not told and time.process_time() - began > limit:  # after a stop, its parts are still to be collected
            raise _TooLong
        progress(share, text)

    def advance(work: Work) -> None:
        try:
            work.complete(watched)
        except _TooLong:
            if work.is_empty:
                raise
            told.append(f"Some parts would have taken longer than {limit:g} seconds. {view.command} computes them all.")

    page, panel = view.page, Preset(values, watched)
    try:
        with capture_warnings() as heard:
            source = page.source(panel)
            settings = page.settings(panel, source)
            computed = compute(page, source, settings, cache.with_progress(watched), advance)
        told += [text for text, _ in heard.messages]
        told += [f"{name} could not be computed: {why}" for name, why in page.failures(computed.result).items()]
        players = _players(page, computed, panel, cache.with_progress(progress)) if plays else ()
    except _TooLong:
        return _left_out(view, f"It takes longer than {limit:g} seconds of processor time.")
    except RfvizError as error:
        return _left_out(view, str(error))
    choices = tuple(dict.fromkeys(control.label for control in panel.controls.values() if control.label))
    return replace(
        view, computed=computed, reason=" ".join(told), answers=panel.answers, choices=choices, players=players
    )


def _left_out(view: View, reason: str) -> View:
    text = f"This view is not in the site. {reason} In the laboratory: {view.command}"
    return replace(view, reason=text)


def _players(
    page: Page[Any, Any, Any], computed: Computed[Any, Any, Any], panel: Preset, cache: Cache
) -> tuple[Player, ...]:
    """Return the players of a view, without those whose frames would not fit into memory."""
    found = list[Player]()
    for spec in page.animations(computed.source, computed.settings, computed.result, panel):
        try:
            animation = spec.render(cache, PLAY_S)
        except RfvizError:
            continue
        frames = encode(animation, spec.options).decode()
        if len(frames) > _FRAMES_BYTES:
            most = max(len(animation.values) * _FRAMES_BYTES // len(frames), _FEWEST_FRAMES)
            frames = encode(animation.fewer(most, spec.now), spec.options).decode()
        name = hashlib.blake2b(frames.encode(), digest_size=8).hexdigest()
        found.append(Player(spec.symbol, spec.now, f"{name}.js", frames))
    return tuple(found)
