# library.py: what the functions of the vendor's library do, from their names and signatures.
"""Written from the calls in the printed modules; the library itself is never read beyond the names of its functions."""

import re

import numpy as np
from memory import DTYPES, View

BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum,
          "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "shl": np.left_shift, "shr": np.right_shift}
UNARY = {"exp": np.exp, "ln": np.log, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "rec": lambda x: 1 / x, "abs": np.abs,
         "relu": lambda x: np.maximum(x, 0), "not": np.invert}
COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
REDUCE = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod}
# Rounding modes by their number in the calls.
ROUND = [np.rint, lambda x: np.trunc(x + np.copysign(0.5, x)), np.floor, np.ceil, np.trunc]
FLOATS = ("half", "float", "bfloat16_t")


def unpack(view: View) -> np.ndarray:
    """A matrix of fractals [columns / C0][rows / 16][16][C0] as rows and columns, in f64."""
    outer, rows, inner, depth = view.sizes
    return view.read().astype(np.float64).transpose(1, 2, 0, 3).reshape(rows * inner, outer * depth)


def pack(view: View, matrix: np.ndarray) -> None:
    outer, rows, inner, depth = view.sizes
    whole = view.read().transpose(1, 2, 0, 3).reshape(rows * inner, outer * depth)
    whole[: matrix.shape[0], : matrix.shape[1]] = matrix
    view.write(whole.reshape(rows, inner, outer, depth).transpose(2, 0, 1, 3))


