"""Which of several devices a session computes on, and in which precision."""

from __future__ import annotations

import streamlit as st

from rfviz import backend
from rfviz.ui.scheduler import Target
from rfviz.ui.scheduler.session import DEVICE, PRECISION, session_target
from rfviz.ui.session import SessionValue, set_widget_value, widget_value

__all__ = ["choose_device"]

_TITLES = {"float32": "float32", "tf32": "TF32"}


def choose_device() -> Target:
    """Let the user choose among the devices, where there are several, and the precision of a GPU's products."""
    devices = {device.name: device for device in backend.available_devices()}
    if len(devices) == 1:
        return session_target()
    chosen = _remembered(
        DEVICE,
        "Device",
        list(devices),
        session_target().device,
        "Every GPU by its number, and the processor.",
        {name: name.replace("cuda:", "GPU ").replace("cpu", "CPU") for name in devices},
    )
    if devices[chosen].is_gpu:
        _remembered(
            PRECISION,
            "Matrix products in",
            list(_TITLES),
            session_target().precision,
            "TF32 keeps ten bits of each factor instead of 23: faster on tensor cores, with errors near 0.1%. The "
            "page “Your machine” shows what each map loses.",
            _TITLES,
        )
    return session_target()


def _remembered(
    choice: SessionValue[str], label: str, options: list[str], value: str, help: str, titles: dict[str, str]
) -> str:
    """Return a choice that outlasts the page, which a widget's own state does not."""
    widget = f"{choice.key}:widget"
    value = value if value in options else options[0]
    choice.set(value)
    set_widget_value(widget, value)

    def keep() -> None:
        choice.set(widget_value(widget))

    return st.selectbox(label, options, key=widget, help=help, format_func=titles.__getitem__, on_change=keep)
