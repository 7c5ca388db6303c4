# random_rules_layers.py: nodes that sum products, windows, reductions, norms, recurrences; If, Loop and Scan.
"""Rules for random_graph.Graph: each adds a node or two, or nothing."""

import numpy
from onnx import TensorProto, helper

from random_graph import BOOL, DOUBLE, FLOAT, HALF, INT8, INT32, INT64, UINT8, Graph
from random_rules_shape import axes_of, turned


def matmul(g: Graph) -> None:
    x = g.pick(FLOAT, FLOAT, FLOAT, DOUBLE, HALF, INT32, INT64, min_rank=1)
    if not x:
        return
    other = g.pick(x.dtype, min_rank=1, where=lambda v: v.shape[-2 if v.rank > 1 else 0] == x.shape[-1])
    if other and g.chance(0.4):
        g.emit("MatMul", [x, other])
        return
    n = g.rng.choice([1, 3, 8, 16])
    shape = (x.shape[-1],) if g.chance(0.15) else (x.shape[-1], n)
    if g.chance(0.25) and len(shape) == 2:
        shape = g.rng.choice([(1,), (2, 1), x.shape[:-2]]) + shape
    g.emit("MatMul", [x, g.constant(g.random_array(shape, x.dtype))])


def gemm(g: Graph) -> None:
    x = g.pick(FLOAT, FLOAT, DOUBLE, HALF, rank=2)
    if x:
        n, trans_a, trans_b = g.rng.choice([1, 4, 7]), g.rng.randint(0, 1), g.rng.randint(0, 1)
        m, k = x.shape[::-1] if trans_a else x.shape
        w = g.constant(g.random_array((n, k) if trans_b else (k, n), x.dtype))
        bias = g.constant(g.random_array(g.rng.choice([(n,), (1, n), (m, 1), (m, n), (1,), ()]), x.dtype))
        inputs = [x, w] + ([] if g.chance(0.2) and g.opset >= 11 else [bias])
        g.emit("Gemm", inputs, transA=trans_a or None, transB=trans_b or None, alpha=0.5 if g.chance(0.5) else None, beta=g.rng.choice([None, 2.0]))


def integer_products(g: Graph) -> None:
    x = g.pick(UINT8, INT8, exact=True, min_rank=2)
    if x and g.opset >= 10:
        w = g.constant(g.random_array((x.shape[-1], 5), g.rng.choice([INT8, UINT8])))
        zero = [g.constant(numpy.array(3, x.dtype))] if g.chance(0.6) else []
        g.emit("MatMulInteger", [x, w, *zero], exact="moves")


def einsum(g: Graph) -> None:
    x = g.pick(FLOAT, DOUBLE, min_rank=2, where=lambda v: v.rank <= 4)
    if x and g.opset >= 12:
        letters = "abcd"[:x.rank]
        w = g.constant(g.random_array((x.shape[-1], 3), x.dtype))
        g.emit("Einsum", [x, w], equation=g.rng.choice([f"{letters},{letters[-1]}z->{letters[:-1]}z", f"{letters},{letters[-1]}z->z{letters[:-1]}",
                                                        f"...{letters[-1]},{letters[-1]}z->...z"]))


