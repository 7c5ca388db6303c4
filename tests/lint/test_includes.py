#!/usr/bin/env python3
# test_includes.py: backends include of Kiln what a stranger's can, and public headers include only what is installed with them.
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PUBLIC = ("runtime/include", "jit/include", "dialects/include", "devicekit/include")
FOREIGN = ("mlir/", "llvm/", "dlpack/")
INCLUDE = re.compile(r'^\s*(?:#\s*)?include "([^"]+)"', re.M)


def includes(path: pathlib.Path) -> list[tuple[str, str]]:
    """What a source includes with quotes, and where."""
    text = path.read_text(encoding="utf-8")
    place = path.relative_to(ROOT)
    return [(match[1], f"{place}:{text.count(chr(10), 0, match.start(1)) + 1}") for match in INCLUDE.finditer(text)]


def sources(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".h", ".cpp", ".c", ".td", ".inc"))


def is_public(name: str) -> bool:
    if name.endswith(".inc"):  # generated; stands where its .td stands, and is installed from there
        folder = pathlib.PurePath(name).parent
        return any(list((ROOT / public / folder).glob("*.td")) for public in PUBLIC)
    return name.startswith(FOREIGN) or any((ROOT / public / name).is_file() for public in PUBLIC)


def of_backend(name: str, backend: str) -> bool:
    """Whether an include is one of the backend's own: by its path from the root, or beside it."""
    return name.startswith(f"backends/{backend}/") or "/" not in name


problems, headers, checked = [], 0, 0
for public in PUBLIC:
    for path in sources(ROOT / public):
        headers += 1
        problems += [f"{place}: '{name}' is no public header" for name, place in includes(path) if not is_public(name)]
for backend in sorted(path for path in (ROOT / "backends").iterdir() if path.is_dir()):
    for path in sources(backend):
        if "test" in path.relative_to(backend).parts:  # unit tests may look inside
            continue
        checked += 1
        problems += [f"{place}: '{name}' is neither of backend '{backend.name}' nor a public header of Kiln"
                     for name, place in includes(path) if not of_backend(name, backend.name) and not is_public(name)]
print("\n".join(problems) or f"{headers} public headers, {checked} sources of backends")
sys.exit(1 if problems or headers < 30 or checked < 30 else 0)
