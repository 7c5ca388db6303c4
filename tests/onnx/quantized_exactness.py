#!/usr/bin/env python3
# quantized_exactness.py: operators on quantized tensors to the bit, with scales and numbers that hit halves.
"""Runs seeded one- to three-node models and asks for the same bits: of ONNX's operators those of its definition, computed here by
numpy in float32 and int64, and ONNX Runtime's beside it; of com.microsoft's QLinear operators, whose formulas have no other
definition, ONNX Runtime's. Exit code 1 if a bit differs. `--write DIR` keeps one case a rule for run_contrib_cases.py (those of
tests/onnx/contrib whose names begin with exact_). Needs onnx, onnxruntime and numpy."""

import argparse
import pathlib
import sys
import tempfile

import onnx_venv

onnx_venv.ensure(pathlib.Path(__file__).resolve().parent.parent.parent / "build", "onnx", "onnxruntime")

import kiln_capi  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import random_graph  # noqa: E402
import random_graphs  # noqa: E402
from onnx import helper  # noqa: E402

MICROSOFT = "com.microsoft"
F = np.float32
# Powers of two make exact halves, decimal fractions such that only the order of roundings decides.
SCALES = (0.25, 0.5, 0.0625, 0.1, 0.037, 0.0123, 1.7, 0.2, 0.3)


class Case:
    """A model under construction: nodes, inputs by name, what is constant, and maybe the outputs that ONNX defines."""

    def __init__(self, seed: int) -> None:
        self.g = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: dict[str, np.ndarray] = {}
        self.constants: set[str] = set()
        self.expected: list[np.ndarray] | None = None

    def add(self, array, constant: bool = False) -> str:
        name = f"v{len(self.inputs)}"
        self.inputs[name] = np.asarray(array)
        if constant:
            self.constants.add(name)
        return name

    def node(self, op: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes) -> None:
        self.nodes.append(helper.make_node(op, inputs, outputs, domain=domain, **attributes))

    def model(self, outputs: list[str]) -> onnx.ModelProto:
        def info(name):
            array = self.inputs[name]
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        given = [info(name) for name in self.inputs if name not in self.constants]
        kept = [onnx.numpy_helper.from_array(self.inputs[name], name) for name in self.inputs if name in self.constants]
        graph = helper.make_graph(self.nodes, "exact", given, [onnx.ValueInfoProto(name=name) for name in outputs], kept)
        return helper.make_model(graph, opset_imports=random_graph.opset_imports(21), ir_version=10)

    # ---- Draws

    def kind(self):
        return self.g.choice([np.uint8, np.int8])

    def scale(self, shape=()):
        return self.g.choice(SCALES, shape).astype(F)

    def numbers(self, kind, shape):
        limits = np.iinfo(kind)
        return self.g.integers(limits.min, int(limits.max) + 1, shape).astype(kind)

    def zero(self, kind, shape=()):
        return self.numbers(kind, shape)

    def by(self, kind) -> list[str]:
        return [self.add(self.scale(), True), self.add(self.zero(kind), True)]


def saturated(x: np.ndarray, kind) -> np.ndarray:
    limits = np.iinfo(kind)
    return np.clip(x, limits.min, limits.max).astype(kind)


def rounded(quotient: np.ndarray, zero, kind) -> np.ndarray:
    """ONNX: saturate(round(quotient) + zero), halves to even."""
    return saturated(np.rint(quotient).astype(np.int64) + zero.astype(np.int64), kind)


def requantized(total: np.ndarray, multiplier: np.ndarray, zero, kind) -> np.ndarray:
    return rounded(total.astype(F) * multiplier.astype(F), zero, kind)


# ---- ONNX's operators

