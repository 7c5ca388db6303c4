# final_module.py: executes a module that the vendor's compiler has planned and synchronised, one core after the other.
"""Program order, so that it judges addresses, layouts and numbers; what runs when is judged by plan_and_sync.py on its trace."""

import math
import re
import threading
from dataclasses import dataclass, field

import numpy as np
from generic_ir import Op, read, split_top
from library import call_library
from memory import DTYPES, DYNAMIC, SIZES, Memory, View, parse_memref


@dataclass
class Event:
    kind: str  # "work", "set", "wait", "barrier"
    pipe: str  # of work and barriers; of flags, the one that sets
    target: str = ""  # the one that waits
    number: int = 0  # of the flag
    name: str = ""  # of work: the function
    reads: list[View] = field(default_factory=list)
    writes: list[View] = field(default_factory=list)
    site: Op | None = None  # which op of the module it is
    flags: list[int] = field(default_factory=list)  # of mmadL1: two to wait for and two to set, -1 for none


def functions_of(text: str) -> list[Op]:
    """Those with a body."""
    return [op for op in read(text).regions[0][0].ops if op.name == "func.func" and op.regions[0][0].ops]


class Machine:
    computes = True  # else views and flags only

    def __init__(self, functions: list[Op]):
        self.entry = functions[0]
        if len(functions) != 1:
            raise ValueError(f"{len(functions)} functions with a body; expected one")
        self.others: Rendezvous | None = None  # cores of the same block
        self.core = 0  # 0: the cube core; else a vector core
        self.events: list[Event] = []
        self.peaks = dict.fromkeys(SIZES, 0)  # bytes, by memory

    def run(self, arguments: list, block: int) -> list[Event]:
        """One core's run. Arguments: flat arrays with their extents as (array, sizes), or numbers. Returns its trace."""
        self.block, self.events = block, []
        self.memories = {name: Memory(name, np.full(size, 0xCD, np.uint8)) for name, size in SIZES.items()}
        values: dict[str, object] = {}
        types = re.search(r"function_type = \((.*?)\) -> \(\)", self.entry.attributes)
        for name, given, kind in zip(self.entry.regions[0][0].arguments, arguments, split_top(types[1]), strict=True):
            if isinstance(given, tuple):
                data, sizes = given
                strides = [int(np.prod(sizes[axis + 1:])) for axis in range(len(sizes))]
                values[name] = View(Memory("gm", data.view(np.uint8).reshape(-1)), parse_memref(kind)[1], 0, 0, list(sizes), strides)
            else:
                values[name] = given
        self.block_of(self.entry.regions[0][0].ops, values)
        return self.events

    # ---- Control flow

    def block_of(self, ops: list[Op], values: dict) -> list:
        for op in ops:
            operands = [values[name] for name in op.operands]
            if op.name in ("scf.yield", "func.return"):
                return operands
            results = self.perform(op, operands, values)
            for name, result in zip(op.results, results, strict=True):
                values[name] = result
        return []

    def perform(self, op: Op, operands: list, values: dict) -> list:
        if op.name == "scf.for":
            lower, upper, step, *carried = operands
            body = op.regions[0][0]
            for i in range(lower, upper, step):
                values.update(zip(body.arguments, [i, *carried], strict=True))
                carried = self.block_of(body.ops, values)
            return carried
        if op.name == "scf.if":
            region = op.regions[0 if operands[0] else 1] if operands[0] or len(op.regions) > 1 else [None]
            return self.block_of(region[0].ops, values) if region[0] and region[0].ops else []
        dialect, _, name = op.name.rpartition(".")
        handler = {"arith": self.arith, "math": self.math, "memref": self.memref, "hivm.hir": self.hivm, "affine": self.affine,
                   "func": self.func, "memref_ext": self.workspace}.get(dialect)
        if not handler:
            raise ValueError(f"no meaning for {op.name}")
        return handler(name, op, operands)

    # ---- Scalars

    def affine(self, name: str, op: Op, operands: list) -> list:
        dims, symbols, results = re.search(r"affine_map<\((.*?)\)(?:\[(.*?)\])? -> \((.*)\)>", op.attributes).groups()
        names = [word.strip() for word in (dims + "," + (symbols or "")).split(",") if word.strip()]
        scope = dict(zip(names, operands, strict=True))
        text = re.sub(r"\bfloordiv\b", "//", re.sub(r"\bmod\b", "%", results))
        text = re.sub(r"(\w+|\([^()]*\)) ceildiv (\w+)", r"-(-(\1) // \2)", text)
        found = [eval(part, {"__builtins__": {}}, scope) for part in split_top(text)]  # noqa: S307: the compiler's own maps
        return [found[0] if name == "apply" else min(found) if name == "min" else max(found)]

    def arith(self, name: str, op: Op, operands: list) -> list:
        kind = op.result_types[0]
        if name == "constant":
            return [parse_constant(op.attributes, kind)]
        a, b = operands[0], operands[1] if len(operands) > 1 else None
        if name == "select":
            return [operands[1] if a else operands[2]]
        if name == "cmpi":
            unsigned = lambda x: x & (1 << 64) - 1  # noqa: E731
            x, y = (unsigned(a), unsigned(b)) if int(op.attribute("predicate", r"(\d+)")) >= 6 else (a, b)
            return [[x == y, x != y, x < y, x <= y, x > y, x >= y][PREDICATES[int(op.attribute("predicate", r"(\d+)"))]]]
        if name == "cmpf":
            return [compare_floats(int(op.attribute("predicate", r"(\d+)")), float(a), float(b))]
        if name in ("index_cast", "extsi", "extui", "trunci", "index_castui", "bitcast"):
            return [wrap(int(a), kind)]
        if name in ("sitofp", "uitofp", "extf", "truncf"):
            return [np.float32(np.float16(a)) if kind == "f16" else np.float32(a)]
        if name in ("fptosi", "fptoui"):
            return [wrap(int(a), kind)]
        if kind in ("f16", "f32", "bf16"):
            with np.errstate(all="ignore"):
                result = FLOAT_OPS[name](np.float32(a), None if b is None else np.float32(b))
            return [np.float32(np.float16(result)) if kind == "f16" else np.float32(result)]
        return [wrap(INT_OPS[name](a, b), kind)]

    def math(self, name: str, op: Op, operands: list) -> list:
        return [np.float32(getattr(math, {"absf": "fabs", "log": "log"}.get(name, name))(*operands))]

    # ---- Views

    def memref(self, name: str, op: Op, operands: list) -> list:
        view = operands[0]
        if name == "cast" or name == "memory_space_cast":
            return [view]
        if name == "dim":
            return [view.sizes[operands[1]]]
        if name in ("subview", "reinterpret_cast"):
            counts = [int(n) for n in re.search(r"operandSegmentSizes = array<i32: ([\d, ]+)>", op.attributes)[1].split(",")]
            rest, groups = operands[1:], []
            for key, count in zip(("offsets", "sizes", "strides"), counts[1:], strict=True):
                found = re.search(rf"static_{key} = array<i64(?:: ([-\d, ]+))?>", op.attributes)[1]
                dynamic, rest = rest[:count], rest[count:]
                groups.append([dynamic.pop(0) if int(n) == DYNAMIC else int(n) for n in (found or "").split(",") if n.strip()])
            offsets, sizes, strides = groups
            if name == "reinterpret_cast":
                return [View(view.memory, view.element, view.start, offsets[0], sizes, strides)]
            offset = view.offset + sum(o * s for o, s in zip(offsets, view.strides, strict=True))
            kept = self.kept_axes(op, sizes)
            steps = [a * b for a, b in zip(strides, view.strides, strict=True)]
            return [View(view.memory, view.element, view.start, offset, [sizes[i] for i in kept], [steps[i] for i in kept])]
        if name in ("collapse_shape", "expand_shape"):
            return [self.reshape(name, op, operands)]
        if name == "load":
            element = View(view.memory, view.element, view.start, view.offset + sum(i * s for i, s in zip(operands[1:], view.strides)), [], [])
            self.work("S", "load", [element], [], op)
            return [element.read()[()]]
        if name == "store":
            target = operands[1]
            element = View(target.memory, target.element, target.start, target.offset + sum(i * s for i, s in zip(operands[2:], target.strides)), [], [])
            self.work("S", "store", [], [element], op)
            element.write(np.asarray(view))
            return []
        raise ValueError(f"no meaning for memref.{name}")

    @staticmethod
    def kept_axes(op: Op, sizes: list[int]) -> list[int]:
        """The axes of a subview whose result may have fewer: those of extent 1 that its type lacks."""
        wanted = parse_memref(op.result_types[0])[0]
        kept, at = [], 0
        for axis, size in enumerate(sizes):
            if at < len(wanted) and wanted[at] in (size, DYNAMIC) and len(sizes) - axis >= len(wanted) - at and not (
                    size == 1 and wanted[at] == DYNAMIC and len(sizes) - axis > len(wanted) - at):
                kept.append(axis)
                at += 1
        return kept

    @staticmethod
    def reshape(name: str, op: Op, operands: list) -> View:
        view = operands[0]
        text = re.search(r"reassociation = \[((?:\[[\d, ]*\](?:, )?)*)\]", op.attributes)[1]
        groups = [[int(n) for n in part.split(",")] for part in re.findall(r"\[([\d, ]+)\]", text)]
        sizes, strides = [], []
        wanted, given = parse_memref(op.result_types[0])[0], list(operands[1:])
        for number, group in enumerate(groups):
            if name == "collapse_shape":
                inner = [i for i in group if view.sizes[i] != 1] or group[-1:]
                sizes.append(math.prod(view.sizes[i] for i in group))
                strides.append(view.strides[inner[-1]])
                continue
            extents = [given.pop(0) if wanted[i] == DYNAMIC else wanted[i] for i in group]
            for place in range(len(extents)):
                sizes.append(extents[place])
                strides.append(view.strides[number] * math.prod(extents[place + 1:]))
        return View(view.memory, view.element, view.start, view.offset, sizes, strides)

    # ---- The machine

    def work(self, pipe: str, name: str, reads: list[View], writes: list[View], site: Op) -> None:
        self.events.append(Event("work", pipe, name=name, reads=reads, writes=writes, site=site))

    def hivm(self, name: str, op: Op, operands: list) -> list:
        if name == "pointer_cast":
            sizes, element, strides, _, space = parse_memref(op.result_types[0])
            dynamic = operands[int(re.search(r"array<i32: (\d+)", op.attributes)[1]):] if "operandSegmentSizes" in op.attributes else []
            sizes = [dynamic.pop(0) if size == DYNAMIC else size for size in sizes]
            strides = [math.prod(sizes[axis + 1:]) for axis in range(len(sizes))]
            bits = 1 if element == "i1" else 8 * np.dtype(DTYPES[element]).itemsize
            copies = operands[: len(operands) - len([s for s in parse_memref(op.result_types[0])[0] if s == DYNAMIC])]
            end = max(copies) + -(-math.prod(sizes) * bits // 8)
            self.peaks[space] = max(self.peaks[space], end)
            if end > SIZES[space]:
                raise ValueError(f"{space} holds {SIZES[space]} bytes; a buffer ends at {end}")
            return [View(self.memories[space], element, operands[0], 0, sizes, strides)]
        pipe = lambda key: re.search(rf"\b{key} = #hivm\.pipe<PIPE_(\w+)>", op.attributes)[1]  # noqa: E731
        if name in ("set_flag", "wait_flag"):
            static = re.search(r"EVENT_ID(\d+)", op.attributes)
            self.events.append(Event(name.split("_")[0], pipe("set_pipe"), pipe("wait_pipe"), int(static[1]) if static else operands[0], site=op))
        elif name == "pipe_barrier":
            self.events.append(Event("barrier", pipe("pipe"), site=op))
        elif name == "get_block_idx":
            return [self.block]
        elif name == "get_sub_block_idx":
            return [self.core - 1]
        elif name == "bitcast":
            view = operands[0]
            return [View(view.memory, parse_memref(op.result_types[0])[1], view.start, view.offset, view.sizes, view.strides)]
        elif name == "sync_block_set":
            self.others.set(self.core, int(op.attribute("static_flag_id", r"(\d+)")))
        elif name == "sync_block_wait":
            self.others.wait(self.core, int(op.attribute("static_flag_id", r"(\d+)")))
        elif name not in ("set_mask_norm", "set_ffts_base_addr"):
            raise ValueError(f"no meaning for {op.name}")
        return []

    def workspace(self, name: str, op: Op, operands: list) -> list:
        sizes, element, strides, _, _ = parse_memref(op.result_types[0])
        return [View(operands[0].memory, element, operands[-1], 0, sizes, strides)]

    def func(self, name: str, op: Op, operands: list) -> list:
        callee = re.search(r"callee = @(\w+)", op.attributes)[1]
        pipe, reads, writes = call_library(callee, operands, self.computes)
        self.work(pipe, callee, reads, writes, op)
        if callee.startswith("mma_tile_"):
            last = max(i for i, operand in enumerate(operands) if isinstance(operand, View))
            self.events[-1].flags = operands[last + 1: last + 5]
        return []


class Rendezvous:
    """Flags between a block's cube core and its two vector cores. One that the cube core sets is for either vector core; one that it
    waits for comes from both. Sets are counted."""

    LIMIT_SECONDS = 60

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.counts: dict[tuple[int, int], int] = {}  # by vector core and flag, those of each direction apart
        self.failure: BaseException | None = None

    def add(self, key: tuple, amount: int) -> None:
        self.counts[key] = self.counts.get(key, 0) + amount

    def set(self, core: int, flag: int) -> None:
        with self.changed:
            for vector in (1, 2) if core == 0 else (core,):
                self.add((core == 0, vector, flag), 1)
            self.changed.notify_all()

    def wait(self, core: int, flag: int) -> None:
        keys = [(core != 0, vector, flag) for vector in ((1, 2) if core == 0 else (core,))]
        with self.changed:
            if not self.changed.wait_for(lambda: self.failure or all(self.counts.get(key, 0) > 0 for key in keys), self.LIMIT_SECONDS):
                raise ValueError(f"core {core} waits for flag {flag} for ever")
            if self.failure:
                raise ValueError("another core of the block failed")
            for key in keys:
                self.add(key, -1)

    def fail(self, failure: BaseException) -> None:
        with self.changed:
            self.failure = self.failure or failure
            self.changed.notify_all()


class MixedMachine:
    """A block of a kernel that the compiler split: one cube core and two vector cores, with a workspace of their own."""

    WORKSPACE_BYTES = 4 << 20

    def __init__(self, functions: list[Op]):
        names = {re.search(r'sym_name = "([^"]+)"', op.attributes)[1].rpartition("_")[2]: op for op in functions}
        if set(names) != {"aic", "aiv"}:
            raise ValueError(f"functions for {', '.join(sorted(names))}; expected aic and aiv")
        self.machines = [Machine([names["aic" if core == 0 else "aiv"]]) for core in range(3)]

    def run(self, arguments: list, block: int) -> None:
        others = Rendezvous()
        workspace = np.full(self.WORKSPACE_BYTES, 0xCD, np.uint8)
        given = [0, (workspace, [workspace.size]), *arguments]

        def work(core: int, machine: Machine) -> None:
            machine.core, machine.others = core, others
            try:
                machine.run(given, block)
            except BaseException as failure:  # noqa: BLE001: raised again below, in the caller's thread
                others.fail(failure)

        threads = [threading.Thread(target=work, args=pair) for pair in enumerate(self.machines)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if others.failure:
            raise others.failure
        if left := {key: count for key, count in others.counts.items() if count}:
            raise ValueError(f"flags between cores are left at the end: {left}")


def machine_of(text: str) -> Machine | MixedMachine:
    functions = functions_of(text)
    return Machine(functions) if len(functions) == 1 else MixedMachine(functions)


PREDICATES = [0, 1, 2, 3, 4, 5, 2, 3, 4, 5]
INT_OPS = {
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "divsi": lambda a, b: int(a / b) if a % b else a // b,
    "divui": lambda a, b: a // b, "remsi": lambda a, b: math.fmod(a, b) if False else a - b * int(a / b), "remui": lambda a, b: a % b,
    "ceildivsi": lambda a, b: -(-a // b), "floordivsi": lambda a, b: a // b, "minsi": min, "maxsi": max, "minui": min, "maxui": max,
    "andi": lambda a, b: a & b, "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b, "shli": lambda a, b: a << b,
    "shrsi": lambda a, b: a >> b, "shrui": lambda a, b: a >> b,
}
FLOAT_OPS = {
    "addf": lambda a, b: a + b, "subf": lambda a, b: a - b, "mulf": lambda a, b: a * b, "divf": lambda a, b: a / b, "negf": lambda a, b: -a,
    "maximumf": np.maximum, "minimumf": np.minimum, "maxnumf": np.fmax, "minnumf": np.fmin,
}


def compare_floats(predicate: int, a: float, b: float) -> bool:
    """arith.cmpf by its number: six ordered comparisons from 1 on, the same from 8 on or without order."""
    unordered = a != a or b != b
    if predicate in (0, 15):
        return predicate == 15
    if predicate in (7, 14):
        return unordered == (predicate == 14)
    holds = [a == b, a > b, a >= b, a < b, a <= b, a != b][predicate - 1 if predicate < 7 else predicate - 8]
    return holds and not unordered if predicate < 7 else holds or unordered


def wrap(value, kind: str):
    """An integer in the range of its type."""
    if kind == "i1":
        return bool(value & 1)
    if kind == "index":
        return int(value)
    bits = int(kind.lstrip("ui"))
    value = int(value) & (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def parse_constant(attributes: str, kind: str):
    text = re.search(r"value = ([^\s:>}]+)", attributes)[1]
    if text in ("true", "false"):
        return text == "true"
    if kind in ("f16", "f32", "bf16"):
        if text.startswith("0x"):
            width, bits = (np.uint32, np.float32) if kind == "f32" else (np.uint16, np.float16)
            if kind == "bf16":
                return np.array(int(text, 16) << 16, np.uint32).view(np.float32)[()]
            return np.float32(np.array(int(text, 16), width).view(bits)[()])
        return np.float32(float(text))
    return int(text)