def conv(g: Graph) -> None:
    x = g.pick(FLOAT, rank=g.rng.choice([3, 4, 4, 5]), where=lambda v: v.size)
    if not x:
        return
    spatial, channels = x.shape[2:], x.shape[1]
    groups = g.rng.choice([1, 1, channels])
    kernel = [g.rng.randint(1, min(3, n)) for n in spatial]
    attributes = {"group": groups, "strides": [g.rng.choice([1, 1, 2]) for _ in spatial]}
    if g.chance(0.2):
        attributes["auto_pad"] = g.rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    else:
        attributes["pads"] = [g.rng.randint(0, 1) for _ in range(2 * len(spatial))]
        if g.chance(0.3):
            attributes["dilations"] = [g.rng.choice([1, 2]) for _ in spatial]
    if g.chance(0.5):
        attributes["kernel_shape"] = kernel
    if g.chance(0.25):
        if attributes.get("auto_pad", "")[:4] == "SAME":  # no negative padding, which ONNX leaves open
            attributes["strides"] = [min(s, k) for s, k in zip(attributes["strides"], kernel)]
        if "dilations" not in attributes and "auto_pad" not in attributes and g.chance(0.5):
            attributes["output_padding"] = [s - 1 for s in attributes["strides"]]
        w = g.random_array((channels, g.rng.choice([1, 2, 3]), *kernel), FLOAT)
        bias = [g.constant(g.random_array((w.shape[1] * groups,), FLOAT))] if g.chance(0.6) else []
        g.emit("ConvTranspose", [x, g.constant(w), *bias], **attributes)
        return
    out = groups * g.rng.choice([1, 2, 4])
    bias = [g.constant(g.random_array((out,), FLOAT))] if g.chance(0.6) else []
    g.emit("Conv", [x, g.constant(g.random_array((out, channels // groups, *kernel), FLOAT)), *bias], **attributes)


def pool(g: Graph) -> None:
    x = g.pick(FLOAT, rank=g.rng.choice([3, 4, 4, 5]), where=lambda v: v.size)
    if not x:
        return
    op = g.rng.choice(["MaxPool", "AveragePool", "LpPool", "GlobalAveragePool", "GlobalMaxPool", "MaxPool"])
    if op.startswith("Global"):
        g.emit(op, [x], exact="moves" if op == "GlobalMaxPool" else "")
        return
    spatial = x.shape[2:]
    attributes = {"kernel_shape": [g.rng.randint(1, min(3, n)) for n in spatial], "strides": [g.rng.choice([1, 2, 3]) for _ in spatial]}
    if g.chance(0.2):
        attributes["auto_pad"] = g.rng.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif g.chance(0.6):
        attributes["pads"] = [g.rng.randint(0, min(1, attributes["kernel_shape"][i % len(spatial)] - 1)) for i in range(2 * len(spatial))]
    if op == "AveragePool" and g.chance(0.5):
        attributes["count_include_pad"] = 1
    if op != "LpPool" and g.opset >= 10 and g.chance(0.3):
        attributes["ceil_mode"] = 1
    # ONNX Runtime leaves dilations out of auto_pad's arithmetic, against ONNX.
    if op == "MaxPool" and g.opset >= 10 and "auto_pad" not in attributes and g.chance(0.2):
        attributes["dilations"] = [g.rng.choice([1, 2]) for _ in spatial]
    g.emit(op, [x], 2 if op == "MaxPool" and x.exact and g.opset >= 8 and g.chance(0.25) else 1, exact="moves" if op == "MaxPool" else "", **attributes)


def reduce(g: Graph) -> None:
    x = g.pick(FLOAT, FLOAT, HALF, DOUBLE, INT64, INT32, INT8, min_rank=1)
    if not x:
        return
    op = g.rng.choice(["ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceProd",
                       "ReduceLogSumExp"])
    if x.dtype.kind == "i" and op in ("ReduceMean", "ReduceL2", "ReduceLogSumExp") or (op == "ReduceLogSumExp" and not x.within(-50, 50)):
        return
    inputs, attributes = [x], {"keepdims": g.rng.randint(0, 1)}
    since = 13 if op == "ReduceSum" else 18
    if g.chance(0.8):
        axes = g.rng.sample(range(x.rank), g.rng.randint(1, x.rank))
        more, extra = axes_of(g, [turned(g, a, x.rank) for a in axes], since)
        inputs, attributes = inputs + more, attributes | extra
    elif g.opset >= since and g.chance(0.5):
        attributes["noop_with_empty_axes"] = g.rng.randint(0, 1)
        if g.chance(0.5):
            inputs.append(g.constant(numpy.zeros((0,), INT64)))
    g.emit(op, inputs, exact="sums" if op in ("ReduceMax", "ReduceMin", "ReduceSum") else "", **attributes)


def arg(g: Graph) -> None:
    x = g.pick(FLOAT, DOUBLE, INT32, exact=True, min_rank=1, where=lambda v: v.size)
    if x:
        last = {"select_last_index": g.rng.randint(0, 1)} if g.opset >= 12 else {}
        g.emit(g.rng.choice(["ArgMax", "ArgMin"]), [x], exact="moves", axis=turned(g, g.rng.randrange(x.rank), x.rank),
               keepdims=g.rng.randint(0, 1), **last)


def cumulative(g: Graph) -> None:
    x = g.pick(FLOAT, DOUBLE, HALF, INT64, INT32, min_rank=1)
    if x:
        axis = g.constant(numpy.array(turned(g, g.rng.randrange(x.rank), x.rank), g.rng.choice([INT64, INT32])))
        g.emit("CumSum", [x, axis], exact="sums", exclusive=g.rng.randint(0, 1), reverse=g.rng.randint(0, 1))


def softmax(g: Graph) -> None:
    x = g.pick(FLOAT, FLOAT, DOUBLE, HALF, min_rank=1)
    if x:
        op = g.rng.choice(["Softmax", "LogSoftmax", "Softmax", "Hardmax"])
        if op == "Hardmax" and not x.exact:
            return
        g.emit(op, [x], exact="moves" if op == "Hardmax" else "", axis=turned(g, g.rng.randrange(x.rank), x.rank) if g.chance(0.8) else None)


def normalize(g: Graph) -> None:
    x = g.pick(FLOAT, min_rank=2, where=lambda v: v.size)
    if not x:
        return
    vector = lambda n: g.constant(g.random_array((n,), FLOAT))  # noqa: E731
    op = g.rng.choice(["BatchNormalization", "LayerNormalization", "InstanceNormalization", "LpNormalization", "LRN",
                       "MeanVarianceNormalization", "GroupNormalization", "RMSNormalization"])
    channels = x.shape[1]
    if op == "BatchNormalization":
        variance = g.constant(numpy.abs(g.random_array((channels,), FLOAT)) + numpy.float32(1))
        g.emit(op, [x, vector(channels), vector(channels), vector(channels), variance], epsilon=1e-3 if g.chance(0.5) else None)
    elif op in ("LayerNormalization", "RMSNormalization"):
        axis = g.rng.randrange(1, x.rank)
        parts = [g.constant(g.random_array(x.shape[axis:], FLOAT)) for _ in range(2 if op[0] == "L" and g.chance(0.6) else 1)]
        g.emit(op, [x, *parts], 3 if op[0] == "L" and g.chance(0.15) else 1, axis=turned(g, axis, x.rank), epsilon=1e-2)
    elif op == "InstanceNormalization" and x.rank >= 3:
        g.emit(op, [x, vector(channels), vector(channels)], epsilon=1e-2)
    elif op == "LpNormalization" and x.within(0.1, 1e4):
        g.emit(op, [x], axis=g.rng.randrange(x.rank), p=g.rng.randint(1, 2))
    elif op == "LRN" and x.rank >= 3:
        g.emit(op, [x], size=g.rng.choice([1, 3]), alpha=0.25, beta=0.5, bias=1.0)
    elif op == "GroupNormalization" and x.rank >= 3:
        groups = g.rng.choice([d for d in range(1, channels + 1) if channels % d == 0])
        count = groups if g.opset < 21 else channels
        g.emit(op, [x, vector(count), vector(count)], num_groups=groups, epsilon=1e-2)


def recurrence(g: Graph) -> None:
    x = g.pick(FLOAT, rank=3, where=lambda v: v.size)
    if not x:
        return
    op, gates = g.rng.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    hidden = g.rng.choice([2, 5])
    direction = g.rng.choice(["forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1
    inputs = [x, g.constant(g.random_array((ways, gates * hidden, x.shape[2]), FLOAT) / 4),
              g.constant(g.random_array((ways, gates * hidden, hidden), FLOAT) / 4)]
    if g.chance(0.7):
        inputs.append(g.constant(g.random_array((ways, 2 * gates * hidden), FLOAT)))
        if g.chance(0.4):
            lengths = g.constant(g.numbers.integers(1, x.shape[0] + 1, (x.shape[1],)).astype(INT32)) if g.chance(0.5) else ""
            inputs += [lengths, g.constant(g.random_array((ways, x.shape[1], hidden), FLOAT))]
    more = {"linear_before_reset": g.rng.randint(0, 1)} if op == "GRU" else {}
    outputs = g.rng.choice([1, 2, 3 if op == "LSTM" else 2])
    g.emit(op, inputs, outputs, skip=(0,) if outputs > 1 and g.chance(0.3) else (), hidden_size=hidden, direction=direction, **more)


def info(name: str, dtype: int, shape=None):
    return helper.make_tensor_value_info(name, dtype, shape)


def branch(g: Graph) -> None:
    x = g.pick(FLOAT, exact=True)
    if not x:
        return
    flag = g.pick(BOOL, where=lambda v: v.size == 1 and v.rank <= 1)
    if not flag or g.chance(0.5):
        total = g.emit("ReduceMax", [x], exact="moves", keepdims=0)
        made = total and g.emit("Greater", [total[0], g.constant(numpy.float32(0.5))], exact="moves")
        if not made:
            return
        flag = made[0]
    graphs = []
    for op in g.rng.sample(["Neg", "Abs", "Relu", "Identity"], 2):
        name, inner = g.fresh("b") + op, g.fresh("i") + op
        nodes = [helper.make_node(op, [x.name], [inner], name="inside"), helper.make_node("Add", [inner, inner], [name], name="inside")]
        graphs.append(helper.make_graph(nodes, op, [], [info(name, TensorProto.FLOAT)]))
    g.emit("If", [flag], exact="sums", then_branch=graphs[0], else_branch=graphs[1])


def loop(g: Graph) -> None:
    x = g.pick(FLOAT, where=lambda v: v.within(-50, 50))
    if not x:
        return
    stem = g.fresh("l")
    names = {part: f"{stem}_{part}" for part in ("i", "go", "in", "on", "out", "each")}
    leaves = g.opset >= 11 and g.chance(0.3)
    nodes = [helper.make_node("Add", [names["in"], x.name], [names["out"]]), helper.make_node("Neg", [names["out"]], [names["each"]])]
    limit = f"{stem}_limit"
    nodes.append(helper.make_node("Less", [names["i"], limit], [names["on"]]) if leaves else
                 helper.make_node("Identity", [names["go"]], [names["on"]]))
    body = helper.make_graph(nodes, "body", [info(names["i"], TensorProto.INT64, ()), info(names["go"], TensorProto.BOOL, ()),
                                             info(names["in"], TensorProto.FLOAT)],
                             [info(names["on"], TensorProto.BOOL, ()), info(names["out"], TensorProto.FLOAT), info(names["each"], TensorProto.FLOAT)],
                             [helper.make_tensor(limit, TensorProto.INT64, (), [1])] if leaves else [])
    count = g.pick(INT64, exact=True, where=lambda v: v.rank == 0 and v.within(0, 4)) if g.chance(0.3) else None
    trips = count or g.constant(numpy.array(g.rng.randint(1, 3), INT64))
    go = g.constant(numpy.array(True)) if g.chance(0.5) or g.opset < 11 else ""
    g.emit("Loop", [trips, go, x], 2, exact="sums", body=body)


def scan(g: Graph) -> None:
    x = g.pick(FLOAT, min_rank=1, where=lambda v: v.size and v.within(-50, 50))
    if not x or g.opset < 9:
        return
    stem, axis = g.fresh("s"), g.rng.randrange(x.rank)
    row = x.shape[:axis] + x.shape[axis + 1:]
    body = helper.make_graph([helper.make_node("Add", [stem + "a", stem + "x"], [stem + "b"]), helper.make_node("Abs", [stem + "b"], [stem + "y"])],
                             "body", [info(stem + "a", TensorProto.FLOAT, row), info(stem + "x", TensorProto.FLOAT, row)],
                             [info(stem + "b", TensorProto.FLOAT, row), info(stem + "y", TensorProto.FLOAT, row)])
    backwards = {"scan_input_directions": [1]} if g.chance(0.3) else {}
    g.emit("Scan", [g.constant(numpy.zeros(row, FLOAT)), x], 2, exact="sums", body=body, num_scan_inputs=1, scan_input_axes=[axis], **backwards)


RULES = [matmul, matmul, gemm, integer_products, einsum, conv, conv, pool, pool, reduce, reduce, reduce, arg, cumulative, softmax, normalize,
         normalize, recurrence, branch, loop, scan]
