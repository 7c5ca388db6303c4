#!/usr/bin/env python3
# random_kernels.py: kernels that nobody wrote: chains of random ops in random types and shapes, judged by the reference.
"""usage: random_kernels.py JIT_RUN [--count N] [--seed N] [--device NAME] [--keep FOLDER]

Every kernel is a kernel test of its own; what fails stands in a file in the folder kept, which `jit-run --check` runs
again. 40 kernels, 2,000 with KILN_TEST_FULL=1. Exit code 1 if one fails. Standard library only.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

FLOATS = ["f16", "bf16", "f32", "f64"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS
STORED = ["f8E4M3FN", "f8E5M2", "i4", "ui4"]
VARIABLES = "ABCDEFGH"
MOST_ELEMENTS = 20000

# Unary ops that stay in a range in which nothing is ill-conditioned, by the types that they take.
UNARY = {
    "exp": FLOATS, "tanh": FLOATS, "sigmoid": FLOATS, "sin": FLOATS, "erf": FLOATS, "floor": FLOATS, "ceil": FLOATS,
    "round": FLOATS, "softplus": FLOATS, "silu": FLOATS, "atan": FLOATS,
    "abs": NUMBERS, "sign": NUMBERS, "relu": NUMBERS, "neg": FLOATS + SIGNED, "not": INTEGERS + ["i1"],
}
BINARY = {"add": NUMBERS, "sub": NUMBERS, "mul": NUMBERS, "max": NUMBERS, "min": NUMBERS, "div": INTEGERS, "rem": INTEGERS,
          "mod": INTEGERS, "and": INTEGERS + ["i1"], "or": INTEGERS + ["i1"], "xor": INTEGERS + ["i1"], "shl": INTEGERS,
          "shr": INTEGERS}


@dataclass
class Value:
    name: str
    element: str
    extents: list[str]  # "3" or the name of a variable

    @property
    def type(self) -> str:
        return "tensor<" + "".join(("?" if e in VARIABLES else e) + "x" for e in self.extents) + self.element + ">"


def elements(extents: list[str], numbers: dict[str, int]) -> int:
    count = 1
    for extent in extents:
        count *= numbers[extent] if extent in VARIABLES else int(extent)
    return count


class Kernel:
    """One function while it is written."""

    def __init__(self, rng: random.Random, name: str):
        self.rng = rng
        self.name = name
        self.lines: list[str] = []
        self.inputs: list[Value] = []
        self.values: list[Value] = []
        self.dims: dict[str, str] = {}  # the SSA name of a variable
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%{self.count}"

    def emit(self, text: str, element: str, extents: list[str]) -> Value:
        value = Value(self.fresh(), element, extents)
        self.lines.append(f"{value.name} = {text.replace('RESULT', value.type)}")
        self.values.append(value)
        return value

    def input(self, element: str, extents: list[str]) -> Value:
        value = Value(f"%a{len(self.inputs)}", element, extents)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def size(self, extent: str) -> str:
        """An extent as an operand: a number or an index value, read from an input that has it."""
        if extent not in VARIABLES:
            return extent
        if extent not in self.dims:
            source = next(v for v in self.inputs if extent in v.extents)
            axis = self.fresh().replace("%", "%c")
            self.lines.append(f"{axis} = arith.constant {source.extents.index(extent)} : index")
            self.dims[extent] = self.fresh().replace("%", "%d")
            self.lines.append(f"{self.dims[extent]} = tensor.dim {source.name}, {axis} : {source.type}")
        return self.dims[extent]

    def sizes(self, extents: list[str]) -> str:
        return ", ".join([self.size(e) for e in extents])

    def pick(self, types: list[str], rank: int = 0) -> Value | None:
        found = [v for v in self.values if v.element in types and len(v.extents) >= rank]
        # What was made last is read more often: chains are long.
        return self.rng.choice(found[-4:] if self.rng.random() < 0.7 else found) if found else None

    # ---- Ops; each returns whether it could be written.

    def unary(self) -> bool:
        op = self.rng.choice(list(UNARY))
        x = self.pick(UNARY[op])
        if not x:
            return False
        self.emit(f"kiln.{op} {x.name} : {x.type}", x.element, x.extents)
        return True

    def broadcast_to(self, extents: list[str], element: str) -> Value:
        """A value or a new input whose shape broadcasts to `extents`."""
        known = [v for v in self.values if v.element == element and len(v.extents) <= len(extents) and
                 all(a in (b, "1") for a, b in zip(v.extents[::-1], extents[::-1]))]
        if known and self.rng.random() < 0.6:
            return self.rng.choice(known)
        kept = extents[self.rng.randint(0, len(extents)):]
        return self.input(element, [e if self.rng.random() < 0.7 else "1" for e in kept])

    def binary(self) -> bool:
        op = self.rng.choice(list(BINARY))
        a = self.pick(BINARY[op])
        if not a:
            return False
        b = self.broadcast_to(a.extents, a.element)
        self.emit(f"kiln.{op} {a.name}, {b.name} : {a.type}, {b.type} -> RESULT", a.element, a.extents)
        return True

    def compare(self) -> bool:
        a = self.pick(NUMBERS + ["i1"])
        b = self.broadcast_to(a.extents, a.element)
        direction = self.rng.choice(["eq", "ne", "lt", "le", "gt", "ge"])
        self.emit(f"kiln.compare {direction} {a.name}, {b.name} : {a.type}, {b.type} -> RESULT", "i1", a.extents)
        return True

    def select(self) -> bool:
        condition = self.pick(["i1"])
        a = self.pick(NUMBERS)
        if not condition or not a or condition.extents != a.extents:
            return False
        b = self.broadcast_to(a.extents, a.element)
        self.emit(f"kiln.select {condition.name}, {a.name}, {b.name} : {condition.type}, {a.type}, {b.type} -> RESULT",
                  a.element, a.extents)
        return True

    def convert(self) -> bool:
        x = self.pick(NUMBERS + STORED + ["i1"])
        to = self.rng.choice([t for t in NUMBERS + STORED + ["i1"] if t != x.element])
        self.emit(f"kiln.convert {x.name} : {x.type} to RESULT", to, x.extents)
        return True

    def transpose(self) -> bool:
        x = self.pick(NUMBERS + STORED + ["i1"], rank=2)
        if not x:
            return False
        perm = list(range(len(x.extents)))
        self.rng.shuffle(perm)
        self.emit(f"kiln.transpose {x.name} perm {perm} : {x.type} -> RESULT", x.element, [x.extents[i] for i in perm])
        return True

    def reverse(self) -> bool:
        x = self.pick(NUMBERS + ["i1"], rank=1)
        if not x:
            return False
        axes = sorted(self.rng.sample(range(len(x.extents)), self.rng.randint(1, len(x.extents))))
        self.emit(f"kiln.reverse {x.name} axes {axes} : {x.type}", x.element, x.extents)
        return True

    def reduce(self) -> bool:
        x = self.pick(NUMBERS, rank=1)
        if not x:
            return False
        kinds = ["sum", "max", "min", "mean", "l1"] + (["log_sum_exp"] if x.element in FLOATS else ["prod", "sum_square"])
        axes = sorted(self.rng.sample(range(len(x.extents)), self.rng.randint(1, len(x.extents))))
        keep = self.rng.random() < 0.5
        extents = [("1" if i in axes else e) for i, e in enumerate(x.extents) if keep or i not in axes]
        self.emit(f"kiln.reduce {self.rng.choice(kinds)} {x.name} axes {axes}{' keepdims' if keep else ''} : {x.type} -> RESULT",
                  x.element, extents)
        return True

    def normalize(self) -> bool:
        x = self.pick(FLOATS, rank=1)
        if not x:
            return False
        self.emit(f"kiln.{self.rng.choice(['softmax', 'log_softmax'])} {x.name} axis {self.rng.randrange(len(x.extents))} "
                  f": {x.type}", x.element, x.extents)
        return True

    def cumulative(self) -> bool:
        x = self.pick(NUMBERS, rank=1)
        if not x:
            return False
        flags = "".join(f for f in (" exclusive", " reverse") if self.rng.random() < 0.4)
        self.emit(f"kiln.cumulative sum {x.name} axis {self.rng.randrange(len(x.extents))}{flags} : {x.type}", x.element,
                  x.extents)
        return True

    def matmul(self) -> bool:
        a = self.pick(NUMBERS, rank=2)
        if not a:
            return False
        k = a.extents[-1]
        n = self.rng.choice(VARIABLES[:4] + "1")
        trans = self.rng.random() < 0.5
        if n in VARIABLES and not any(n in v.extents for v in self.inputs):
            n = "5"
        b = self.input(a.element, [n, k] if trans else [k, n])
        to = "i32" if re.fullmatch("u?i(8|16)", a.element) else a.element
        self.emit(f"kiln.matmul {a.name}, {b.name}{' transB' if trans else ''} : {a.type}, {b.type} -> RESULT", to,
                  a.extents[:-1] + [n])
        return True

    def concat(self) -> bool:
        a = self.pick(NUMBERS + STORED + ["i1"], rank=1)
        axis = self.rng.randrange(len(a.extents)) if a else 0
        if not a or a.extents[axis] in VARIABLES:
            return False
        more = self.rng.randint(0, 3)
        b = self.input(a.element, a.extents[:axis] + [str(more)] + a.extents[axis + 1:])
        total = str(int(a.extents[axis]) + more)
        self.emit(f"kiln.concat {a.name}, {b.name} axis {axis} : {a.type}, {b.type} -> RESULT", a.element,
                  a.extents[:axis] + [total] + a.extents[axis + 1:])
        return True

    def pad(self) -> bool:
        x = self.pick(NUMBERS, rank=1)
        if not x:
            return False
        axis = self.rng.randrange(len(x.extents))
        if x.extents[axis] in VARIABLES:
            return False
        low, high = [0] * len(x.extents), [0] * len(x.extents)
        low[axis], high[axis] = self.rng.randint(0, 3), self.rng.randint(0, 3)
        value = self.input(x.element, [])
        extents = list(x.extents)
        extents[axis] = str(int(extents[axis]) + low[axis] + high[axis])
        self.emit(f"kiln.pad {x.name} low {low} high {high} mode constant value {value.name} : {x.type}, {value.type} -> RESULT",
                  x.element, extents)
        return True

    def slice(self) -> bool:
        x = self.pick(NUMBERS + STORED + ["i1"], rank=1)
        if not x:
            return False
        offsets, sizes, steps, extents = [], [], [], []
        for e in x.extents:
            if e in VARIABLES or int(e) < 2:
                offsets.append("0"), sizes.append(self.size(e)), steps.append("1"), extents.append(e)
                continue
            offset, step = self.rng.randint(0, int(e) - 1), self.rng.randint(1, 2)
            length = (int(e) - offset + step - 1) // step
            offsets.append(str(offset)), sizes.append(str(length)), steps.append(str(step)), extents.append(str(length))
        self.emit(f"kiln.slice {x.name} offsets [{', '.join(offsets)}] sizes [{', '.join(sizes)}] strides [{', '.join(steps)}] "
                  f": {x.type} -> RESULT", x.element, extents)
        return True

    def reshape(self) -> bool:
        x = self.pick(NUMBERS + STORED + ["i1"], rank=1)
        if not x:
            return False
        extents = list(x.extents)
        where = self.rng.randint(0, len(extents))
        extents.insert(where, "1")
        if self.rng.random() < 0.3:
            self.rng.shuffle(extents)
        if len(extents) > 7:
            return False
        self.emit(f"kiln.reshape {x.name} [{self.sizes(extents)}] : {x.type} -> RESULT", x.element, extents)
        return True

    def broadcast(self) -> bool:
        x = self.pick(NUMBERS + ["i1"])
        extents = [e if e != "1" else self.rng.choice(["1", "3"]) for e in x.extents]
        if len(extents) < 6 and self.rng.random() < 0.4:
            extents.insert(0, "2")
        self.emit(f"kiln.broadcast {x.name} [{self.sizes(extents)}] : {x.type} -> RESULT", x.element, extents)
        return True

    def gather(self) -> bool:
        x = self.pick(NUMBERS + ["i1"], rank=1)
        if not x:
            return False
        axis = self.rng.randrange(len(x.extents))
        if x.extents[axis] in VARIABLES or int(x.extents[axis]) == 0:
            return False
        i = self.input(self.rng.choice(["i32", "i64"]), [self.rng.choice(["1", "3", "4"])])
        self.emit(f"kiln.gather {x.name}, {i.name} axis {axis} : {x.type}, {i.type} -> RESULT", x.element,
                  x.extents[:axis] + i.extents + x.extents[axis + 1:])
        return True

    def sort(self) -> bool:
        x = self.pick(INTEGERS, rank=1)
        if not x:
            return False
        axis = self.rng.randrange(len(x.extents))
        values, indices = self.fresh(), self.fresh()
        flag = self.rng.choice(["", " descending"])
        i = Value(indices, "i64", x.extents)
        self.lines.append(f"{values}, {indices} = kiln.sort {x.name} axis {axis}{flag} : {x.type} -> {x.type}, {i.type}")
        self.values += [Value(values, x.element, x.extents), i]
        return True

    def quantize(self) -> bool:
        x = self.pick(FLOATS)
        if not x:
            return False
        scale = self.input("f32", [])
        to = self.rng.choice(["i8", "ui8", "i16", "i4"])
        q = self.emit(f"kiln.quantize {x.name} scale {scale.name} : {x.type}, {scale.type} -> RESULT", to, x.extents)
        if self.rng.random() < 0.5:
            self.emit(f"kiln.dequantize {q.name} scale {scale.name} : {q.type}, {scale.type} -> RESULT", "f32", x.extents)
        return True

    # ---- The whole

    def write(self) -> str:
        rng = self.rng
        names = VARIABLES[:rng.randint(1, 4)]
        rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 6])
        extents = [rng.choice([*names, *names, "1", "4", "7"]) for _ in range(rank)]
        self.input(rng.choice(NUMBERS), extents)
        kinds = [self.unary] * 4 + [self.binary] * 5 + [self.convert] * 3 + [self.transpose] * 2 + [self.reduce] * 2 + [
            self.compare, self.select, self.reverse, self.normalize, self.cumulative, self.matmul, self.concat, self.pad,
            self.slice, self.reshape, self.broadcast, self.gather, self.sort, self.quantize]
        for _ in range(rng.randint(1, 10)):
            while not rng.choice(kinds)():
                pass
        made = [v for v in self.values if v not in self.inputs]
        results = list(dict.fromkeys([made[-1].name] + [v.name for v in made if rng.random() < 0.15]))[:4]
        by_name = {v.name: v for v in self.values}
        types = ", ".join(by_name[r].type for r in results)
        arguments = ", ".join(f"{v.name}: {v.type}" for v in self.inputs)
        inputs = ", ".join(f'"{"x".join(v.extents) or "scalar"}"' for v in self.inputs)
        used = sorted({e for v in self.inputs for e in v.extents if e in VARIABLES})
        cases = []
        for kind in ("first", "second", "specials"):
            numbers = {v: rng.choice([1, 2, 3, 5, 8, 17, 33] if kind != "second" else [0, 1, 4, 7, 16]) for v in used}
            while numbers and max(elements(v.extents, numbers) for v in self.values) > MOST_ELEMENTS:
                largest = max(numbers, key=lambda v: numbers[v])
                numbers[largest] //= 2
            cases.append(" ".join([f"{v}={n}" for v, n in numbers.items()] + (["specials"] if kind == "specials" else [])))
        body = "\n".join("  " + line for line in self.lines)
        quoted = ", ".join(f'"{c}"' for c in dict.fromkeys(cases))
        return (f"func.func @{self.name}({arguments}) -> ({types}) attributes {{kiln.test = {{\n    inputs = [{inputs}],\n"
                f"    cases = [{quoted}]}}}} {{\n{body}\n  return {', '.join(results)} : {types}\n}}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jit_run")
    parser.add_argument("--count", type=int, default=2000 if os.environ.get("KILN_TEST_FULL") == "1" else 40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="host")
    parser.add_argument("--refusals", help="refusals with a line that has this text are no failures: what the device is known to lack")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the kernels that fail")
    arguments = parser.parse_args()
    failed = ran = 0
    with tempfile.TemporaryDirectory() as temporary:
        batch = 25
        for start in range(arguments.seed, arguments.seed + arguments.count, batch):
            seeds = range(start, min(start + batch, arguments.seed + arguments.count))
            texts = {f"k{seed}": Kernel(random.Random(seed), f"k{seed}").write() for seed in seeds}
            for name, text in run(arguments, pathlib.Path(temporary), texts).items():
                failed += 1
                print(text)
                if arguments.keep:
                    arguments.keep.mkdir(parents=True, exist_ok=True)
                    (arguments.keep / f"{name}.mlir").write_text(texts[name])
            ran += len(texts)
    print(f"{ran} kernels from seed {arguments.seed}: {ran - failed} agree with the reference, {failed} fail")
    return 1 if failed else 0


def run(arguments: argparse.Namespace, folder: pathlib.Path, texts: dict[str, str]) -> dict[str, str]:
    """What fails, by name, with why; a process that ends is narrowed down to the kernel that ended it."""
    file = folder / "kernels.mlir"
    file.write_text("\n".join(texts.values()))
    command = [arguments.jit_run, "--check", str(file), "--device", arguments.device]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30 + 10 * len(texts))
        output, code = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired:
        output, code = "time-out", -1
    if code == 0:
        return {}
    reports = re.findall(r"^(?:FAIL|REFUSED) \S+?: (\w+).*$", output, re.MULTILINE)
    if code == 1 and reports:
        lines = {name: [line for line in output.split("\n") if re.match(rf"(FAIL|REFUSED) \S+ {name}\b", line)]
                 for name in dict.fromkeys(reports)}
        return {name: "\n".join(of) for name, of in lines.items()
                if not arguments.refusals or any(line.startswith("FAIL") or arguments.refusals not in line for line in of)}
    if len(texts) == 1:
        return {name: f"FAIL {name}: exit code {code}: {output[-500:]}" for name in texts}
    failing: dict[str, str] = {}
    for name, text in texts.items():
        failing |= run(arguments, folder, {name: text})
    return failing


if __name__ == "__main__":
    sys.exit(main())
