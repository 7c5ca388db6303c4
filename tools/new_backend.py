#!/usr/bin/env python3
# new_backend.py: writes a complete small backend that builds outside Kiln's tree.
"""Usage: tools/dev new-backend NAME [DIR]: fills in tools/backend-template and says how to build the result."""

import argparse
import pathlib
import re
import sys

TEMPLATE = pathlib.Path(__file__).resolve().parent / "backend-template"
RESERVED = {"backend", "backends", "cache", "device", "log", "require", "test", "torch", "auto"}  # runtime/Manifest.cpp


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/dev new-backend", description=__doc__)
    parser.add_argument("name", help="letters a-z, digits and _, starting with a letter")
    parser.add_argument("directory", nargs="?", help="where to write it; default: NAME in the current folder")
    arguments = parser.parse_args()
    name = arguments.name
    # No '-': the name is part of C++ identifiers.
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name) or name in RESERVED:
        print(f"new-backend: error: '{name}' is no backend name; expected letters a-z, digits and _, no reserved word",
              file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments.directory or name)
    if folder.exists() and any(folder.iterdir()):
        print(f"new-backend: error: {folder} is not empty; expected a new folder", file=sys.stderr)
        return 3
    folder.mkdir(parents=True, exist_ok=True)
    capital = "".join(part.capitalize() for part in name.split("_"))
    for template in sorted(TEMPLATE.glob("*.in")):
        text = template.read_text(encoding="utf-8").replace("@name@", name).replace("@Name@", capital)
        (folder / template.name.removesuffix(".in").replace("NAME", name)).write_text(text, encoding="utf-8")
    print(f"wrote {folder}; its README.md says how to build and run it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
