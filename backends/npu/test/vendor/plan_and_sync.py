# plan_and_sync.py: our plan and flags beside the vendor's, and the vendor's on our device's pipes.
"""Counts are of what all blocks of a launch execute; the kernels stand in reference.mlir."""

import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
from dataclasses import asdict, dataclass

import numpy as np
from ascendnpu import Vendor
from final_module import Event, Machine, functions_of
from generic_ir import Op
from memory import DYNAMIC, parse_memref

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "plan-and-sync.json"
MANUAL = HERE.parents[3] / "docs/npu.md"  # shows what is recorded
BEGIN, END = "<!-- plan -->", "<!-- end of plan -->"
TYPES = {"f16": np.float16, "f32": np.float32}


@dataclass
class Figures:
    sets: int = 0  # flags set, of pairs of pipes that the vendor's compiler orders, too
    inner: int = 0  # flags between MTE1 and M, which its library's mmadL1 has inside
    barriers: int = 0
    ub: int = 0  # peak bytes
    l1: int = 0
    l0c: int = 0

    def add(self, events: list[Event]) -> None:
        for event in events:
            is_inner = {event.pipe, event.target} == {"MTE1", "M"}
            self.sets += event.kind == "set" and not is_inner
            self.inner += event.kind == "set" and is_inner
            self.barriers += event.kind == "barrier"


class OurMachine(Machine):
    """Flags and barriers of an npu module after stage lower; what its ops compute is not of interest."""

    def run_blocks(self) -> Figures:
        figures = Figures()
        self.count = int(re.search(r"npu\.blocks = (\d+)", self.entry.attributes)[1])
        for name, size in re.findall(r"(\w+) = (\d+) : i64", re.search(r"kiln\.peak_bytes = \{(.*?)\}", self.entry.attributes)[1]):
            if hasattr(figures, name):
                setattr(figures, name, int(size))
        for self.block in range(self.count):
            self.events = []
            self.block_of(self.entry.regions[0][0].ops, dict.fromkeys(self.entry.regions[0][0].arguments))
            figures.add(self.events)
        return figures

    def perform(self, op: Op, operands: list, values: dict) -> list:
        dialect, _, name = op.name.rpartition(".")
        if dialect == "memref":
            if name != "dim":
                return [None] * len(op.results)
            extent = parse_memref(re.sub(r"#npu\.memory<\w+>", "#hivm.address_space<gm>", op.types[0]))[0][operands[1]]
            if extent == DYNAMIC:
                raise ValueError("a dynamic extent; expected static kernels")
            return [extent]
        if dialect != "npu":
            return super().perform(op, operands, values)
        pipe = lambda key: re.search(rf"\b{key} = #npu\.pipe(\w+)", op.attributes)[1]  # noqa: E731
        if name in ("set_flag", "wait_flag"):
            number = int(op.attribute("event", r"(\d+)")) + (operands[0] if operands else 0)
            self.events.append(Event(name.split("_")[0], pipe("source"), pipe("target"), number, site=op))
        elif name == "pipe_barrier":
            self.events.append(Event("barrier", pipe("pipe"), site=op))
        elif name == "block_idx":
            return [self.block]
        elif name == "block_num":
            return [self.count]
        return [None] * len(op.results)


def emit(build: pathlib.Path, function: str, what: str) -> str:
    done = subprocess.run([str(build / "bin/jit-run"), str(HERE / "reference.mlir"), "--function", function, "--device", "npu", "--emit", what],
                          capture_output=True, text=True, env={**os.environ, "KILN_CACHE": "off"})
    if done.returncode:
        raise SystemExit(f"error: {function}: --emit={what}: {done.stderr}")
    return done.stdout


def kernels() -> list[str]:
    return re.findall(r"^func\.func @(\w+)", (HERE / "reference.mlir").read_text(), re.MULTILINE)


def ours(build: pathlib.Path, function: str) -> Figures:
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(emit(build, function, "lower"))
        file.flush()
        text = subprocess.run([str(build / "bin/jit-opt"), file.name, "--mlir-print-op-generic"], capture_output=True, text=True, check=True).stdout
    return OurMachine(functions_of(text)).run_blocks()


def theirs(vendor: Vendor, hivm: str, blocks: range | None = None) -> tuple[Figures, list[Event]]:
    """The vendor's figures over these blocks (all, if none are named), and the last block's trace."""
    verdict = vendor.compile(hivm, generic=True)
    if not verdict.accepted:
        raise SystemExit(f"error: {verdict.reason}")
    count = int(re.search(r"scf\.forall \(%\w+\) in \((\d+)\)", hivm)[1])
    machine, figures, events = Machine(functions_of(verdict.module)), Figures(), []
    machine.computes = False
    shapes = re.findall(r"%arg\d+: (memref<.*?>)(?=[,)])", hivm[: hivm.index("\n")])
    arguments = []
    for sizes, element, *_ in map(parse_memref, shapes):
        arguments.append((np.zeros(sizes, TYPES[element]), sizes))
    for block in blocks or range(count):
        events = machine.run(arguments, block)
        figures.add(events)
    figures.ub, figures.l1, figures.l0c = machine.peaks["ub"], machine.peaks["cbuf"], machine.peaks["cc"]
    return figures, events


