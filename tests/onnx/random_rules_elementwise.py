# random_rules_elementwise.py: nodes that compute every element by itself, and conversions.
"""Rules for random_graph.Graph: each adds a node or two, or nothing. A function keeps its operands where it is well conditioned, so
that two right implementations differ by little."""

import numpy
from onnx import helper

from random_graph import (BOOL, DOUBLE, FLOAT, FLOATS, HALF, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, Graph,
                          Value)

UNARY = {  # operator: the range in which it is well conditioned
    "Sigmoid": 1e4, "Tanh": 1e4, "Erf": 1e4, "Softplus": 50, "Softsign": 1e4, "Elu": 1e4, "Selu": 1e4, "Celu": 1e4, "HardSigmoid": 1e4,
    "HardSwish": 1e4, "Mish": 50, "Gelu": 1e4, "Atan": 1e4, "Sin": 50, "Cos": 50, "Tan": 1.2, "Sinh": 5, "Cosh": 5, "Asinh": 1e3, "Exp": 6,
    "Asin": 0.9, "Acos": 0.9, "Atanh": 0.9, "Swish": 1e4}
POSITIVE = {"Log": 0.1, "Sqrt": 0.05, "Reciprocal": 0.2, "Acosh": 1.1}  # operator: the least operand


def smooth(g: Graph) -> None:
    op = g.rng.choice(sorted(UNARY))
    x = g.pick(*FLOATS, where=lambda v: v.within(-UNARY[op], UNARY[op]))
    if x:
        attributes = {"Elu": {"alpha": 0.5}, "Celu": {"alpha": 2.0}, "Gelu": {"approximate": "tanh"}, "HardSigmoid": {"alpha": 0.25}}
        g.emit(op, [x], **(attributes.get(op, {}) if g.chance(0.5) else {}))


def positive(g: Graph) -> None:
    op = g.rng.choice(sorted(POSITIVE))
    x = g.pick(*FLOATS)
    if not x:
        return
    if not x.within(POSITIVE[op], 1e4):
        size = g.emit("Abs", [x], exact="moves")
        size = size and g.emit("Add", [size[0], g.constant(numpy.array(1.25, x.dtype))], exact="sums")
        if not size:
            return
        x = size[0]
    g.emit(op, [x])


def plain(g: Graph) -> None:
    x = g.pick(*FLOATS, INT8, INT32, INT64, UINT8)
    if x:
        op = g.rng.choice(["Relu", "Neg", "Abs", "Identity", "Sign", "IsNaN", "IsInf", "Dropout", "ThresholdedRelu", "Shrink", "LeakyRelu"])
        if op in ("Sign", "ThresholdedRelu", "Shrink") and not x.exact:
            return
        attributes = {"LeakyRelu": {"alpha": 0.25}, "ThresholdedRelu": {"alpha": 0.5}, "Shrink": {"lambd": 0.75, "bias": 0.25}}
        g.emit(op, [x], 2 if op == "Dropout" and g.chance(0.4) else 1, exact="sums" if op in ("LeakyRelu", "Shrink") else "moves",
               **attributes.get(op, {}))


def clip(g: Graph) -> None:
    x = g.pick(*FLOATS, INT8, INT32, INT64, UINT8)
    if not x:
        return
    if g.opset < 11:
        g.emit("Clip", [x], exact="moves", **({"min": -1.0} if g.chance(0.7) else {}), **({"max": 1.5} if g.chance(0.7) else {}))
        return
    bounds = [g.constant(numpy.array(n, x.dtype)) if g.chance(0.7) else "" for n in (0 if x.dtype == UINT8 else -1, 3)]
    g.emit("Clip", [x] + bounds[:2 if g.chance(0.8) else 1], exact="moves")


def jump(g: Graph) -> None:
    x = g.pick(*FLOATS, exact=True)
    if x:
        g.emit(g.rng.choice(["Floor", "Ceil", "Round"]), [x], exact="moves")


def partner(g: Graph, x: Value, array=None) -> Value | str:
    """Something that broadcasts against x: another value or a constant."""
    others = [v for v in g.values if v.dtype == x.dtype and broadcast(v.shape, x.shape)]
    if array is None and g.chance(0.5):
        return g.rng.choice(others)
    shape = tuple(n if g.chance(0.6) else 1 for n in x.shape)[g.rng.randint(0, x.rank):]
    return g.constant(g.random_array(shape, x.dtype) if array is None else array(shape))


def binary(g: Graph) -> None:
    x = g.pick(*FLOATS, INT32, INT64, INT8, UINT8, UINT32, UINT64, INT16)
    if x:
        operands = [x, partner(g, x)]
        if g.chance(0.4):
            operands.reverse()
        g.emit(g.rng.choice(["Add", "Sub", "Mul", "Add", "Mul", "Max", "Min"]), operands, exact="sums")


def variadic(g: Graph) -> None:
    x = g.pick(*FLOATS, INT64)
    if x:
        op = g.rng.choice(["Sum", "Mean", "Max", "Min"])
        count = g.rng.randint(1, 4)
        g.emit(op, [x] + [partner(g, x) for _ in range(count - 1)], exact="" if op == "Mean" else "sums")


def divide(g: Graph) -> None:
    x = g.pick(*FLOATS, INT32, INT64, UINT8)
    if x:
        whole = x.dtype.kind != "f"
        choices = [3, 4, 7] if x.dtype == UINT8 else [-3, 2, 5] if whole else [-2, 4, 0.5]
        divisor = partner(g, x, lambda shape: g.numbers.choice(choices, shape).astype(x.dtype))
        g.emit("Div", [x, divisor], exact="moves" if whole else "")


