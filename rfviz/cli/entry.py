"""Start and end of every command: its arguments, its exit status and the sentence of an error."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from rfviz._version import __version__
from rfviz.cli import app, device, maps, profile, run, site
from rfviz.errors import RfvizError

__all__ = ["main"]

_FAILED = 2
_STOPPED = 130  # as shells say it


class _Parser(argparse.ArgumentParser):
    """One sentence where argparse would print its usage first."""

    def error(self, message: str) -> NoReturn:
        self.exit(_FAILED, f"{self.prog}: {_one_line(message)}; {self.prog} --help says what it takes.\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments after the command's name; by default those of this process.

    Returns
    -------
    int
        Exit status: 0; 2 after an error, which is told on stderr in one sentence; 130 where Ctrl+C was pressed; of
        ``rfviz app``, the server's.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a sign shows "?" for it
    given = _parser().parse_args(arguments)
    try:
        return given.command(given)
    except RfvizError as error:
        print(f"rfviz {given.name}: {_one_line(error)}", file=sys.stderr)
        return _FAILED
    except ModuleNotFoundError as error:
        if (error.name or "rfviz").startswith("rfviz"):
            raise
        print(f"rfviz {given.name}: The package {error.name}, which rfviz needs, is not installed.", file=sys.stderr)
        return _FAILED
    except KeyboardInterrupt:
        below = "\n" if sys.stderr.isatty() else ""  # of what the terminal shows for the keys
        print(f"{below}rfviz {given.name}: Stopped.", file=sys.stderr)
        return _STOPPED
    except BrokenPipeError:  # the program that reads has ended, as in "rfviz maps | head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # of a file that the command names, or needs
        about = "" if error.filename is None else f"{error.filename} cannot be used: "
        print(f"rfviz {given.name}: {_one_line(about)}{_one_line(error.strerror or error)}.", file=sys.stderr)
        return _FAILED


def _one_line(words: object) -> str:
    """Return words on one line, without what a file's name could tell a terminal to do."""
    return "".join(sign if sign.isprintable() else " " for sign in str(words))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("rfviz", description="A laboratory for random feature maps, and a library of them.")
    parser.add_argument("--version", action="version", version=f"rfviz {__version__}")
    commands = parser.add_subparsers(title="commands", dest="name", metavar="COMMAND")
    starts = commands.add_parser("app", help="start the laboratory in the browser, as the command does by itself")
    app.add_arguments(starts)
    # Without a command, and only then, what "rfviz app" does without arguments.
    parser.set_defaults(**vars(starts.parse_args([])) | {"name": "app"})
    run.add_arguments(commands.add_parser("run", help="compute a page without a browser: charts and numbers as files"))
    text = "write the profile of a table, without its rows, to compare another table with"
    profile.add_arguments(commands.add_parser("profile", help=text))
    site.add_arguments(commands.add_parser("site", help="write the laboratory as web pages that need no server"))
    text = "show which device computes, with which libraries and how much memory"
    device.add_arguments(commands.add_parser("device", help=text))
    # Its name was once "schemes", which scripts may still call.
    maps.add_arguments(commands.add_parser("maps", aliases=["schemes"], help="list the feature maps"))
    return parser