def table(found: dict) -> list[str]:
    lines = ["| kernel | flags set | barriers | UB bytes | L1 bytes | L0C bytes | flags MTE1-M |", "|---|---|---|---|---|---|---|"]
    for function, sides in found.items():
        mine, other = sides["ours"], sides["theirs"]
        pairs = [f"{mine[key]} / {other[key]}" if mine[key] or other[key] else "–" for key in ("sets", "barriers", "ub", "l1", "l0c")]
        lines.append(f"| {function} | {' | '.join(pairs)} | {mine['inner'] or '–'} |")
    return lines


def compare(build: pathlib.Path, vendor: Vendor) -> int:
    recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    found, problems = {}, []
    for function in kernels():
        mine, (other, _) = ours(build, function), theirs(vendor, emit(build, function, "hivm"))
        found[function] = {"ours": asdict(mine), "theirs": asdict(other)}
        for side, figures in (("ours", mine), ("the vendor's", other)):
            if not figures.sets or not (figures.ub or figures.l0c):
                problems.append(f"{function}: nothing counted in {side} module: {figures}")
        problems += [f"{function}: ours has more {key} than the vendor's" for key in ("sets", "barriers") if getattr(mine, key) > getattr(other, key)]
        for key, value in asdict(mine).items():
            limit = recorded.get(function, {}).get("ours", {}).get(key)
            if limit is not None and value > limit:
                problems.append(f"{function}: {key} is {value}; recorded {limit}")
    print("Ours / theirs:", *table(found), sep="\n")
    before, rest = MANUAL.read_text().split(BEGIN)
    shown, after = rest.split(END)
    if os.environ.get("KILN_TEST_WRITE_REFERENCE") == "1":
        RECORD.write_text(json.dumps(found, indent=1) + "\n")
        MANUAL.write_text("\n".join([before + BEGIN, *table(found), END + after]))
        return 0
    problems += [f"{function}: nothing recorded" for function in sorted(set(found) - set(recorded))]
    if shown.strip().splitlines() != table(recorded):
        problems.append(f"{MANUAL.name} shows other figures than {RECORD.name} (KILN_TEST_WRITE_REFERENCE=1 writes both)")
    print(*problems, sep="\n")
    return 1 if problems else 0


# ---- The vendor's flags on our pipes

def trace_lines(events: list[Event]) -> list[str]:
    """A trace as npu-check-trace reads it. mmadL1 is MTE1 and M with flags of its own, numbered from 8; what the
    compiler asks it to wait for and to set stands in the call."""
    lines, sites = [], {}

    def accesses(views, how):
        return "".join(f" {how} {view.memory.name} {begin} {end}" for view in views if view.memory.name != "gm" for begin, end in view.ranges())

    for event in events:
        if event.kind in ("set", "wait"):
            lines.append(f"{event.kind} {event.pipe} {event.target} {event.number}")
        elif event.kind == "barrier":
            lines.append(f"barrier {event.pipe} {sites.setdefault(id(event.site), len(sites))}")
        elif event.pipe == "MTE1+M":
            sums = [view for view in event.reads if view.memory.name == "cc"]
            operands = [view for view in event.reads if view.memory.name == "cbuf"]
            waits, sets = event.flags[:2], event.flags[2:4]
            lines += [f"wait MTE2 MTE1 {flag}" for flag in waits if flag >= 0]
            lines += [f"work MTE1{accesses(operands, 'r')}"]
            lines += [f"set MTE1 MTE2 {flag}" for flag in sets if flag >= 0]
            lines += ["set MTE1 M 8", "wait MTE1 M 8", f"work M{accesses(sums, 'r')}{accesses(event.writes, 'w')}", "set M MTE1 8", "wait M MTE1 8"]
        else:
            lines.append(f"work {event.pipe}{accesses(event.reads, 'r')}{accesses(event.writes, 'w')}")
    return lines


def check_imports(build: pathlib.Path, vendor: Vendor) -> int:
    failures = []
    for function in kernels():
        _, events = theirs(vendor, emit(build, function, "hivm"), range(1))
        with tempfile.NamedTemporaryFile("w", suffix=".trace") as file:
            file.write("\n".join(trace_lines(events)) + "\n")
            file.flush()
            done = subprocess.run([str(build / "tests/bin/npu-check-trace"), file.name], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        counts = collections.Counter(line.split()[0] for line in lines[1:])
        redundant = [line.removeprefix("redundant ") for line in lines if line.startswith("redundant")]
        print(f"{function}: {lines[0] if lines else done.stderr.strip()}; {counts['needed']} flags and barriers are missed when taken out, "
              f"{counts['redundant']} are not{': ' + ', '.join(redundant) if redundant else ''}")
        if done.returncode or lines[0] != "clean" or counts["needed"] == 0:
            failures.append(function)
    return 1 if failures else 0
