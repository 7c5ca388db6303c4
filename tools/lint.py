#!/usr/bin/env python3
# lint.py: rules about files that a formatter does not know.
"""Checks that every source file starts with a banner, stays under 500 lines and carries no unfinished marks, that
every op has a reference and is run by the kernel tests in every element type that it takes, and that a library's files
keep apart the names which they define for themselves."""

import pathlib
import re
import subprocess
import sys

import kernel_cases
import private_names

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_LINES = 500
# Files that are longer with a reason: one table or one contract that is read as a whole.
LONG_FILES: dict[str, str] = {}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|not yet implemented", re.IGNORECASE)
COMMENT = {".h": "//", ".c": "//", ".cpp": "//", ".td": "//", ".fbs": "//", ".cmake": "#", ".py": "#"}


def tracked() -> list[pathlib.Path]:
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [ROOT / name for name in names if name]


def problems(path: pathlib.Path) -> list[str]:
    name = str(path.relative_to(ROOT))
    if path.suffix not in COMMENT or "/schema/onnx" in name:
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    found = []
    banner = lines[1] if lines[0].startswith("#!") else lines[0]
    if not banner.startswith(COMMENT[path.suffix]):
        found.append(f"{name}:1: no banner; expected '{COMMENT[path.suffix]} {path.name}: what it owns'")
    if len(lines) > MAX_LINES + 1 and name not in LONG_FILES:
        found.append(f"{name}: {len(lines) - 1} lines; expected at most {MAX_LINES}, one concept a file")
    if name != "tools/lint.py":
        found += [f"{name}:{number}: unfinished mark" for number, line in enumerate(lines, 1) if UNFINISHED.search(line)]
    return found


def main() -> int:
    found = [problem for path in tracked() if path.is_file() for problem in problems(path)]
    found += kernel_cases.problems()
    sources = [path for path in tracked() if path.suffix in (".cpp", ".h") and path.is_file()]
    found += private_names.problems({str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sources})
    print("\n".join(found) if found else "lint: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
