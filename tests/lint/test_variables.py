# test_variables.py: every KILN_ variable that the sources read stands in runtime/Variables.cpp and in docs/autoload.md; the words that
# no backend may have in its variables' place are the same in the reader, in the schema and in docs/write-a-backend.md.
import json
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

words = re.search(r"kReservedNames = \{(.*?)\};", (ROOT / "runtime/Manifest.cpp").read_text(encoding="utf-8"), re.S)
reader = re.findall(r'"(\w+)"', words[1]) if words else []
schema = json.loads((ROOT / "runtime/schema/manifest.schema.json").read_text(encoding="utf-8"))["properties"]["name"]["not"]["enum"]
sentence = re.search(r"^It is none of (.*?), since", (ROOT / "docs/write-a-backend.md").read_text(encoding="utf-8"), re.S | re.M)
taught = re.findall(r"`(\w+)`", sentence[1]) if sentence else []
if not reader or not reader == schema == taught:
    problems.append(f"reserved words: runtime/Manifest.cpp {reader}, manifest.schema.json {schema}, docs/write-a-backend.md {taught}")

print("\n".join(problems) or f"{len(reader)} reserved words, {len(table)} variables, {len(read)} of them by their names in the sources")
sys.exit(1 if problems or len(read) < 5 else 0)