def power(g: Graph) -> None:
    x = g.pick(*FLOATS, INT32, INT64, where=lambda v: v.within(-20, 20))
    if x:
        low = x.dtype.kind == "f" and x.within(0.2, 20) and g.chance(0.5)
        exponent = g.numbers.choice([0.5, 1.5, -0.5] if low else [0, 1, 2, 3], ())
        kind = FLOAT if low or x.dtype != FLOAT or g.opset < 12 else g.rng.choice([FLOAT, INT64, INT32])
        g.emit("Pow", [x, g.constant(exponent.astype(x.dtype if g.opset < 12 else kind))])


def modulo(g: Graph) -> None:
    x = g.pick(FLOAT, HALF, INT32, INT64, UINT8, INT16, exact=True)
    if x and g.opset >= 10:
        fmod = 1 if x.dtype.kind == "f" else g.rng.randint(0, 1)
        divisor = partner(g, x, lambda shape: g.numbers.choice([3, 5] if x.dtype == UINT8 else [3, -5, 4], shape).astype(x.dtype))
        g.emit("Mod", [x, divisor], exact="moves", fmod=fmod)


def compare(g: Graph) -> None:
    x = g.pick(*FLOATS, INT32, INT64, exact=True)
    if x:
        ops = ["Less", "Greater", "Equal"] + (["LessOrEqual", "GreaterOrEqual"] if g.opset >= 12 else [])
        other = partner(g, x)
        if isinstance(other, str) or other.exact:
            g.emit(g.rng.choice(ops), [x, other], exact="moves")


def choose(g: Graph) -> None:
    flags = g.pick(BOOL)
    x = g.pick(*FLOATS, INT64, INT32, UINT8, where=lambda v: flags is not None and broadcast(v.shape, flags.shape))
    if flags and x:
        g.emit("Where", [flags, x, partner(g, x)], exact="moves")


def logic(g: Graph) -> None:
    x = g.pick(BOOL)
    if x:
        op = g.rng.choice(["And", "Or", "Xor", "Not"])
        g.emit(op, [x] if op == "Not" else [x, partner(g, x)], exact="moves")


def bits(g: Graph) -> None:
    x = g.pick(INT32, INT64, UINT8, INT8, INT16, UINT16, UINT32, UINT64)
    if x:
        op = g.rng.choice(["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift"])
        if op == "BitShift":
            g.emit(op, [x, g.constant(numpy.array(g.rng.randint(0, 3), x.dtype))], exact="moves", direction=g.rng.choice(["LEFT", "RIGHT"]))
        else:
            g.emit(op, [x] if op == "BitwiseNot" else [x, partner(g, x)], exact="moves")


def cast(g: Graph) -> None:
    to = g.rng.choice([FLOAT, FLOAT, INT64, INT32, HALF, DOUBLE, BOOL, UINT8, INT8, INT16, UINT16, UINT32, UINT64])
    whole = to.kind in "iub"
    x = g.pick(where=lambda v: not whole or (v.exact and v.within(0 if to.kind == "u" else -100, 100)))
    if not x:
        return
    number = helper.np_dtype_to_tensor_dtype(to)
    if g.opset >= 15 and g.chance(0.2):
        g.emit("CastLike", [x, g.constant(numpy.zeros((1,), to))], exact="moves" if to != HALF or x.dtype.kind == "b" else "")
    else:
        g.emit("Cast", [x], exact="moves" if to != HALF or x.dtype.kind == "b" else "", to=number)


def prelu(g: Graph) -> None:
    x = g.pick(FLOAT, min_rank=1)
    if x:
        shape = tuple(n if g.chance(0.6) else 1 for n in x.shape)[g.rng.randint(0, x.rank - 1):]
        g.emit("PRelu", [x, g.constant(g.random_array(shape, x.dtype))], exact="sums")


def quantize(g: Graph) -> None:
    x = g.pick(FLOAT, exact=True, where=lambda v: v.within(-30, 30))
    if not x or g.opset < 10:
        return
    kind = g.rng.choice([INT8, UINT8])
    scale, zero = g.constant(numpy.float32(0.25)), g.constant(numpy.array(3, kind))
    attributes = {}
    if g.opset >= 13 and x.rank and g.chance(0.4):
        axis = g.rng.randrange(x.rank)
        scale = g.constant((2.0 ** g.numbers.integers(-3, 1, x.shape[axis])).astype(FLOAT))
        zero = g.constant(g.numbers.integers(0, 5, x.shape[axis]).astype(kind))
        attributes = {"axis": axis - (x.rank if g.chance(0.5) else 0)}
    made = g.emit("QuantizeLinear", [x, scale] + ([zero] if kind == INT8 or g.chance(0.7) else []), exact="moves", **attributes)
    if made and g.chance(0.8):
        inputs = [made[0], scale] + ([zero] if made[0].dtype == kind else [])
        g.emit("DequantizeLinear", inputs, exact="sums", **attributes)


def quantize_dynamically(g: Graph) -> None:
    x = g.pick(FLOAT, exact=True)
    if x and g.opset >= 11 and x.size:
        made = g.emit("DynamicQuantizeLinear", [x], 3)
        if made and g.chance(0.7):
            g.emit("DequantizeLinear", made)


RULES = [smooth, smooth, smooth, positive, plain, plain, clip, jump, binary, binary, binary, binary, variadic, divide, power, modulo, compare,
         choose, logic, bits, cast, cast, prelu, quantize, quantize_dynamically]


def broadcast(a: tuple, b: tuple) -> bool:
    try:
        numpy.broadcast_shapes(a, b)
        return True
    except ValueError:
        return False
