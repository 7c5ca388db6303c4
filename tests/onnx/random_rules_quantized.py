# random_rules_quantized.py: nodes on quantized tensors, ONNX's own and com.microsoft's QLinear family.
"""Rules for random_graph.Graph: each adds a node or two, or nothing. Results are integers, compared for equality."""

import numpy

from random_graph import FLOAT, INT8, UINT8, Graph, Value

MICROSOFT = "com.microsoft"
SCALES = (0.25, 0.5, 0.0625, 0.1, 0.037, 0.0123, 1.7)


def scale(g: Graph) -> str:
    return g.constant(numpy.float32(g.rng.choice(SCALES)))


def zero(g: Graph, kind: numpy.dtype) -> str:
    return g.constant(numpy.array(g.rng.choice([0, 3, 17, 128, 200] if kind == UINT8 else [0, -3, 17, -128]), kind))


def by(g: Graph, kind: numpy.dtype) -> list[str]:
    return [scale(g), zero(g, kind)]


def quantized(g: Graph, kind: numpy.dtype | None = None, **conditions) -> Value | None:
    """An integer tensor with many different elements, made from a float one if there is none."""
    kinds = (UINT8, INT8) if kind is None else (kind,)
    x = g.pick(*kinds, exact=True, **conditions)
    if x and x.size and g.chance(0.6):
        return x
    real = g.pick(FLOAT, exact=True, **conditions)
    if not real or not real.size or g.opset < 10:
        return None
    made = g.emit("QuantizeLinear", [real, g.constant(numpy.float32(g.rng.choice([0.0625, 0.03125]))), zero(g, g.rng.choice(kinds))],
                  exact="moves")
    return made[0] if made else None


def add_or_mul(g: Graph) -> None:
    x = quantized(g)
    if x:
        shape = tuple(n if g.chance(0.6) else 1 for n in x.shape)[g.rng.randint(0, x.rank):]
        low, high = (0, 256) if x.dtype == UINT8 else (-128, 128)
        other = g.constant(g.numbers.integers(low, high, shape).astype(x.dtype))
        operands = [[x, *by(g, x.dtype)], [other, *by(g, x.dtype)]]
        g.rng.shuffle(operands)
        g.emit(g.rng.choice(["QLinearAdd", "QLinearMul"]), [*operands[0], *operands[1], *by(g, x.dtype)], exact="moves", domain=MICROSOFT)


def activate(g: Graph) -> None:
    x = quantized(g)
    if x:
        op = g.rng.choice(["QLinearLeakyRelu", "QLinearSigmoid"])
        g.emit(op, [x, *by(g, x.dtype), *by(g, x.dtype)], exact="moves", domain=MICROSOFT, alpha=0.2 if op == "QLinearLeakyRelu" else None)


def concat(g: Graph) -> None:
    x = quantized(g, min_rank=1)
    if x:
        axis = g.rng.randrange(x.rank)
        like = [v for v in g.values if v.dtype == x.dtype and v.rank == x.rank and
                all(a == b for i, (a, b) in enumerate(zip(v.shape, x.shape)) if i != axis)]
        parts = [part for _ in range(g.rng.randint(1, 3)) for part in (g.rng.choice(like), *by(g, x.dtype))]
        g.emit("QLinearConcat", [*by(g, x.dtype), *parts], exact="moves", domain=MICROSOFT, axis=axis)


def pool(g: Graph) -> None:
    x = quantized(g, rank=g.rng.choice([3, 4]))
    if not x:
        return
    last = g.chance(0.2)
    spatial = x.shape[1:-1] if last else x.shape[2:]
    if g.chance(0.5):
        g.emit("QLinearGlobalAveragePool", [x, *by(g, x.dtype), *by(g, x.dtype)], exact="moves", domain=MICROSOFT,
               channels_last=1 if last else None)
        return
    kernel = [g.rng.randint(1, min(3, n)) for n in spatial]
    g.emit("QLinearAveragePool", [x, *by(g, x.dtype), *by(g, x.dtype)], exact="moves", domain=MICROSOFT, kernel_shape=kernel,
           strides=[g.rng.choice([1, 2]) for _ in spatial], count_include_pad=g.rng.randint(0, 1), channels_last=1 if last else None,
           pads=[g.rng.randint(0, min(1, k - 1)) for k in kernel + kernel])


def softmax(g: Graph) -> None:
    x = quantized(g, min_rank=1)
    if x:
        top = [g.constant(numpy.float32(1 / 256)), g.constant(numpy.array(0 if x.dtype == UINT8 else -128, x.dtype))]
        g.emit("QLinearSoftmax", [x, *by(g, x.dtype), *top], exact="moves", domain=MICROSOFT, axis=-1, opset=13)