def quantize_linear(c: Case) -> None:
    kind, axis = c.g.choice([np.uint8, np.int8, np.uint16, np.int16]), int(c.g.integers(0, 3))
    shape = (5, 7, 33)
    each = bool(c.g.integers(2))
    scale, zero = c.scale((shape[axis],) if each else ()), c.zero(kind, (shape[axis],) if each else ())
    column = [1, 1, 1]
    column[axis] = -1
    s, z = (scale.reshape(column), zero.reshape(column)) if each else (scale, zero)
    x = ((c.g.integers(-300, 300, shape) + c.g.choice([0, 0.5], shape)).astype(F) * s).astype(F)
    c.node("QuantizeLinear", [c.add(x), c.add(scale, True), c.add(zero, True)], ["y"], axis=axis)
    c.expected = [rounded((x / s).astype(F), z, kind)]


def dequantize_add_quantize(c: Case) -> None:
    """What a target must not fuse: each product is rounded before it is added."""
    kind = c.kind()
    a, b = c.numbers(kind, (6, 50)), c.numbers(kind, (6, 50))
    scales, zeros = [c.scale(), c.scale(), c.scale()], [c.zero(kind), c.zero(kind), c.zero(kind)]
    for x, name, scale, zero in ((a, "a", scales[0], zeros[0]), (b, "b", scales[1], zeros[1])):
        c.node("DequantizeLinear", [c.add(x), c.add(scale, True), c.add(zero, True)], [name])
    c.node("Add", ["a", "b"], ["s"])
    c.node("QuantizeLinear", ["s", c.add(scales[2], True), c.add(zeros[2], True)], ["y"])

    def real(x, i):
        return (x.astype(np.int32) - zeros[i].astype(np.int32)).astype(F) * scales[i]
    c.expected = [rounded((real(a, 0) + real(b, 1)).astype(F) / scales[2], zeros[2], kind)]


def dynamic_quantize_linear(c: Case) -> None:
    x = (c.g.integers(-400, 400, (11, 17)) / c.g.choice([4, 10, 37]) + c.g.choice([0, 30, -200])).astype(F)
    c.node("DynamicQuantizeLinear", [c.add(x)], ["y", "s", "z"])
    low, high = F(min(x.min(), 0)), F(max(x.max(), 0))
    scale = F(F(high - low) / F(255))
    zero = saturated(np.rint(F(0) - F(low / scale)), np.uint8)
    c.expected = [rounded((x / scale).astype(F), zero, np.uint8), scale, zero]


def weights(c: Case, kind, shape):
    """Signed ones have 7 bits: ONNX Runtime adds products of two in 16 bits on processors without VNNI."""
    return c.numbers(np.uint8, shape) if kind == np.uint8 else c.g.integers(-64, 64, shape).astype(np.int8)


def matmul_integer(c: Case) -> None:
    kind, other = np.uint8, c.kind()
    a, b = c.numbers(kind, (4, 9)), weights(c, other, (9, 5))
    za, zb = c.zero(kind), np.zeros((), other)
    c.node("MatMulInteger", [c.add(a), c.add(b), c.add(za, True), c.add(zb, True)], ["y"])
    c.expected = [((a.astype(np.int64) - int(za)) @ b.astype(np.int64)).astype(np.int32)]


def qlinear_matmul(c: Case) -> None:
    kind, other = np.uint8, c.kind()
    a, b = c.numbers(kind, (13, 19)), weights(c, other, (19, 21))
    each = other == np.int8 and bool(c.g.integers(2))
    sa, sb, sy = c.scale(), c.scale((21,) if each else ()), F(c.g.choice([16, 33.3, 7.1, 0.5]))
    za, zb, zy = c.zero(kind), np.zeros((21,) if each else (), other), c.zero(kind)
    c.node("QLinearMatMul", [c.add(a), c.add(sa, True), c.add(za, True), c.add(b), c.add(sb, True), c.add(zb, True),
                             c.add(sy, True), c.add(zy, True)], ["y"])
    total = (a.astype(np.int64) - int(za)) @ b.astype(np.int64)
    c.expected = [requantized(total, (sa * sb).astype(F) / sy, zy, kind)]


