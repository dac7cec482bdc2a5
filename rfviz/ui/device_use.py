"""How a device is doing: memory, who waits, and how near the last computation came to what it can do."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psutil

from rfviz import backend
from rfviz.errors import RfvizError
from rfviz.features.cost import Where, note_where, work
from rfviz.ui import scheduler
from rfviz.ui.scheduler import Request, Target
from rfviz.ui.scheduler.session import new_request

__all__ = ["begin", "describe", "measure_when_idle", "note", "session_key", "tell"]

# After the server has started; its first visitor is then mostly served.
_FIRST_LOOK_S, _LOOK_S = 5.0, 0.5
# Below this, a computation says nothing about the device.
_WORTH_S = 0.002
_log = logging.getLogger("rfviz")


@dataclass(frozen=True)
class _Last:
    """The last computation on a device: its time, and the maps applied meanwhile."""

    seconds: float
    least: float | None


_last: dict[str, _Last] = {}
# By session: where that which its page shows was computed. Of the latest sessions, of which no server has as many.
_shown: dict[Hashable, Where] = {}
_MOST = 1000


def begin() -> None:
    """Forget where the calling session's last page was computed: another one, or a change of it, begins."""
    _shown.pop(session_key(), None)


def tell(where: Where) -> None:
    """Remember where a result was computed that the calling session's page shows, or another result rests on."""
    if scheduler.current_request() is not None:
        note_where(where)
        return
    key = session_key()
    _shown[key] = _shown.pop(key, Where()) | where
    for old in list(_shown)[:-_MOST]:
        _shown.pop(old, None)


def session_key() -> str:
    """Return a name of the calling session that tells nothing about it."""
    return hashlib.blake2b(str(new_request().session).encode(), digest_size=8).hexdigest()


def note(used: Target | None, seconds: float, mapped: list[Any]) -> None:
    """Remember a computation that mapped rows: how long it took, and how long the device takes at least."""
    if used is None or not mapped or seconds < _WORTH_S:
        return
    rates, least = backend.known_rates(used.device) if used.device in _names() else None, None
    if rates is not None:
        with suppress(RfvizError, TypeError):  # of a map that cannot be counted
            least = _least(mapped, rates, used.precision)
    _last[used.device] = _Last(seconds, least)


def _least(mapped: list[Any], rates: backend.Rates, precision: str) -> float:
    return sum(rates.limit(work(feature_map, *shape), precision) for feature_map, shape in mapped)


def _names() -> list[str]:
    return [device.name for device in backend.available_devices()]


def describe(place: Target, session: str = "") -> dict[str, Any]:
    """Describe all that the badge shows of a device, and, to a session, where its page was computed."""
    device = backend.get_device(place.device if place.device in _names() else "auto")
    running, waiting = scheduler.queue_state(device.name)
    free = device.free_bytes()
    used = _memory_used(device)
    queue = _queue(running, waiting)
    shown = _shown.get(session, Where())
    on_gpu = shown.on_gpu or {device.is_gpu and session not in _shown}
    why = shown.why[1] or ("Nothing here is computed on a GPU" if device.is_gpu and True not in on_gpu else "")
    where = f"Computed on the {' and the '.join({True: 'GPU', False: 'CPU'}[part] for part in sorted(on_gpu)[::-1])}"
    precision = {"float32": "float32", "tf32": "TF32"}[place.precision]
    return {
        "short": f"{where} · {queue}" if running else where,
        "name": f"{'GPU ' if device.is_gpu else ''}{device.describe()}",
        "memory": f"{precision} · {used / 1e9:.1f} GB in use · {free / 1e9:.1f} GB free",
        "queue": queue,
        "last": _told(device.name),
        "why": f"{why}." if why else "",
        "help": "" if device.is_gpu else f"Computed on the processor: {backend.gpu_status()}.",
    }


def _memory_used(device: backend.Device) -> float:
    if device.is_gpu:
        with device.activate():
            return float(device.xp.get_default_memory_pool().used_bytes())
    return float(psutil.Process().memory_info().rss)


def _queue(running: int, waiting: int) -> str:
    if not running:
        return "Nothing is being computed"
    computed = f"{running} computation{'s' if running > 1 else ''} under way"
    return computed + (f", {waiting} wait{'s' if waiting == 1 else ''}" if waiting else "")


def _told(name: str) -> str:
    last = _last.get(name)
    if last is None:
        return ""
    took = f"{1e3 * last.seconds:.0f} ms" if last.seconds < 1 else f"{last.seconds:.1f} s"
    share = "" if last.least is None else f", {_per_cent(last.least / last.seconds)} of this device’s limit"
    return f"Last computation: {took}{share}"


def _per_cent(share: float) -> str:
    return "under 1%" if share < 0.01 else f"{100 * min(share, 1.0):.0f}%"


class _Busy(Exception):  # noqa: N818 - control flow, not an error
    """A user computes; measuring can wait."""


def measure_when_idle() -> threading.Thread:
    """Measure the rates of the first device in a thread of its own, while no user computes."""

    def wait() -> None:
        time.sleep(_FIRST_LOOK_S)
        while not _measured():
            time.sleep(_LOOK_S)

    thread = threading.Thread(target=wait, daemon=True, name="rfviz-rates")
    thread.start()
    return thread


def _measured() -> bool:
    """Measure, and return whether no user's computation interrupted it."""
    name = backend.get_device().name
    if backend.known_rates(name) is not None:
        return True

    def step(share: float, words: str) -> None:
        running, waiting = scheduler.queue_state(name)
        if running > 1 or waiting:
            raise _Busy

    def measure(report: Any) -> None:
        backend.measure_rates(name, step)

    if scheduler.queue_state(name) != (0, 0):
        return False
    try:
        scheduler.run(measure, Request("rates", Target(name), background=True))
    except _Busy:
        return False
    except Exception:  # a badge without a share needs no message to the user
        _log.exception("The rates of %s could not be measured", name)
    return True