def weights(g: Graph, shape, columns: int | None, kind: numpy.dtype) -> list:
    """Weights, their scale and zero point: one for all, or one a column. Signed ones have 7 bits: ONNX Runtime adds products of two
    in 16 bits on processors without VNNI."""
    low, high = (0, 256) if kind == UINT8 else (-64, 64)
    w = g.constant(g.numbers.integers(low, high, shape).astype(kind))
    if columns is None:
        return [w, scale(g), zero(g, kind)]
    return [w, g.constant(g.numbers.choice(SCALES, columns).astype(FLOAT)), g.constant(numpy.zeros((columns,), kind))]


def products(g: Graph) -> None:
    x = quantized(g, min_rank=2)
    if not x:
        return
    n, kind = g.rng.choice([1, 5, 16]), INT8 if x.dtype == INT8 else g.rng.choice([UINT8, INT8])
    op = g.rng.choice(["QLinearMatMul", "QGemm", "MatMulIntegerToFloat"])
    each = n if kind == INT8 and g.chance(0.4) else None
    large = [g.constant(numpy.float32(g.rng.choice([16, 33.3, 7.1]))), zero(g, x.dtype)]
    if op == "QGemm" and x.rank == 2:
        turned = g.chance(0.5)
        w = weights(g, (n, x.shape[1]) if turned else (x.shape[1], n), each, kind)
        bias = g.constant(g.numbers.integers(-500, 500, (n,)).astype(numpy.int32)) if g.chance(0.7) else ""
        g.emit(op, [x, *by(g, x.dtype), *w, bias, *(large if g.chance(0.7) else [])], exact="moves", domain=MICROSOFT, transB=int(turned))
    elif op == "QLinearMatMul" and g.opset >= 10:
        g.emit(op, [x, *by(g, x.dtype), *weights(g, (x.shape[-1], n), each, kind), *large], exact="moves")
    elif op == "MatMulIntegerToFloat":
        w, w_scale, w_zero = weights(g, (x.shape[-1], n), each, kind)
        x_scale, x_zero = by(g, x.dtype)
        g.emit(op, [x, w, x_scale, w_scale, x_zero, w_zero] + ([g.constant(g.random_array((n,), FLOAT))] if g.chance(0.5) else []),
               domain=MICROSOFT)


def conv(g: Graph) -> None:
    x = quantized(g, rank=g.rng.choice([3, 4]))
    if not x or g.opset < 10:
        return
    spatial, channels = x.shape[2:], x.shape[1]
    groups = g.rng.choice([1, channels])
    out = groups * g.rng.choice([1, 3])
    kernel = [g.rng.randint(1, min(3, n)) for n in spatial]
    kind = INT8 if x.dtype == INT8 else g.rng.choice([UINT8, INT8])
    w = weights(g, (out, channels // groups, *kernel), out if kind == INT8 and g.chance(0.5) else None, kind)
    bias = [g.constant(g.numbers.integers(-500, 500, (out,)).astype(numpy.int32))] if g.chance(0.6) else []
    large = [g.constant(numpy.float32(g.rng.choice([16, 33.3, 7.1]))), zero(g, x.dtype)]
    g.emit("QLinearConv", [x, *by(g, x.dtype), *w, *large, *bias], exact="moves", group=groups,
           pads=[g.rng.randint(0, 1) for _ in range(2 * len(spatial))], strides=[g.rng.choice([1, 2]) for _ in spatial])


def blocks(g: Graph) -> None:
    x = g.pick(FLOAT, min_rank=2, where=lambda v: v.shape[-1] > 0)
    if not x:
        return
    k, n, bits, block = x.shape[-1], g.rng.choice([3, 8]), g.rng.choice([4, 4, 8]), g.rng.choice([16, 32])
    count = -(-k // block)
    packed = g.constant(g.numbers.integers(0, 256, (n, count, block * bits // 8)).astype(UINT8))
    scales = g.constant((g.numbers.integers(1, 9, (n * count,)) / 64).astype(FLOAT))
    zeros = [g.constant(g.numbers.integers(0, 256, (n * (-(-count * bits // 8)),)).astype(UINT8))] if g.chance(0.5) else []
    g.emit("MatMulNBits", [x, packed, scales, *zeros], domain=MICROSOFT, K=k, N=n, bits=bits, block_size=block)


RULES = [add_or_mul, add_or_mul, activate, concat, pool, pool, softmax, products, products, conv, blocks]