def nd2nz(operands: list) -> None:
    """Whole fractals of columns are written: zeros past the end."""
    source, target = operands[:2]
    rows, columns = source.sizes
    depth = target.sizes[3]
    matrix = np.zeros((rows, -(-columns // depth) * depth), np.float32)
    matrix[:, :columns] = source.read()
    pack(target, matrix)


def multiply(name: str, operands: list) -> tuple[list[View], list[View]]:
    """C (+)= A B. The macro over MTE1 and M: one f32 or i32 accumulator an output."""
    has_bias = "with_" in name
    a, b, is_first, m, k, n = operands[:6]
    bias, c = (operands[6], operands[7]) if has_bias else (None, operands[6])
    left = unpack(a).T if re.search(r"_ta\b|_ta_", name) else unpack(a)
    right = unpack(b).T if re.search(r"_tb\b|_tb_", name) else unpack(b)
    product = left[:m, :k] @ right[:k, :n]
    if not is_first:
        product += unpack(c)[:m, :n]
    elif has_bias:
        product += bias.read()[:n]
    pack(c, product)
    return [a, b, *([bias] if has_bias else []), *([] if is_first else [c])], [c]


def convert(name: str, source: View, target: View, mode: int) -> None:
    from_type, to_type = re.fullmatch(r"vcast_(\w+?)_to_(\w+?)_\dd(?:_with_mode|_with_overflow)?\w*", name).groups()
    values = source.read()
    if from_type in FLOATS and to_type not in FLOATS:
        values = ROUND[mode](values.astype(np.float64))
        info = np.iinfo(target.array().dtype)
        values = np.clip(np.nan_to_num(values, nan=0.0, posinf=float(info.max), neginf=float(info.min)), info.min, info.max)
    elif from_type == "float" and to_type == "float":
        values = ROUND[mode](values)
    target.write(values)


class Untouched(View):
    """A view that reads as zeros and keeps nothing: where only addresses are of interest."""

    def read(self) -> np.ndarray:
        return np.zeros(self.sizes, np.float32 if self.element in ("f16", "bf16") else DTYPES[self.element])

    def write(self, values) -> None:
        pass


def call_library(name: str, operands: list, computes: bool = True) -> tuple[str, list[View], list[View]]:
    """Does what the function does. Its pipe, and the views that it reads and writes, temporary ones included."""
    if not computes:
        operands = [Untouched(**vars(operand)) if isinstance(operand, View) else operand for operand in operands]
    views = [operand for operand in operands if isinstance(operand, View)]
    with np.errstate(all="ignore"):
        if name.startswith(("load_gm_to_ubuf", "load_gm_to_cbuf")):
            views[1].write(views[0].read())
            return "MTE2", views[:1], views[1:2]
        if name.startswith("store_ubuf_to_gm"):
            if any(isinstance(o, int) and o for o in operands[2:3]):
                raise ValueError(f"no meaning for {name} with an atomic mode")
            views[1].write(views[0].read())
            return "MTE3", views[:1], views[1:2]
        if name.startswith("nd2nz_"):
            nd2nz(operands)
            return "MTE2", views[:1], views[1:2]
        if name.startswith("set_l1_"):
            views[0].write(next(o for o in operands if not isinstance(o, View)))
            return "MTE2", [], views[:1]
        if name.startswith("mma_tile_"):
            return "MTE1+M", *multiply(name, operands)
        if name.startswith("fixpipe_nz2nd_"):
            source, target = views
            values = unpack(source)[: target.sizes[0], : target.sizes[1]]
            target.write(np.maximum(values, 0) if operands[3] == 1 else values)
            return "FIX", [source], [target]
        return "V", *vector(name, operands, views)


def vector(name: str, operands: list, views: list[View]) -> tuple[list[View], list[View]]:
    """The functions of the vector pipe: sources, destination, then what they use for themselves."""
    scalars = [operand for operand in operands if not isinstance(operand, View)]
    if found := re.fullmatch(r"v(add|sub|mul|div|max|min|shl|shr)s?_(vs|sv)_\dd_\w+", name):
        source, target = views[0], views[1]
        vector_first = found[2] == "vs"
        number = next(o for o in operands if not isinstance(o, View))
        a = source.read()
        target.write(BINARY[found[1]](a, a.dtype.type(number)) if vector_first else BINARY[found[1]](a.dtype.type(number), a))
        return views[:1], views[1:]
    if found := re.fullmatch(r"v(\w+?)_\dd_\w+", name):
        if found[1] in BINARY:
            views[2].write(BINARY[found[1]](views[0].read(), views[1].read()))
            return views[:2], views[2:]
        if found[1] in UNARY:
            views[1].write(UNARY[found[1]](views[0].read()))
            return views[:1], views[1:]
        if found[1].startswith("cmp_"):
            views[2].write(COMPARE[found[1][4:]](views[0].read(), views[1].read()))
            return views[:2], views[2:]
        if found[1].startswith("cmps_"):
            views[1].write(COMPARE[found[1][5:]](views[0].read(), scalars[0]))
            return views[:1], views[1:]
        if found[1] in ("sel_vv", "sel_vs", "sel_sv", "sel_ss"):
            chosen, rest = [], list(operands[1:3])
            for operand in rest:
                chosen.append(operand.read() if isinstance(operand, View) else operand)
            sources = [views[0], *(o for o in rest if isinstance(o, View))]
            others = views[len(sources):]
            others[0].write(np.where(views[0].read(), *chosen))
            return sources, others
    if name.startswith("vcast_"):
        convert(name, views[0], views[1], scalars[0] if scalars else 0)
        return views[:1], views[1:]
    if name.startswith("broadcast_scalar_"):
        views[0].write(next(o for o in operands if not isinstance(o, View)))
        return [], views
    if found := re.fullmatch(r"broadcast_\w+", name):
        views[1].write(views[0].read())
        return views[:1], views[1:]
    if found := re.fullmatch(r"(?:enablevc_)?reduce_(sum|max|min|prod)_(r|ar|ra)_\w+", name):
        axis = {"r": None, "ar": 1, "ra": 0}[found[2]]
        values, init = views[0].read(), scalars[-1]
        wide = values.astype(np.float64) if values.dtype == np.float32 else values
        result = REDUCE[found[1]](wide, axis=axis, keepdims=True)
        result = BINARY.get({"sum": "add", "prod": "mul"}.get(found[1], found[1]))(result, init)
        views[1].write(result.reshape(views[1].sizes))
        return views[:1], views[1:]
    if name.startswith("arange_"):
        index = scalars[0]
        for axis, stride in enumerate(scalars[1:]):
            index = index + np.arange(views[0].sizes[axis]).reshape([-1 if i == axis else 1 for i in range(len(views[0].sizes))]) * stride
        views[0].write(index)
        return [], views
    if name.startswith("gather_1d_"):
        views[2].write(views[0].read()[views[1].read()])
        return views[:2], views[2:]
    if name.startswith("sort_with_index_1d_"):  # NaN in front of the greatest; equal keys stay in order
        keys, descending = views[0].read(), scalars[-1]
        isnan = np.isnan(keys)
        order = np.flatnonzero(~isnan)
        order = order[np.argsort(-keys[order] if descending else keys[order], kind="stable")]
        nans = np.flatnonzero(isnan)
        order = np.concatenate([nans, order] if descending else [order, nans])
        views[1].write(keys[order])
        views[2].write(order)
        return views[:1], views[1:]
    if name.startswith("interleave_1d_"):
        views[2].write(np.stack([views[0].read(), views[1].read()], axis=-1).ravel())
        return views[:2], views[2:]
    if name.startswith("copy_ubuf_to_ubuf"):
        views[1].write(views[0].read())
        return views[:1], views[1:]
    if name.startswith("transpose_2d_with_last_axis"):
        views[1].write(views[0].read().T)
        return views[:1], views[1:]
    raise ValueError(f"no meaning for {name}")
