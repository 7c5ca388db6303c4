# kernel_cases.py: which ops tests/kernels/ops runs in which element types, beside those that are legal.
"""What the kernel tests cover, for lint. Reads the .td files and the tests as text: needs no build."""

import pathlib
import re
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
DIALECT = ROOT / "dialects/include/kiln/IR"
# What makes a program rather than a value: there is nothing to compare.
STRUCTURAL = {"constant", "weight", "kernel", "yield", "launch", "optimization_barrier", "check_close", "check_equal"}
ATOMS = {"F16": "f16", "BF16": "bf16", "F32": "f32", "F64": "f64", "F8E4M3FN": "f8E4M3FN", "F8E5M2": "f8E5M2", "I1": "i1",
         "I<4>": "i4", "UI<4>": "ui4"} | {f"{s}{n}": f"{s.lower()}{n}" for s in ("I", "UI") for n in (8, 16, 32, 64)}


@dataclass
class Op:
    name: str  # "softmax"
    types: set[str] = field(default_factory=set)  # of the elements of its operands: legal ones


def definitions() -> dict[str, str]:
    """The right-hand side of every def of the dialect."""
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(DIALECT.glob("*.td")))
    return dict(re.findall(r"^def (\w+)\s*:\s*(.*?)(?:;$| \{$)", text, re.MULTILINE | re.DOTALL))


def element_types(expression: str, table: dict[str, str]) -> set[str]:
    """The element types that a constraint lets through."""
    types: set[str] = set()
    for name in re.findall(r"U?I<4>|\w+", re.sub(r'"[^"]*"', "", expression)):
        if name in ATOMS:
            types.add(ATOMS[name])
        elif name.startswith("Kiln_") and not name.endswith("Attr") and "Op<" not in table.get(name, "Op<"):
            types |= element_types(table[name], table)
    return types


def ops() -> list[Op]:
    """All ops with the element types that their tensor operands take."""
    table = definitions()
    classes: dict[str, str] = {}
    found = []
    for file in sorted(DIALECT.glob("*.td")):
        text = file.read_text(encoding="utf-8")
        for name, body in re.findall(r"^class (Kiln_\w+)<(.*?)^\}", text, re.MULTILINE | re.DOTALL):
            classes[name] = body
        for match in re.finditer(r'^def Kiln_\w+Op\s*:\s*(\w+)<\s*"(\w+)"(.*?)^\}', text, re.MULTILINE | re.DOTALL):
            base, name, body = match.groups()
            arguments = re.search(r"let arguments = \(ins(.*?)\);", body, re.DOTALL)
            # Written by the op, in its template arguments, or by the class that gives its operands.
            source = arguments[1] if arguments else body.split("{")[0]
            if not arguments and base in classes:
                source += "".join(re.findall(r"\(ins(.*?)\)", classes[base], re.DOTALL))
            found.append(Op(name, element_types(source, table)))
    return found


def covered_by(text: str) -> dict[str, set[str]]:
    """By op, the element types on its lines in the functions of a test file whose results the reference judges."""
    result: dict[str, set[str]] = {}
    for function in re.split(r"^func\.func ", text, flags=re.MULTILINE)[1:]:
        if "kiln.test" not in function or "return %" not in function:
            continue
        types = re.search(r"types = \[(.*?)\]", function)
        first = re.search(r"tensor<(?:[\d?]+x)*(\w+)>", function)
        variants = re.split(r",\s*", types[1]) if types else []
        for op, line in re.findall(r"\bkiln\.(\w+)\b(.*?)(?=^  %|^  return|^\})", function, re.MULTILINE | re.DOTALL):
            for element in re.findall(r"tensor<(?:[\d?]+x)*(\w+)>", line):
                retyped = types and first and element == first[1]
                result.setdefault(op, set()).update(variants if retyped else [element])
    return result


def covered() -> dict[str, set[str]]:
    """What all files of tests/kernels/ops cover."""
    result: dict[str, set[str]] = {}
    for file in sorted((ROOT / "tests/kernels/ops").glob("*.mlir")):
        for op, types in covered_by(file.read_text(encoding="utf-8")).items():
            result.setdefault(op, set()).update(types)
    return result


def problems_of(op: Op, cases: dict[str, set[str]], reference: str, lit: str) -> list[str]:
    """What `op` lacks: a test of its syntax, a reference, a case, a type."""
    found = []
    if not re.search(rf"\bkiln\.{op.name}\b", lit):
        found.append(f"kiln.{op.name}: no test in tests/lit/dialects")
    if op.name in STRUCTURAL:
        return found
    if f'"kiln.{op.name}"' not in reference:
        found.append(f"kiln.{op.name}: no reference in jit/Reference")
    missing = op.types - cases.get(op.name, set())
    if op.name not in cases:
        found.append(f"kiln.{op.name}: no case in tests/kernels/ops")
    elif missing:
        found.append(f"kiln.{op.name}: no case in tests/kernels/ops for {', '.join(sorted(missing))}")
    return found


def problems() -> list[str]:
    """What the ops of the dialect lack."""
    cases = covered()
    reference = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "jit/Reference").glob("*.cpp"))
    lit = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests/lit/dialects").glob("*.mlir"))
    return [problem for op in ops() for problem in problems_of(op, cases, reference, lit)]
