# test_variables.py: every KILN_ variable that the sources read stands in runtime/Variables.cpp and in docs/autoload.md.
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
READ = re.compile(r'(?:\bgetenv|\.find|\.get|readVariable)\(\s*"(KILN_[A-Z0-9_]+)"')
DEVELOPERS = re.compile(r"KILN_(TEST_.*|JOBS|PRESET)")  # of tools/dev and of tests

read: dict[str, str] = {}
for folder in ("runtime", "jit", "frameworks", "tools", "backends", "devicekit"):
    for path in (ROOT / folder).rglob("*.cpp"):
        for name in READ.findall(path.read_text(encoding="utf-8")):
            read.setdefault(name, str(path.relative_to(ROOT)))
table = set(re.findall(r'^\s*\{"(KILN_[A-Z0-9_]+)"', (ROOT / "runtime/Variables.cpp").read_text(encoding="utf-8"), re.M))
page = set(re.findall(r"^\| `(KILN_[A-Z0-9_]+)` \|", (ROOT / "docs/autoload.md").read_text(encoding="utf-8"), re.M))
problems = [f"{name} ({place}) is not in runtime/Variables.cpp" for name, place in sorted(read.items())
            if name not in table and not DEVELOPERS.fullmatch(name)]
problems += [f"{name} is in runtime/Variables.cpp, not in docs/autoload.md" for name in sorted(table - page)]
problems += [f"{name} is in docs/autoload.md, not in runtime/Variables.cpp" for name in sorted(page - table)]
print("\n".join(problems) or f"{len(table)} variables, {len(read)} of them by their names in the sources")
sys.exit(1 if problems or len(read) < 5 else 0)
