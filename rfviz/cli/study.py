"""``rfviz study``: what the answers of a class say, as ``docs/study.md`` lays it down beforehand."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rfviz.study.analysis import LessonResult

__all__ = ["add_arguments", "report"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``rfviz study``."""
    parser.add_argument("log", metavar="FILE", help="the file that “rfviz app --study FILE” has written")
    parser.add_argument("--json", action="store_true", help="for programs: JSON instead of tables")
    parser.set_defaults(command=report)


def report(given: argparse.Namespace) -> int:
    """Print the analysis of a log; see :func:`rfviz.cli.main` for errors."""
    from rfviz.study.analysis import analyse

    result = analyse(Path(given.log).expanduser())
    if given.json:
        print(json.dumps(result.to_json(), indent=1))
        return 0
    parts = [_told(lesson) for lesson in result.lessons] or ["There are no answers yet."]
    if result.mistakes:
        parts.append("\n".join(["Lines that are no answers, and are left out:", *result.mistakes]))
    print("\n\n".join(parts))
    return 0


def _told(lesson: LessonResult) -> str:
    lines = [f"{lesson.lesson}: {_verdict(lesson)}", "", f"{'':9}{'n':>4} {'left':>5} {'first':>6} {'second':>6}  gain"]
    for name, group in lesson.groups.items():
        gain = f"{group.gain:.2f}{_interval(group.interval)}"
        lines.append(
            f"{name:9}{group.n:>4} {group.left:>5} {group.first:>6.2f} {group.second:>6.2f}  {gain}"
        )  # fmt: skip
    forms = ", ".join(f"{form} {share:.2f}" for form, share in lesson.forms.items())
    lines += ["", f"First test by form: {forms}", ""]
    width = max([8, *(len(question.name) for question in lesson.questions)])
    lines.append(f"{'question':{width}} {'first':>6} {'control':>8} {'lesson':>7} {'correlation':>12}  wrong")
    lines += [
        f"{one.name:{width}} {one.first:>6.2f} {one.control:>8.2f} {one.lesson:>7.2f} {one.correlation:>12.2f}"
        f"  {one.wrong}"
        for one in lesson.questions
    ]
    if lesson.left_out:
        reasons = ", ".join(f"{number} {reason}" for reason, number in lesson.left_out.items())
        lines += ["", f"Left out: {reasons}."]
    return "\n".join(line.rstrip() for line in lines)


def _verdict(lesson: LessonResult) -> str:
    found = lesson.comparison
    if found is None:
        return "no test; a group has fewer than five students, or all scores are alike."
    p = f"p {found.p:.2g} ({found.p_holm:.2g} after Holm)"
    effect = f"{found.effect:.2f}{_interval(found.effect_interval)}"
    return (
        f"{found.verdict}.\nDifference {found.difference:.2f}{_interval(found.interval)}, {p}.\n"
        f"In standard deviations of the first scores {effect}."
    )


def _interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f" [{interval[0]:.2f}, {interval[1]:.2f}]"
