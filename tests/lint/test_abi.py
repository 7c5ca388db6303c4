# test_abi.py: which structs of the public C headers have no struct_size, and that each header says so.
import pathlib
import re
import sys

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "runtime/include/kiln"
STRUCT = re.compile(r"^typedef struct (\w+) \{(.*?)^\} \w+;", re.S | re.M)
SIZED = re.compile(r"\s*(//[^\n]*\n\s*)*size_t struct_size;")

problems, count = [], 0
for name in ("backend.h", "compiler.h"):
    text = (HEADERS / name).read_text(encoding="utf-8")
    fixed = [struct for struct, body in STRUCT.findall(text) if not SIZED.match(body)]
    count += len(fixed)
    banner = re.sub(r"\s*\n//\s*", " ", text.split("#ifndef", 1)[0])
    said = re.search(r"Without struct_size, and so never to change: ([^.;]*)[.;]", banner)
    listed = re.findall(r"Kiln\w+", said[1]) if said else []
    if listed != fixed:
        problems.append(f"{name}: its banner lists {listed}; without struct_size are {fixed}")
print("\n".join(problems) or f"{count} structs that never change")
sys.exit(1 if problems or count == 0 else 0)
