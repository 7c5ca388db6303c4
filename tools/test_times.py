#!/usr/bin/env python3
# test_times.py: where the time of `tools/dev test` went, by part, beside what each part may take.
"""usage: test_times.py --build DIR --junit FILE [--jobs N] [--set-up S] [--compile S] [--sanitizers S]

FILE is what `ctest --output-junit` wrote in DIR. A test belongs to the first part that has one of its labels; a part's
time is that of its tests together, divided by the jobs that run at once. Judges nothing: the times of a loaded machine
are nobody's fault."""

import argparse
import html
import json
import pathlib
import re
import subprocess
import sys

# The parts in the order in which they claim tests, their labels, and minutes on two cores.
PARTS = [
    ("npu", {"npu"}, 6),
    ("hpu", {"hpu"}, 6),
    ("pytorch", {"pytorch"}, 5),
    ("host", {"host"}, 4),
    ("autoload", {"autoload"}, 3),
    ("cache", {"cache"}, 3),
    ("runtime, jit, onnx", {"runtime", "jit", "onnx"}, 8),
    ("other", None, None),
]
SET_UP_MINUTES, BUILD_MINUTES = 5, 10
CASE = re.compile(r'<testcase name="([^"]*)"[^>]*? time="([0-9.eE+-]+)"')


def part_of(labels: set[str]) -> str:
    return next(name for name, mine, _ in PARTS if mine is None or mine & labels)


def labels_of(build: pathlib.Path) -> dict[str, set[str]]:
    listed = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], capture_output=True, text=True, check=True)
    labels = {}
    for test in json.loads(listed.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        labels[test["name"]] = set(properties.get("LABELS", []))
    return labels


def clock(seconds: float | None) -> str:
    return "" if seconds is None else f"{int(seconds + 0.5) // 60}:{int(seconds + 0.5) % 60:02}"


def table(times: dict[str, float], labels: dict[str, set[str]], jobs: int, set_up: float, compiled: float,
          sanitizers: float | None) -> str:
    """The lines of the table; times in seconds by test."""
    rows: list[tuple[str, int | None, float, int | None]] = [("set-up", None, set_up, SET_UP_MINUTES), ("build", None, compiled, BUILD_MINUTES)]
    for name, _, minutes in PARTS:
        mine = [seconds for test, seconds in times.items() if part_of(labels.get(test, set())) == name]
        if mine:
            rows.append((name, len(mine), sum(mine) / jobs, minutes))
    if sanitizers is not None:
        rows.append(("sanitizers", None, sanitizers, None))
    lines = [f"{'part':20}{'tests':>6}{'time':>8}{'budget':>8}"]
    for name, count, seconds, minutes in rows:
        over = "  over" if minutes is not None and seconds > 60 * minutes else ""
        lines.append(f"{name:20}{count or '':>6}{clock(seconds):>8}{clock(minutes and 60 * minutes):>8}{over}".rstrip())
    lines.append(f"{'together':20}{len(times):>6}{clock(sum(row[2] for row in rows)):>8}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--junit", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--set-up", type=float, default=0)
    parser.add_argument("--compile", type=float, default=0)
    parser.add_argument("--sanitizers", type=float)
    arguments = parser.parse_args()
    if not arguments.junit.is_file():
        print(f"test_times.py: error: {arguments.junit}: no such file; ctest ran no test", file=sys.stderr)
        return 1
    # Not an XML parser: tests print what XML does not allow.
    text = arguments.junit.read_text(encoding="utf-8", errors="replace")
    times = {html.unescape(name): float(seconds) for name, seconds in CASE.findall(text)}
    print(table(times, labels_of(arguments.build), max(arguments.jobs, 1), arguments.set_up, arguments.compile, arguments.sanitizers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
