"""Help OpenBLAS recognise the processor and share it; must run before NumPy is imported.

This is why it lies outside :mod:`rfviz.backend`, which imports NumPy.

OpenBLAS picks its kernels by the processor's model number. A model that it does not know (a new one, or a virtual
machine's made-up one) gets kernels for an older generation, which on AVX-512 hardware cost half the speed. The
environment variable ``OPENBLAS_CORETYPE`` overrides the choice, but only before the library loads, and a wrong value
crashes with an illegal instruction. So: ask in a child process what OpenBLAS would choose, and override only where the
choice has no AVX-512 kernels although the processor reports every instruction set that the SkylakeX kernels use.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
from pathlib import Path

__all__ = ["choose_openblas_kernels", "shorten_openblas_waits"]

_REQUIRED_FLAGS = frozenset({"avx512f", "avx512cd", "avx512dq", "avx512bw", "avx512vl", "avx2", "fma"})
_AVX512_CORES = frozenset({"skylakex", "cooperlake", "sapphirerapids", "zen4", "zen5"})
_PROBE = (
    "import ctypes, sys\n"
    "lib = ctypes.CDLL(sys.argv[1])\n"
    "name = next(getattr(lib, n) for n in ('scipy_openblas_get_corename64_', 'scipy_openblas_get_corename',"
    " 'openblas_get_corename64_', 'openblas_get_corename') if hasattr(lib, n))\n"
    "name.restype = ctypes.c_char_p\n"
    "print(name().decode())\n"
)


def _cpu_flags(cpuinfo: str = "/proc/cpuinfo") -> frozenset[str]:
    try:
        with open(cpuinfo) as lines:
            for line in lines:
                if line.startswith("flags"):
                    return frozenset(line.split(":", 1)[1].split())
    except OSError:
        pass
    return frozenset()


def _bundled_openblas() -> str | None:
    """Find the path of the OpenBLAS inside NumPy's wheel, without importing NumPy."""
    spec = importlib.util.find_spec("numpy")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent.parent / "numpy.libs"
    return next((str(path) for path in sorted(folder.glob("libscipy_openblas*.so*"))), None)


def _core_chosen_by(library: str) -> str | None:
    """Return the name of the processor kernels that `library` chooses by itself, or None if it cannot be loaded."""
    try:
        answer = subprocess.run(
            [sys.executable, "-S", "-c", _PROBE, library], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip().lower() or None


def shorten_openblas_waits() -> None:
    """Shorten the time after which OpenBLAS's idle threads sleep from 2²⁶ processor cycles (some 20 ms) to 2¹⁶ (20 µs).

    NumPy and SciPy each bring an OpenBLAS with threads of its own. Where products of the one follow factorisations of
    the other, as in ridge regression, the idle threads of each hold the cores that the other needs: both then run at
    two thirds of their speed, or less. Waking a thread again takes microseconds. Does nothing once NumPy is loaded.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")


def choose_openblas_kernels() -> str:
    """Set ``OPENBLAS_CORETYPE`` where OpenBLAS would miss the processor's AVX-512 units.

    Returns
    -------
    str
        Which kernels were set, by the environment or here, in a few words, or ``""`` if OpenBLAS's choice stays.
    """
    if "OPENBLAS_CORETYPE" in os.environ:
        return f"OPENBLAS_CORETYPE={os.environ['OPENBLAS_CORETYPE']} (from the environment)"
    on_linux_x86 = sys.platform.startswith("linux") and platform.machine() in ("x86_64", "AMD64")
    if "numpy" in sys.modules or not on_linux_x86 or not _cpu_flags() >= _REQUIRED_FLAGS:
        return ""
    library = _bundled_openblas()
    chosen = _core_chosen_by(library) if library else None
    if chosen is None or chosen in _AVX512_CORES:
        return ""
    os.environ["OPENBLAS_CORETYPE"] = "SKYLAKEX"
    return f"AVX-512 kernels chosen for OpenBLAS, which had fallen back to {chosen}"
