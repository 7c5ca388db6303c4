#!/usr/bin/env python3
# random_kernels.py: kernels that nobody wrote: chains of random ops in random types and shapes, judged by the reference.
"""usage: random_kernels.py JIT_RUN [--count N] [--seed N] [--device NAME] [--keep FOLDER]

Every kernel is a kernel test of its own; what fails stands in a file in the folder kept, which `jit-run --check` runs
again. 40 kernels, 2,000 with KILN_TEST_FULL=1. Exit code 1 if one fails. Standard library only.
"""

import argparse
import functools
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable

import random_ops
from random_ops import FLOATS, INTEGERS, NUMBERS, SIGNED, STORED, VARIABLES, Value, elements, is_dynamic, is_plain, known, number

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
        self.needs: list[str] = []  # of the cases' numbers
        self.work: list[str] = []  # products of an op

    def require(self, condition: str) -> None:
        if any(v in condition for v in VARIABLES):
            self.needs.append(condition)

    def bound(self, products: str) -> None:
        self.work.append(products)

    def fresh(self) -> str:
        self.count += 1
        return f"%{self.count}"

    def emit(self, text: str, element: str, extents: list[str]) -> Value:
        value = Value(self.fresh(), element, extents)
        self.lines.append(f"{value.name} = {text.replace('RESULT', value.type)}")
        self.values.append(value)
        return value

    def input(self, element: str, extents: list[str], data: str = "") -> Value:
        value = Value(f"%a{len(self.inputs)}", element, extents, data)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def size(self, extent: str) -> str:
        """An extent as an operand: a number or an index value, read from a value that has it."""
        if not is_dynamic(extent):
            return extent
        if extent not in self.dims:
            source = next(v for v in [*self.inputs, *self.values] if extent in v.extents)
            axis = self.fresh().replace("%", "%c")
            self.lines.append(f"{axis} = arith.constant {source.extents.index(extent)} : index")
            self.dims[extent] = self.fresh().replace("%", "%d")
            self.lines.append(f"{self.dims[extent]} = tensor.dim {source.name}, {axis} : {source.type}")
        return self.dims[extent]

    def times(self, a: str, b: str) -> str:
        """The product of two extents."""
        extent = known(f"({a} * {b})")
        if is_dynamic(extent) and extent not in self.dims:
            operands = [self.size(e) for e in (a, b)]
            for i, operand in enumerate(operands):
                if not operand.startswith("%"):
                    operands[i] = self.fresh().replace("%", "%c")
                    self.lines.append(f"{operands[i]} = arith.constant {operand} : index")
            self.dims[extent] = self.fresh().replace("%", "%d")
            self.lines.append(f"{self.dims[extent]} = arith.muli {operands[0]}, {operands[1]} : index")
        return extent

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
        return self.input(element, [e if is_plain(e) and self.rng.random() < 0.7 else "1" for e in kept])

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

    def concat(self) -> bool:
        a = self.pick(NUMBERS + STORED + ["i1"], rank=1)
        axis = self.rng.randrange(len(a.extents)) if a else 0
        if not a or is_dynamic(a.extents[axis]) or not all(map(is_plain, a.extents)):
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
        if is_dynamic(x.extents[axis]):
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
            if is_dynamic(e) or int(e) < 2:
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
        if 0 < where < len(extents) and self.rng.random() < 0.5:  # two axes become one
            extents[where - 1:where + 1] = [self.times(*extents[where - 1:where + 1])]
        else:
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

    def first(self) -> Value:
        """What the chain begins with: extents that only run time knows, some of them, or none."""
        rng = self.rng
        names = VARIABLES[:rng.randint(1, 4)]
        rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6])
        extents = [rng.choice([*names, *names, "1", "4", "7"]) for _ in range(rank)]
        if rng.random() < 0.4:
            extents = [rng.choice(["1", "2", "3", "4", "5", "7", "8", "16", "17", "33"]) for _ in range(rank)]
            if rank in (1, 2) and rng.random() < 0.15:
                extents[rng.randrange(rank)] = rng.choice(["300", "1000", "4097", "5000"])
        return self.input(rng.choice(NUMBERS), extents)

    def apply(self, kinds: list[Callable[[], bool]]) -> None:
        """One op more; what an op that could not be written left is taken back."""
        while True:
            state = {name: value.copy() for name, value in vars(self).items() if isinstance(value, (list, dict))}
            if self.rng.choice(kinds)():
                return
            vars(self).update(state)

    def case(self, used: list[str], small: list[int]) -> dict[str, int] | None:
        """Values of the variables that every op takes, if some are found."""
        for _ in range(50):
            numbers = {v: self.rng.choice(small) for v in used}
            if numbers and self.rng.random() < 0.04:
                numbers[self.rng.choice(used)] = self.rng.choice([257, 1000, 5000])
            while any(numbers.values()) and self.largest(numbers) > 1:
                numbers[max(numbers, key=lambda v: numbers[v])] //= 2
            if self.largest(numbers) <= 1 and all(number(f"int({need})", numbers) for need in self.needs):
                return numbers
        return None

    def largest(self, numbers: dict[str, int]) -> float:
        """Elements and products as a part of what they may be."""
        return max([elements(v.extents, numbers) / MOST_ELEMENTS for v in self.values] +
                   [number(w, numbers) / random_ops.MOST_WORK for w in self.work])

    def write(self) -> str:
        """The function's text; nothing if no extents were found that all of its ops take."""
        rng = self.rng
        self.first()
        kinds = [self.unary] * 4 + [self.binary] * 5 + [self.convert] * 3 + [self.transpose] * 2 + [self.reduce] * 2 + [
            self.compare, self.select, self.reverse, self.normalize, self.concat, self.pad, self.slice, self.reshape,
            self.broadcast, self.quantize]
        more = [functools.partial(op, self) for op in random_ops.ORDER + random_ops.INDEXING]
        wide = [functools.partial(op, self) for op in random_ops.WINDOWS]
        weights = rng.choice([[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 2]])
        for _ in range(rng.randint(1, 10)):
            self.apply(kinds * weights[0] + more * weights[1] + wide * weights[2])
        made = [v for v in self.values if v not in self.inputs]
        results = list(dict.fromkeys([made[-1].name] + [v.name for v in made if rng.random() < 0.15]))[:4]
        by_name = {v.name: v for v in self.values}
        types = ", ".join(by_name[r].type for r in results)
        arguments = ", ".join(f"{v.name}: {v.type}" for v in self.inputs)
        inputs = ", ".join(f'"{"x".join(v.extents) or "scalar"}{v.data}"' for v in self.inputs)
        used = sorted({e for v in self.inputs for e in v.extents if is_dynamic(e)})
        cases = []
        for kind in ("first", "second", "specials"):
            numbers = self.case(used, [1, 2, 3, 5, 8, 17, 33] if kind != "second" else [0, 1, 4, 7, 16])
            if numbers is not None:
                cases.append(" ".join([f"{v}={n}" for v, n in numbers.items()] + (["specials"] if kind == "specials" else [])))
        if not cases:
            return ""
        body = "\n".join("  " + line for line in self.lines)
        quoted = ", ".join(f'"{c}"' for c in dict.fromkeys(cases))
        return (f"func.func @{self.name}({arguments}) -> ({types}) attributes {{kiln.test = {{\n    inputs = [{inputs}],\n"
                f"    cases = [{quoted}]}}}} {{\n{body}\n  return {', '.join(results)} : {types}\n}}\n")


def kernel(seed: int) -> str:
    rng = random.Random(seed)
    while True:
        if text := Kernel(rng, f"k{seed}").write():
            return text


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
            texts = {f"k{seed}": kernel(seed) for seed in seeds}
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
