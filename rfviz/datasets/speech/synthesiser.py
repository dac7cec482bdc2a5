"""Speak sentences with espeak-ng, a process of its own: ``python synthesiser.py < jobs.json > speech``.

The library keeps a state between sentences and is not safe for threads: a new process gives the same sound every time,
and ends whatever happens in it. This file is run by its path, so that it imports nothing else.

It reads JSON, a list of ``[voice, words a minute, pitch, range, text]``, and writes for each a line of JSON,
``{"rate": …, "bytes": …, "phones": [[sample, name], …]}``, and then these bytes: 16-bit samples in the order of the
machine.
"""

from __future__ import annotations

import ctypes
import json
import sys
from typing import Any, ClassVar

__all__ = ["main"]

# Of speak_lib.h.
_RETRIEVAL, _PHONE_EVENTS, _PHONE, _UTF8 = 1, 1, 7, 1
_RATE, _PITCH, _RANGE = 1, 3, 4


class _Id(ctypes.Union):
    _fields_: ClassVar = [("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8)]


class _Event(ctypes.Structure):
    _fields_: ClassVar = [
        ("type", ctypes.c_int), ("identifier", ctypes.c_uint), ("text_position", ctypes.c_int),
        ("length", ctypes.c_int), ("audio_position", ctypes.c_int), ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p), ("id", _Id),
    ]  # fmt: skip


_Callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event))


def main() -> None:
    """Speak what standard input asks for."""
    import espeakng_loader  # pyright: ignore[reportMissingImports]

    library = ctypes.CDLL(espeakng_loader.get_library_path())
    sound: list[bytes] = []
    phones: list[tuple[int, str]] = []

    def hear(samples: Any, count: int, events: Any) -> int:
        if samples and count > 0:
            sound.append(ctypes.string_at(samples, 2 * count))
        number = 0
        while events[number].type:
            if events[number].type == _PHONE:
                phones.append((events[number].sample, events[number].id.string.decode("utf-8", "replace")))
            number += 1
        return 0

    callback = _Callback(hear)
    # In retrieval mode calls return when all is said. Buffers of 0 ms are the library's own choice.
    rate = library.espeak_Initialize(_RETRIEVAL + 1, 0, espeakng_loader.get_data_path().encode(), _PHONE_EVENTS)
    if rate <= 0:
        raise SystemExit("espeak-ng does not start")
    library.espeak_SetSynthCallback(callback)
    for voice, words, pitch, spread, text in json.load(sys.stdin):
        if library.espeak_SetVoiceByName(voice.encode()):
            raise SystemExit(f"espeak-ng has no voice {voice}")
        for parameter, value in ((_RATE, words), (_PITCH, pitch), (_RANGE, spread)):
            library.espeak_SetParameter(parameter, value, 0)
        sound.clear()
        phones.clear()
        said = text.encode()
        library.espeak_Synth(said, len(said) + 1, 0, 0, 0, _UTF8, None, None)
        joined = b"".join(sound)
        header = json.dumps({"rate": rate, "bytes": len(joined), "phones": phones})
        sys.stdout.buffer.write(header.encode() + b"\n" + joined)


if __name__ == "__main__":
    main()
