# random_ops.py: what random_kernels.py knows of values, and its ops on windows, in order and at indices.
"""Each op is a function of the kernel that is written; it returns whether it could be written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random_kernels import Kernel

FLOATS = ["f16", "bf16", "f32", "f64"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS
STORED = ["f8E4M3FN", "f8E5M2", "i4", "ui4"]
VARIABLES = "ABCDEFGH"
MOST_WORK = 1_500_000  # products of one op


@dataclass
class Value:
    name: str
    element: str
    extents: list[str]  # "3", the name of a variable, or what follows from it: "windows(A, 3, 2)"
    data: str = ""  # of an input: how its elements are made

    @property
    def type(self) -> str:
        return "tensor<" + "".join(("?" if is_dynamic(e) else e) + "x" for e in self.extents) + self.element + ">"


def is_dynamic(extent: str) -> bool:
    return not extent.isdigit()


def is_plain(extent: str) -> bool:
    """Whether an input can have it: a number or a variable."""
    return extent.isdigit() or extent in list(VARIABLES)


def windows(extent: int, low: int, high: int, reach: int, stride: int, rounds_up: int) -> int:
    """How many windows of `reach` elements an axis has."""
    rest = extent + low + high - reach
    count = (rest + (stride - 1 if rounds_up else 0)) // stride + 1
    return count - 1 if rounds_up and (count - 1) * stride >= extent + low else count


def number(extent: str, numbers: dict[str, int]) -> int:
    return int(eval(extent, {"windows": windows}, numbers))  # only what stands in this file


def product(extents: list[str]) -> str:
    return " * ".join(["1", *extents])


def elements(extents: list[str], numbers: dict[str, int]) -> int:
    return number(product(extents), numbers)


def known(extent: str) -> str:
    """An expression of numbers as its number."""
    return extent if re.search("[A-H]", extent) else str(number(extent, {}))


@dataclass
class Window:
    """A window over the spatial axes of a value, and how many of them fit."""
    kernel: list[int]
    strides: list[int]
    low: list[int]
    high: list[int]
    dilations: list[int]
    extents: list[str]

    @property
    def steps(self) -> str:
        return f"strides {self.strides} pads {self.low + self.high} dilations {self.dilations}"


def window(k: Kernel, spatial: list[str], rounds_up: bool = False) -> Window | None:
    rng, count = k.rng, len(spatial)
    kernel = [rng.choice([1, 2, 3, 3]) if rng.random() < 0.9 else rng.randint(4, 9) for _ in spatial]
    strides = [rng.choice([1, 1, 2, 3]) for _ in spatial]
    dilations = [rng.choice([1, 1, 1, 2]) for _ in spatial]
    most = 0 if rng.random() < 0.3 else 1
    low = [rng.randint(0, most * (q if rng.random() < 0.1 else q - 1)) for q in kernel]
    high = [rng.randint(0, most * (q if rng.random() < 0.1 else q - 1)) for q in kernel]
    if len({*kernel}) > 1 and rng.random() < 0.3:  # most are the same along all axes
        kernel, strides, low, high, dilations = [[v[0]] * count for v in (kernel, strides, low, high, dilations)]
    extents = []
    for i, e in enumerate(spatial):
        reach = (kernel[i] - 1) * dilations[i] + 1
        if e.isdigit() and int(e) + low[i] + high[i] < reach:
            return None
        k.require(f"{e} + {low[i] + high[i]} >= {reach}")
        extents.append(known(f"windows({e}, {low[i]}, {high[i]}, {reach}, {strides[i]}, {int(rounds_up)})"))
    return Window(kernel, strides, low, high, dilations, extents)


def images(k: Kernel, types: list[str]) -> Value | None:
    """A value with spatial axes; one of rank 2 or less is given more."""
    x = k.pick(types)
    if not x or len(x.extents) > 5 or not x.extents:
        return None
    while len(x.extents) < 3:
        extents = ["1", *x.extents]
        x = k.emit(f"kiln.reshape {x.name} [{k.sizes(extents)}] : {x.type} -> RESULT", x.element, extents)
    return x


def conv(k: Kernel) -> bool:
    x = images(k, NUMBERS)
    if not x or not is_plain(x.extents[1]):
        return False
    channels, spatial = x.extents[1], x.extents[2:]
    found = window(k, spatial)
    if not found:
        return False
    groups, outputs = 1, k.rng.choice([1, 2, 4, 5, 9, 16, 33])
    if channels.isdigit() and int(channels) > 1 and k.rng.random() < 0.4:
        groups = k.rng.choice([g for g in range(2, int(channels) + 1) if int(channels) % g == 0])
        outputs = groups * k.rng.choice([1, 1, 2, 3])
    depth = str(int(channels) // groups) if groups > 1 else channels
    byte = x.element in ("i8", "ui8") and k.rng.random() < 0.4
    w = k.input(k.rng.choice(["i8", "ui8"]) if byte else x.element, [str(outputs), depth, *map(str, found.kernel)])
    to = sums_of(x.element)
    bias = k.input(to, [str(outputs)]) if k.rng.random() < 0.4 else None
    extents = [x.extents[0], str(outputs), *found.extents]
    k.bound(product([*extents, depth, *map(str, found.kernel)]))
    k.emit(f"kiln.conv {x.name}, {w.name}{f' bias {bias.name}' if bias else ''} {found.steps}"
           f"{f' groups {groups}' if groups > 1 else ''} : {x.type}, {w.type}{f', {bias.type}' if bias else ''} -> RESULT",
           to, extents)
    return True


def conv_transpose(k: Kernel) -> bool:
    x = images(k, NUMBERS)
    if not x or not is_plain(x.extents[1]) or len(x.extents) > 4:
        return False
    found = window(k, ["9"] * (len(x.extents) - 2))
    if not found:
        return False
    groups, outputs = 1, k.rng.choice([1, 2, 5, 16])
    if x.extents[1].isdigit() and int(x.extents[1]) > 1 and k.rng.random() < 0.3:
        groups = int(x.extents[1])
    w = k.input(x.element, [x.extents[1], str(outputs), *map(str, found.kernel)])
    more = [k.rng.randint(0, s - 1) for s in found.strides]
    extents = [x.extents[0], str(outputs * groups)]
    for i, e in enumerate(x.extents[2:]):
        reach = (found.kernel[i] - 1) * found.dilations[i] + 1 - found.low[i] - found.high[i] + more[i]
        k.require(f"({e} - 1) * {found.strides[i]} + {reach} >= 1")
        k.require(f"{e} >= 1")
        extents.append(known(f"({e} - 1) * {found.strides[i]} + {reach}"))
    if any(e.startswith("-") or e == "0" for e in extents):
        return False
    k.bound(product([*extents, x.extents[1], *map(str, found.kernel)]))
    k.emit(f"kiln.conv_transpose {x.name}, {w.name} {found.steps} output_padding {more}"
           f"{f' groups {groups}' if groups > 1 else ''} : {x.type}, {w.type} -> RESULT", sums_of(x.element),
           [e if e.isdigit() or is_plain(e) else f"({e})" for e in extents])
    return True


def pool(k: Kernel) -> bool:
    is_max = k.rng.random() < 0.5
    x = images(k, NUMBERS if is_max else FLOATS)
    rounds_up = k.rng.random() < 0.4
    found = window(k, x.extents[2:], rounds_up) if x else None
    if not x or not found:
        return False
    flags = (" ceil_mode" if rounds_up else "") + (" count_include_pad" if not is_max and k.rng.random() < 0.5 else "")
    extents = [*x.extents[:2], *found.extents]
    k.bound(product([*extents, *map(str, found.kernel)]))
    k.emit(f"kiln.{'max' if is_max else 'avg'}_pool {x.name} kernel {found.kernel} {found.steps}{flags} : {x.type} -> RESULT",
           x.element, extents)
    return True


def sums_of(element: str) -> str:
    return "i32" if re.fullmatch("u?i(8|16)", element) else element


def matmul(k: Kernel) -> bool:
    """A product of a value and an input: with batches on either side, which broadcast, or of vectors."""
    a = k.pick(NUMBERS, rank=1)
    if not a or not all(map(is_plain, a.extents)):
        return False
    rank = len(a.extents)
    trans_a, trans_b = rank > 1 and k.rng.random() < 0.3, k.rng.random() < 0.5
    depth = a.extents[-2 if trans_a else -1]
    rows = [] if rank == 1 else [a.extents[-1 if trans_a else -2]]
    batch = a.extents[:-2]
    used = [v for v in VARIABLES if any(v in i.extents for i in k.inputs)]
    columns = [k.rng.choice([*used, "1", "5", "16", "40"])]
    inner = [*columns, depth] if trans_b else [depth, *columns]
    outer: list[str] = []
    if k.rng.random() < 0.15:
        inner, columns, trans_b = [depth], [], False
    elif k.rng.random() < 0.5:
        outer = [e if k.rng.random() < 0.7 else "1" for e in batch[k.rng.randint(0, len(batch)):]]
        if len(outer) == len(batch) and rank < 5 and k.rng.random() < 0.3:
            outer = ["2", *outer]
    mixed = a.element in ("i8", "ui8") and k.rng.random() < 0.4
    b = k.input(k.rng.choice(["i8", "ui8"]) if mixed else a.element, [*outer, *inner])
    extents = [*(outer[:1] if len(outer) > len(batch) else []), *batch, *rows, *columns]
    k.bound(product([*extents, depth]))
    k.emit(f"kiln.matmul {a.name}, {b.name}{' transA' if trans_a else ''}{' transB' if trans_b else ''} : {a.type}, {b.type} "
           "-> RESULT", sums_of(a.element), extents)
    return True


# ---- In order

def ordered(k: Kernel, text: str, x: Value, extents: list[str]) -> bool:
    values, indices = Value(k.fresh(), x.element, extents), Value(k.fresh(), "i64", extents)
    k.lines.append(f"{values.name}, {indices.name} = {text} : {x.type} -> {values.type}, {indices.type}")
    k.values += [values, indices]
    return True


def sort(k: Kernel) -> bool:
    x = k.pick(NUMBERS, rank=1)
    if not x:
        return False
    flag = k.rng.choice(["", " descending"])
    return ordered(k, f"kiln.sort {x.name} axis {k.rng.randrange(len(x.extents))}{flag}", x, x.extents)


def top_k(k: Kernel) -> bool:
    x = k.pick(NUMBERS, rank=1)
    if not x:
        return False
    axis = k.rng.randrange(len(x.extents))
    count = k.rng.choice(["1", "2", "3", x.extents[axis], *(v for v in VARIABLES if any(v in i.extents for i in k.inputs))])
    k.require(f"{count} <= {x.extents[axis]}")
    if not is_dynamic(count + x.extents[axis]) and int(count) > int(x.extents[axis]):
        return False
    flag = k.rng.choice(["", " smallest"])
    return ordered(k, f"kiln.top_k {x.name} k [{k.size(count)}] axis {axis}{flag}", x,
                   [*x.extents[:axis], count, *x.extents[axis + 1:]])


def arg_reduce(k: Kernel) -> bool:
    x = k.pick(NUMBERS, rank=1)
    if not x:
        return False
    axis = k.rng.randrange(len(x.extents))
    if x.extents[axis] == "0":
        return False
    k.require(f"{x.extents[axis]} >= 1")
    keep, last = k.rng.random() < 0.4, k.rng.random() < 0.4
    k.emit(f"kiln.arg_reduce {k.rng.choice(['max', 'min'])} {x.name} axis {axis}{' keepdims' if keep else ''}"
           f"{' select_last' if last else ''} : {x.type} -> RESULT", "i64",
           [*x.extents[:axis], *(["1"] if keep else []), *x.extents[axis + 1:]])
    return True


def cumulative(k: Kernel) -> bool:
    x = k.pick(NUMBERS, rank=1)
    if not x:
        return False
    flags = "".join(f for f in (" exclusive", " reverse") if k.rng.random() < 0.4)
    kind = "sum" if k.rng.random() < 0.7 else "prod"
    k.emit(f"kiln.cumulative {kind} {x.name} axis {k.rng.randrange(len(x.extents))}{flags} : {x.type}", x.element, x.extents)
    return True


# ---- At indices

def indices_of(k: Kernel, extents: list[str], extent: str) -> Value | None:
    """Indices into an axis, some of them outside: new ones, or what was computed."""
    found = [v for v in k.values if v.element in ("i32", "i64") and v.extents == extents]
    if found and k.rng.random() < 0.4:
        return k.rng.choice(found)
    if not all(map(is_plain, extents)):
        return None
    most = int(extent) if extent.isdigit() else 8
    return k.input(k.rng.choice(["i32", "i64"]), extents, f" uniform -{most + 1} {most + 1}")


def indexed(k: Kernel) -> tuple[Value, int] | None:
    x = k.pick(NUMBERS + ["i1"], rank=1)
    if not x or "0" in x.extents:
        return None
    axis = k.rng.randrange(len(x.extents))
    k.require(f"{x.extents[axis]} >= 1")
    return x, axis


def gather(k: Kernel) -> bool:
    found = indexed(k)
    if not found:
        return False
    x, axis = found
    batch = k.rng.randint(0, axis) if k.rng.random() < 0.4 else 0
    more = [k.rng.choice(["1", "3", "4", "9"]) for _ in range(k.rng.choice([0, 1, 1, 2]))]
    i = indices_of(k, [*x.extents[:batch], *more], x.extents[axis])
    if not i or len(x.extents) + len(more) > 6:
        return False
    k.emit(f"kiln.gather {x.name}, {i.name} axis {axis}{f' {{batch_dims = {batch}}}' if batch else ''} : {x.type}, {i.type} "
           "-> RESULT", x.element, [*x.extents[:axis], *more, *x.extents[axis + 1:]])
    return True


def gather_elements(k: Kernel) -> bool:
    found = indexed(k)
    if not found:
        return False
    x, axis = found
    extents = [*x.extents[:axis], k.rng.choice(["1", "4", "9", x.extents[axis]]), *x.extents[axis + 1:]]
    i = indices_of(k, extents, x.extents[axis])
    if not i:
        return False
    k.emit(f"kiln.gather_elements {x.name}, {i.name} axis {axis} : {x.type}, {i.type} -> RESULT", x.element, extents)
    return True


def gather_nd(k: Kernel) -> bool:
    found = indexed(k)
    if not found:
        return False
    x, _ = found
    batch = k.rng.randint(0, 1) if len(x.extents) > 1 else 0
    tuple_size = k.rng.randint(1, len(x.extents) - batch)
    for e in x.extents:
        k.require(f"{e} >= 1")
    more = [k.rng.choice(["1", "5"])]
    i = indices_of(k, [*x.extents[:batch], *more, str(tuple_size)], x.extents[batch])
    if not i:
        return False
    k.emit(f"kiln.gather_nd {x.name}, {i.name}{f' {{batch_dims = {batch}}}' if batch else ''} : {x.type}, {i.type} -> RESULT",
           x.element, [*x.extents[:batch], *more, *x.extents[batch + tuple_size:]])
    return True


def updates_of(k: Kernel, element: str, extents: list[str]) -> Value | None:
    found = [v for v in k.values if v.element == element and v.extents == extents]
    if found and k.rng.random() < 0.4:
        return k.rng.choice(found)
    return k.input(element, extents) if all(map(is_plain, extents)) else None


def scatter_kind(k: Kernel, element: str) -> str:
    return "replace" if element == "i1" else k.rng.choice(["replace", "replace", "add", "mul", "min", "max"])


def scatter_elements(k: Kernel) -> bool:
    found = indexed(k)
    if not found:
        return False
    x, axis = found
    extents = [*x.extents[:axis], k.rng.choice(["1", "3", x.extents[axis]]), *x.extents[axis + 1:]]
    i = indices_of(k, extents, x.extents[axis])
    u = updates_of(k, x.element, extents) if i else None
    if not i or not u:
        return False
    k.emit(f"kiln.scatter_elements {scatter_kind(k, x.element)} {x.name}, {i.name}, {u.name} axis {axis} : {x.type}, {i.type}, "
           f"{u.type}", x.element, x.extents)
    return True


def scatter_nd(k: Kernel) -> bool:
    found = indexed(k)
    if not found:
        return False
    x, _ = found
    tuple_size = k.rng.randint(1, len(x.extents))
    more = [k.rng.choice(["1", "4"])]
    i = indices_of(k, [*more, str(tuple_size)], x.extents[0])
    u = updates_of(k, x.element, [*more, *x.extents[tuple_size:]]) if i else None
    if not i or not u:
        return False
    k.emit(f"kiln.scatter_nd {scatter_kind(k, x.element)} {x.name}, {i.name}, {u.name} : {x.type}, {i.type}, {u.type}",
           x.element, x.extents)
    return True


def one_hot(k: Kernel) -> bool:
    i = k.pick(["i32", "i64"])
    if not i or len(i.extents) > 4:
        return False
    element = k.rng.choice(NUMBERS)
    on, off = k.input(element, []), k.input(element, [])
    depth, axis = k.rng.choice(["1", "5", "12"]), k.rng.randint(0, len(i.extents))
    k.emit(f"kiln.one_hot {i.name} depth [{depth}] axis {axis} on {on.name} off {off.name} : {i.type}, {on.type} -> RESULT",
           element, [*i.extents[:axis], depth, *i.extents[axis:]])
    return True


WINDOWS = [conv, conv, conv, conv_transpose, pool, pool, matmul, matmul]
ORDER = [sort, top_k, arg_reduce, cumulative]
INDEXING = [gather, gather_elements, gather_nd, scatter_elements, scatter_nd, one_hot]
