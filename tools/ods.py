# ods.py: reads op and pass definitions through llvm-tblgen, for the reference pages and for lint.
"""What the .td files say, as Python objects. Needs llvm-tblgen 19 and MLIR's headers, no build."""

import json
import pathlib
import re
import shutil
import subprocess
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path("/usr/lib/llvm-19")


@dataclass
class Op:
    name: str  # "softmax"
    cpp_class: str  # "SoftmaxOp"
    summary: str
    description: str
    operands: list[tuple[str, str]]  # name, constraint
    attributes: list[tuple[str, str]]
    results: list[tuple[str, str]]
    file: str  # "KilnNormalization.td"
    line: int
    generated_code: str  # C++ that the .td itself holds

    @property
    def labels(self) -> list[str]:
        """Constraints in order: ["C1", "C2"]."""
        return re.findall(r"^\s*\* \((C\d+)\)", self.description, re.MULTILINE)


@dataclass
class Pass:
    argument: str  # "kiln-decompose"
    summary: str
    description: str
    options: list[tuple[str, str, str]]  # flag, default, description
    file: str


def dedent(text: str) -> str:
    lines = text.strip("\n").rstrip().split("\n")
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:].rstrip() for line in lines)


def records(file: pathlib.Path) -> dict:
    tblgen = shutil.which("llvm-tblgen", path=str(LLVM / "bin")) or "llvm-tblgen"
    folders = [LLVM / "include", ROOT / "dialects/include", ROOT / "jit/include", ROOT, file.parent]
    command = [tblgen, "-dump-json", str(file)] + [f"-I{folder}" for folder in folders]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def constraint(table: dict, name: str) -> str:
    """A constraint's summary; for enums the keywords, for defaults and optionals what they are."""
    record = table[name]
    if "OptionalAttr" in record["!superclasses"]:
        return "optional " + constraint(table, record["baseAttr"]["def"])
    if "DefaultValuedAttr" in record["!superclasses"]:
        default = record["defaultValue"].split("::")[-1]
        return f"{constraint(table, record['baseAttr']['def'])}, default {default}"
    if record.get("enum"):
        record = table[record["enum"]["def"]]
    if record.get("enumerants"):
        return "one of " + ", ".join(table[case["def"]]["str"] for case in record["enumerants"])
    prefix = {"Variadic": "any number of ", "Optional": "optional "}
    for kind, words in prefix.items():
        if kind in record["!superclasses"]:
            return words + constraint(table, record["baseType"]["def"])
    return record["summary"] or name


def ops() -> list[Op]:
    """All ops of the kiln dialect, by file and line."""
    table = records(ROOT / "dialects/include/kiln/IR/KilnOps.td")
    found = []
    for name in table["!instanceof"]["Op"]:
        record = table[name]
        if record["opDialect"]["def"] != "Kiln_Dialect":
            continue
        operands, attributes = [], []
        for value, argument in record["arguments"]["args"]:
            is_attribute = "AttrConstraint" in table[value["def"]]["!superclasses"]
            (attributes if is_attribute else operands).append((argument, constraint(table, value["def"])))
        results = [(result, constraint(table, value["def"])) for value, result in record["results"]["args"]]
        # The last place is the definition; those before are of its classes.
        file, line = record["!locs"][0].split(":")
        found.append(Op(record["opName"], name.removeprefix("Kiln_"), record["summary"], dedent(record["description"]),
                        operands, attributes, results, file, int(line), record["extraClassDefinition"] or ""))
    return sorted(found, key=lambda op: (op.file, op.line))


def passes() -> list[Pass]:
    """All passes of the tree, by argument; tests/foo is a repository of its own."""
    found = []
    for file in sorted(ROOT.glob("*/**/*.td")):
        text = file.read_text(encoding="utf-8")
        top = file.relative_to(ROOT).parts[0]
        if "build" in top or top == "tests" or not re.search(r"^def \w+ *: *Pass<", text, re.MULTILINE):
            continue
        table = records(file)
        for name in table["!instanceof"]["PassBase"]:
            record = table[name]
            options = [table[option["def"]] for option in record["options"]]
            found.append(Pass(record["argument"], record["summary"], dedent(record["description"]),
                              [(o["argument"], o["defaultValue"] or "", o["description"]) for o in options],
                              str(file.relative_to(ROOT))))
    return sorted(found, key=lambda p: p.argument)