def convolved(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    rows, columns = x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1
    y = np.zeros((x.shape[0], w.shape[0], rows, columns), np.int64)
    for i in range(w.shape[2]):
        for j in range(w.shape[3]):
            y += np.einsum("nchw,oc->nohw", x[:, :, i:i + rows, j:j + columns], w[:, :, i, j])
    return y


def conv_integer(c: Case) -> None:
    x, w, zero = c.numbers(np.uint8, (2, 2, 7, 6)), c.numbers(np.uint8, (3, 2, 3, 2)), c.zero(np.uint8)
    c.node("ConvInteger", [c.add(x), c.add(w), c.add(zero, True)], ["y"])
    c.expected = [convolved(x.astype(np.int64) - int(zero), w.astype(np.int64)).astype(np.int32)]


def qlinear_conv(c: Case) -> None:
    other = c.kind()
    x, w = c.numbers(np.uint8, (2, 3, 9, 11)), weights(c, other, (8, 3, 3, 2))
    each = bool(c.g.integers(2))
    sx, sw, sy = c.scale(), c.scale((8,) if each else ()), F(c.g.choice([16, 33.3, 7.1, 0.5]))
    zx, zw, zy = c.zero(np.uint8), np.zeros((8,) if each else (), other), c.zero(np.uint8)
    bias = c.g.integers(-2000, 2000, 8).astype(np.int32)
    c.node("QLinearConv", [c.add(x), c.add(sx, True), c.add(zx, True), c.add(w), c.add(sw, True), c.add(zw, True), c.add(sy, True),
                           c.add(zy, True), c.add(bias, True)], ["y"])
    total = convolved(x.astype(np.int64) - int(zx), w.astype(np.int64)) + bias.reshape(1, -1, 1, 1)
    multiplier = (sx * sw).astype(F) / sy
    c.expected = [requantized(total, multiplier.reshape(1, -1, 1, 1) if each else multiplier, zy, np.uint8)]


# ---- com.microsoft's

def operands(c: Case, kind) -> list[str]:
    shapes = [[(4, 6, 40)] * 2, [(4, 6, 40), (40,)], [(4, 6, 40), (4, 6, 1)], [(6, 1), (4, 6, 40)], [(1,), (4, 6, 40)],
              [(4, 1, 40), (6, 40)], [(4, 6, 40, 1), (6, 1, 1)]][c.g.integers(7)]
    names = []
    for shape in shapes:
        names += [c.add(c.numbers(kind, shape)), *c.by(kind)]
    return names


def qlinear_add(c: Case) -> None:
    kind = c.kind()
    c.node("QLinearAdd", [*operands(c, kind), *c.by(kind)], ["y"], MICROSOFT)


def qlinear_mul(c: Case) -> None:
    kind = c.kind()
    c.node("QLinearMul", [*operands(c, kind), *c.by(kind)], ["y"], MICROSOFT)


def qlinear_average_pool(c: Case) -> None:
    kind, k = c.kind(), int(c.g.integers(1, 4))
    c.node("QLinearAveragePool", [c.add(c.numbers(kind, (2, 3, 9, 8))), *c.by(kind), *c.by(kind)], ["y"], MICROSOFT,
           kernel_shape=[k, k], pads=[k // 2] * 4, count_include_pad=int(c.g.integers(2)))


def qlinear_global_average_pool(c: Case) -> None:
    kind, last = c.kind(), int(c.g.integers(2))
    shape = (3, *c.g.integers(1, 9, 3))
    c.node("QLinearGlobalAveragePool", [c.add(c.numbers(kind, shape)), *c.by(kind), *c.by(kind)], ["y"], MICROSOFT, channels_last=last)


def qlinear_leaky_relu(c: Case) -> None:
    kind = c.kind()
    c.node("QLinearLeakyRelu", [c.add(c.numbers(kind, (5, 90))), *c.by(kind), *c.by(kind)], ["y"], MICROSOFT, alpha=float(c.scale()))


def qlinear_concat(c: Case) -> None:
    kind = c.kind()
    parts = [name for n in (3, 5) for name in (c.add(c.numbers(kind, (4, n, 9))), *c.by(kind))]
    c.node("QLinearConcat", [*c.by(kind), *parts], ["y"], MICROSOFT, axis=1)


def qlinear_where(c: Case) -> None:
    kind = c.kind()
    condition = c.add(c.g.integers(0, 2, (6, 30)).astype(bool))
    parts = [name for _ in range(2) for name in (c.add(c.numbers(kind, (6, 30))), *c.by(kind))]
    c.node("QLinearWhere", [condition, *parts, *c.by(kind)], ["y"], MICROSOFT)


def qgemm(c: Case) -> None:
    kind = np.uint8
    bias = c.add(c.g.integers(-500, 500, (12,)).astype(np.int32), True)
    c.node("QGemm", [c.add(c.numbers(kind, (7, 20))), *c.by(kind), c.add(weights(c, np.int8, (20, 12)), True), c.add(c.scale(), True),
                     c.add(np.zeros((), np.int8), True), bias, c.add(F(c.g.choice([16, 33.3, 7.1])), True), c.add(c.zero(kind), True)],
           ["y"], MICROSOFT)


def matmul_integer_to_float(c: Case) -> None:
    bias = c.add(c.g.normal(size=12).astype(F), True)
    c.node("MatMulIntegerToFloat", [c.add(c.numbers(np.uint8, (7, 20))), c.add(weights(c, np.int8, (20, 12)), True),
                                    c.add(c.scale(), True), c.add(c.scale((12,)), True), c.add(c.zero(np.uint8), True),
                                    c.add(np.zeros((12,), np.int8), True), bias], ["y"], MICROSOFT)


RULES = [quantize_linear, dequantize_add_quantize, dynamic_quantize_linear, matmul_integer, qlinear_matmul, conv_integer, qlinear_conv,
         qlinear_add, qlinear_mul, qlinear_average_pool, qlinear_global_average_pool, qlinear_leaky_relu, qlinear_concat, qlinear_where,
         qgemm, matmul_integer_to_float]


def differs(got: list, want: list) -> str:
    for index, (a, b) in enumerate(zip(got, want)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"output {index}: {a.dtype}{list(a.shape)}; expected {b.dtype}{list(b.shape)}"
        if not np.array_equal(a, b):
            at = tuple(np.argwhere(a != b)[0]) if a.ndim else ()
            return f"output {index}: {int((a != b).sum())} of {a.size} differ; at {list(map(int, at))} {a[at]}, expected {b[at]}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30, help="models a rule")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--device", default="host")
    parser.add_argument("--build", type=pathlib.Path, default=kiln_capi.DEFAULT_BUILD)
    parser.add_argument("--write", type=pathlib.Path, help="write one case a rule to this folder")
    options = parser.parse_args()
    session = kiln_capi.Session(options.device, threads=1, build=options.build)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        path = pathlib.Path(temporary) / "model.onnx"
        for rule in RULES:
            for seed in range(options.first, options.first + options.count):
                case = Case(seed)
                rule(case)
                outputs = list(case.nodes[-1].output)
                model = case.model(outputs)
                onnx.save(model, path)
                feeds = {name: array for name, array in case.inputs.items() if name not in case.constants}
                peer = onnxruntime.InferenceSession(str(path), random_graph.quiet_options(), providers=["CPUExecutionProvider"])
                theirs = peer.run(None, feeds)
                want = theirs if case.expected is None else case.expected
                got = session.load(path).run(feeds)
                for who, message in (("kiln", differs(got, want)), ("ONNX Runtime", differs(theirs, want))):
                    if message:
                        failed += who == "kiln"
                        print(f"{rule.__name__}: seed {seed}: {who}: {message}", flush=True)
                if options.write and seed == options.first:
                    random_graphs.write_case(options.write / f"exact_{rule.__name__}", model, feeds, want)
    print(f"{len(RULES) * options.count} models, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
