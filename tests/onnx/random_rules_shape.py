# random_rules_shape.py: nodes that move elements: other shapes, parts, copies, selections by index.
"""Rules for random_graph.Graph: each adds a node or two, or nothing."""

import math

import numpy

from random_graph import BOOL, DOUBLE, FLOAT, HALF, INT32, INT64, Graph, Value


def turned(g: Graph, axis: int, rank: int) -> int:
    """The axis, perhaps counted from the end."""
    return axis - rank if g.opset >= 11 and g.chance(0.4) else axis


def axes_of(g: Graph, axes: list[int], since: int) -> tuple[list, dict]:
    """Further inputs and attributes that hold axes."""
    return ([g.integers(*axes)], {}) if g.opset >= since else ([], {"axes": axes})


def transpose(g: Graph) -> None:
    x = g.pick()
    if x:
        g.emit("Transpose", [x], exact="moves", perm=None if g.chance(0.2) or not x.rank else g.rng.sample(range(x.rank), x.rank))


def random_split(g: Graph, x: Value) -> list[int]:
    first = g.rng.choice([d for d in range(1, max(2, x.size + 1)) if x.size % d == 0])
    return list(g.rng.choice([(x.size,), (first, x.size // first), (1, first, x.size // first), (x.size // first, 1, first, 1)]))


def reshape(g: Graph) -> None:
    x = g.pick()
    if not x:
        return
    shape = random_split(g, x)
    if g.chance(0.5) and x.size:
        shape[g.rng.randrange(len(shape))] = -1
    elif x.rank and x.size and g.chance(0.4):
        shape = [0] + random_split(g, Value("", x.array[0], True)) if x.shape[0] else shape
    g.emit("Reshape", [x, g.integers(*shape)], exact="moves", allowzero=1 if g.opset >= 14 and 0 not in shape and g.chance(0.2) else None)


def reshape_by_shape(g: Graph) -> None:
    x = g.pick(min_rank=2, where=lambda v: v.size)
    if x:
        size = g.emit("Shape", [x], exact="moves")
        first = size and g.emit("Gather", [size[0], g.integers(0)], exact="moves", axis=0)
        target = first and g.emit("Concat", [first[0], g.integers(-1)], exact="moves", axis=0)
        if target:
            g.emit("Reshape", [x, target[0]], exact="moves")


def flatten(g: Graph) -> None:
    x = g.pick()
    if x:
        g.emit("Flatten", [x], exact="moves", axis=turned(g, g.rng.randint(0, x.rank), x.rank) if x.rank else None)


def unsqueeze(g: Graph) -> None:
    x = g.pick(where=lambda v: v.rank <= 4)
    if not x:
        return
    count = g.rng.choice([1, 1, 2])
    rank = x.rank + count
    more, attributes = axes_of(g, [turned(g, a, rank) for a in g.rng.sample(range(rank), count)], 13)
    made = g.emit("Unsqueeze", [x, *more], exact="moves", **attributes)
    if made and g.chance(0.3):
        g.emit("Squeeze", [made[0], *more], exact="moves", **attributes)


def squeeze(g: Graph) -> None:
    x = g.pick(where=lambda v: 1 in v.shape)
    if x:
        ones = [i for i, n in enumerate(x.shape) if n == 1]
        static = x.name not in g.feeds and not g.dynamic
        if g.chance(0.3) and static:
            g.emit("Squeeze", [x], exact="moves")
            return
        axes = g.rng.sample(ones, g.rng.randint(1, len(ones)))
        more, attributes = axes_of(g, [turned(g, a, x.rank) for a in axes], 13)
        g.emit("Squeeze", [x, *more], exact="moves", **attributes)


def concat(g: Graph) -> None:
    x = g.pick(min_rank=1)
    if x:
        axis = g.rng.randrange(x.rank)
        like = [v for v in g.values if v.dtype == x.dtype and v.rank == x.rank and
                all(a == b for i, (a, b) in enumerate(zip(v.shape, x.shape)) if i != axis)]
        g.emit("Concat", [x] + [g.rng.choice(like) for _ in range(g.rng.randint(0, 3))], exact="moves", axis=turned(g, axis, x.rank))


def split(g: Graph) -> None:
    x = g.pick(where=lambda v: max(v.shape, default=0) >= 2)
    if not x:
        return
    axis = g.rng.choice([i for i, n in enumerate(x.shape) if n >= 2])
    extent, attributes = x.shape[axis], {"axis": turned(g, axis, x.rank)}
    if g.chance(0.4):
        parts = g.rng.choice([d for d in range(1, extent + 1) if extent % d == 0 or g.opset >= 18])
        if g.opset >= 18:
            attributes["num_outputs"] = parts
        g.emit("Split", [x], parts, exact="moves", **attributes)
        return
    first = g.rng.randint(0 if g.chance(0.1) else 1, extent - 1)
    sizes = [first, extent - first]
    inputs, more = ([x, g.integers(*sizes)], {}) if g.opset >= 13 else ([x], {"split": sizes})
    g.emit("Split", inputs, 2, exact="moves", **attributes, **more)


def slice_(g: Graph) -> None:
    x = g.pick(min_rank=1)
    if not x:
        return
    axes = g.rng.sample(range(x.rank), g.rng.randint(1, min(2, x.rank)))
    starts = [g.rng.randint(-6, 6) for _ in axes]
    ends = [g.rng.choice([-9, -1, 2, 4, 2**31 - 1]) for _ in axes]
    steps = [g.rng.choice([1, 1, 1, 2, -1, -2]) if g.opset >= 10 else 1 for _ in axes]
    for i, axis in enumerate(axes):
        if g.chance(0.9) and not len(range(*slice(starts[i], ends[i], steps[i]).indices(x.shape[axis]))):
            starts[i], ends[i], steps[i] = 0, 2**31 - 1, 1
    if g.opset < 10:
        g.emit("Slice", [x], exact="moves", starts=starts, ends=ends, axes=axes)
        return
    kind = g.rng.choice([INT64, INT64, INT32])
    lists = [starts, ends, [turned(g, a, x.rank) for a in axes], steps]
    if steps == [1] * len(axes) and g.chance(0.4):
        lists.pop()
        if axes == list(range(len(axes))) and g.chance(0.5):
            lists.pop()
    g.emit("Slice", [x] + [g.constant(numpy.array(values, kind)) for values in lists], exact="moves")


def pad(g: Graph) -> None:
    x = g.pick(FLOAT, FLOAT, INT64, INT32, DOUBLE, min_rank=1)
    if not x:
        return
    mode = g.rng.choice(["constant", "constant", "edge", "reflect"] + (["wrap"] if g.opset >= 19 else []))
    low = -1 if g.chance(0.15) and mode == "constant" else 0
    most = min(2, min(x.shape) - 1) if mode in ("reflect", "wrap") else 2
    if most < 0:
        return
    if g.opset >= 18 and g.chance(0.4):
        axes = g.rng.sample(range(x.rank), g.rng.randint(1, x.rank))
        pads = g.integers(*[g.rng.randint(low, most) for _ in range(2 * len(axes))])
        value = g.constant(numpy.array(2, x.dtype)) if g.chance(0.5) else ""
        g.emit("Pad", [x, pads, value, g.integers(*[turned(g, a, x.rank) for a in axes])], exact="moves", mode=mode)
        return
    pads = [g.rng.randint(low, most) for _ in range(2 * x.rank)]
    if g.opset < 11:
        g.emit("Pad", [x], exact="moves", mode=mode, pads=pads, value=1.5 if g.chance(0.5) else None)
    else:
        g.emit("Pad", [x, g.integers(*pads)] + ([g.constant(numpy.array(2, x.dtype))] if g.chance(0.5) else []), exact="moves", mode=mode)


def expand(g: Graph) -> None:
    x = g.pick(where=lambda v: v.rank <= 3)
    if x:
        shape = [g.rng.choice([1, 2, 3])] * g.rng.randint(0, 1) + [n if g.chance(0.5) else 1 if n != 1 else g.rng.choice([1, 4]) for n in x.shape]
        g.emit("Expand", [x, g.integers(*shape)], exact="moves")


def tile(g: Graph) -> None:
    x = g.pick(min_rank=1)
    if x:
        g.emit("Tile", [x, g.integers(*[g.rng.choice([1, 1, 2, 3]) for _ in x.shape])], exact="moves")


def blocks(g: Graph) -> None:
    x = g.pick(FLOAT, DOUBLE, rank=4)
    if x:
        mode = {"mode": g.rng.choice(["DCR", "CRD"])} if g.opset >= 11 else {}
        if g.chance(0.5):
            g.emit("DepthToSpace", [x], exact="moves", blocksize=2, **mode)
        else:
            g.emit("SpaceToDepth", [x], exact="moves", blocksize=g.rng.choice([1, 2]))


def shape_of(g: Graph) -> None:
    x = g.pick()
    if x:
        ends = {"start": g.rng.randint(-3, 2), "end": g.rng.randint(-1, 4)} if g.opset >= 15 and g.chance(0.3) else {}
        made = g.emit(g.rng.choice(["Shape", "Size"]) if not ends else "Shape", [x], exact="moves", **ends)
        if made and made[0].rank == 1 and made[0].size and g.opset >= 9 and g.chance(0.4):
            g.emit("ConstantOfShape", made, exact="moves")


def fill(g: Graph) -> None:
    x = g.pick(min_rank=1, where=lambda v: v.rank <= 4)
    op = g.rng.choice(["EyeLike", "Trilu", "Trilu", "Range"])
    if op == "Range":
        kind = g.rng.choice([INT64, INT32, FLOAT])
        if g.opset >= 11:
            g.emit(op, [g.constant(numpy.array(n, kind)) for n in g.rng.choice([(0, 5, 1), (7, -2, -3), (1, 9, 2)])], exact="moves")
    elif x and op == "EyeLike" and x.rank == 2:
        g.emit(op, [x], exact="moves", k=g.rng.randint(-1, 1))
    elif x and op == "Trilu" and x.rank >= 2:
        g.emit(op, [x] + ([g.constant(numpy.array(g.rng.randint(-2, 2), INT64))] if g.chance(0.5) else []), exact="moves", upper=g.rng.randint(0, 1))


def gather(g: Graph) -> None:
    x = g.pick(min_rank=1, where=lambda v: v.size)
    if not x:
        return
    axis = g.rng.randrange(x.rank)
    low = -x.shape[axis] if g.opset >= 11 else 0
    kind = g.rng.choice([INT64, INT64, INT32])
    if g.opset >= 11 and g.chance(0.3):
        shape = [n if i == axis else g.rng.randint(1, n) for i, n in enumerate(x.shape)]
        shape[axis] = g.rng.randint(1, 4)
        g.emit("GatherElements", [x, g.constant(g.numbers.integers(low, x.shape[axis], shape).astype(kind))], exact="moves",
               axis=turned(g, axis, x.rank))
        return
    shape = g.rng.choice([(), (1,), (2,), (2, 3)])
    g.emit("Gather", [x, g.constant(g.numbers.integers(low, x.shape[axis], shape).astype(kind))], exact="moves", axis=turned(g, axis, x.rank))


def gather_nd(g: Graph) -> None:
    x = g.pick(FLOAT, INT64, DOUBLE, BOOL, min_rank=1, where=lambda v: v.size)
    if x and g.opset >= 11:
        depth = g.rng.randint(1, min(x.rank, 3))
        indices = numpy.stack([g.numbers.integers(-n, n, (3,)) for n in x.shape[:depth]], axis=-1)
        if g.chance(0.4):
            updates = g.constant(g.random_array((3, *x.shape[depth:]), x.dtype))
            if len({tuple(i % n for i, n in zip(row, x.shape)) for row in indices.tolist()}) == 3:
                g.emit("ScatterND", [x, g.constant(indices.astype(INT64)), updates], exact="moves",
                       reduction=g.rng.choice(["add", "mul"]) if g.opset >= 16 and x.dtype != BOOL and g.chance(0.4) else None)
            return
        g.emit("GatherND", [x, g.constant(indices.astype(INT64))], exact="moves")


def scatter(g: Graph) -> None:
    x = g.pick(FLOAT, INT64, DOUBLE, INT32, min_rank=1, where=lambda v: v.size)
    if x and g.opset >= 9:
        axis = g.rng.randrange(x.rank)
        count = g.rng.randint(1, x.shape[axis])
        shape = [count if i == axis else n for i, n in enumerate(x.shape)]
        rows = g.numbers.permutation(x.shape[axis])[:count].reshape([count if i == axis else 1 for i in range(x.rank)])
        op = "Scatter" if g.opset < 11 else "ScatterElements"
        reduction = g.rng.choice(["add", "mul"] + (["max", "min"] if g.opset >= 18 else [])) if g.opset >= 16 and g.chance(0.4) else None
        g.emit(op, [x, g.constant(numpy.broadcast_to(rows, shape).astype(INT64)), g.constant(g.random_array(shape, x.dtype))], exact="moves",
               axis=turned(g, axis, x.rank), reduction=reduction)


def gather_by_data(g: Graph) -> None:
    x, i = g.pick(FLOAT, DOUBLE, INT64, min_rank=1, where=lambda v: v.size), g.pick(INT64, INT32, exact=True)
    if x and i and g.opset >= 13:
        inside = g.emit("Mod", [i, g.constant(numpy.array([x.shape[0]], i.dtype))], exact="moves")
        if inside:
            g.emit("Gather", [x, inside[0]], exact="moves", axis=0)


def one_hot(g: Graph) -> None:
    i = g.pick(INT64, INT32, exact=True, where=lambda v: v.rank <= 3)
    if i and g.opset >= 9:
        g.emit("OneHot", [i, g.constant(numpy.array(g.rng.choice([3, 6]), INT64)), g.constant(numpy.array([0, 2], FLOAT))], exact="moves",
               axis=g.rng.randint(-1, i.rank))


def select(g: Graph) -> None:
    x = g.pick(FLOAT, INT64, BOOL, INT32, exact=True, min_rank=1)
    if not x:
        return
    if g.chance(0.5) and g.opset >= 9:
        g.emit("NonZero", [x], exact="moves")
    elif g.opset >= 9:
        axis = g.rng.randrange(x.rank) if g.chance(0.7) else None
        length = x.size if axis is None else x.shape[axis]
        g.emit("Compress", [x, g.constant(g.numbers.integers(0, 2, (length,)).astype(BOOL))], exact="moves",
               axis=None if axis is None else turned(g, axis, x.rank))


def top_k(g: Graph) -> None:
    x = g.pick(FLOAT, DOUBLE, INT64, INT32, exact=True, min_rank=1, where=lambda v: v.size)
    if x:
        axis = g.rng.randrange(x.rank)
        k = g.rng.randint(1, x.shape[axis])
        if g.opset < 10:
            g.emit("TopK", [x], 2, exact="moves", axis=axis, k=k)
        else:
            more = {"largest": g.rng.randint(0, 1), "sorted": 1} if g.opset >= 11 else {}
            g.emit("TopK", [x, g.integers(k)], 2, exact="moves", axis=turned(g, axis, x.rank), **more)


def unique(g: Graph) -> None:
    x = g.pick(FLOAT, INT64, exact=True, min_rank=1, where=lambda v: v.size)
    if x and g.opset >= 11:
        axis = g.rng.randrange(x.rank) if g.chance(0.4) else None
        g.emit("Unique", [x], g.rng.choice([1, 4]), exact="moves", axis=axis)


def reverse_sequence(g: Graph) -> None:
    x = g.pick(FLOAT, INT64, min_rank=2, where=lambda v: v.size)
    if x and g.opset >= 10:
        batch = g.rng.randint(0, 1)
        lengths = g.constant(g.numbers.integers(1, x.shape[1 - batch] + 1, (x.shape[batch],)).astype(INT64))
        g.emit("ReverseSequence", [x, lengths], exact="moves", batch_axis=batch, time_axis=1 - batch)


def resize(g: Graph) -> None:
    x = g.pick(FLOAT, FLOAT, DOUBLE, rank=g.rng.choice([3, 4]), where=lambda v: v.size)
    if not x:
        return
    up = [1.0, 1.0] + [g.rng.choice([1.0, 2.0, 3.0, 1.5]) for _ in x.shape[2:]]
    if g.opset < 9:
        g.emit("Upsample", [x], exact="moves", mode="nearest", scales=[float(math.floor(s)) for s in up])
    elif g.opset < 11:
        mode = g.rng.choice(["nearest", "linear"]) if g.opset == 9 or x.rank == 4 else "nearest"
        g.emit("Upsample" if g.opset == 9 else "Resize", [x, g.constant(numpy.array([math.floor(s) for s in up], FLOAT))], mode=mode)
    else:
        mode = g.rng.choice(["nearest", "linear", "linear", "cubic"])
        attributes = {"mode": mode, "coordinate_transformation_mode": g.rng.choice(
            ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])}
        if attributes["coordinate_transformation_mode"] == "align_corners" and any(n % 2 for n in x.shape[2:]):
            return  # ONNX divides by a length that is no whole number, ONNX Runtime by that of the result
        if mode == "nearest":
            attributes["nearest_mode"] = g.rng.choice(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
        roi = "" if g.opset >= 13 else g.constant(numpy.zeros((0,), FLOAT))
        if g.chance(0.5):
            scales = g.constant(numpy.array([1, 1] + [g.rng.choice([0.5, 2.0, 1.5]) for _ in x.shape[2:]], FLOAT))
            g.emit("Resize", [x, roi, scales], **attributes)
        else:
            sizes = g.integers(*x.shape[:2], *[g.rng.randint(1, 9) for _ in x.shape[2:]])
            g.emit("Resize", [x, roi, "" if g.opset >= 13 else g.constant(numpy.zeros((0,), FLOAT)), sizes], **attributes)


RULES = [transpose, transpose, reshape, reshape, reshape_by_shape, flatten, unsqueeze, unsqueeze, squeeze, concat, concat, split, slice_, slice_,
         pad, expand, tile, blocks, shape_of, fill, gather, gather, gather_nd, scatter, gather_by_data, one_hot, select, top_k, unique,
         reverse_sequence, resize]
