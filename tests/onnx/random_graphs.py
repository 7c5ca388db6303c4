#!/usr/bin/env python3
# random_graphs.py: random ONNX graphs of 2 to 14 nodes, run by Kiln and by ONNX Runtime.
"""Makes seeded random graphs, runs each on Kiln and on ONNX Runtime with the same inputs and compares all outputs.

A graph agrees, is refused by name at import, or fails; exit code 1 if one fails. `--seed N` runs one graph, `--keep DIR` writes
failing models there. Needs onnx, onnxruntime and numpy. Inputs are multiples of 1/4 and ops that jump (Round, Greater, ArgMax ..)
are applied to values only that both compute exactly."""

import argparse
import collections
import pathlib
import random
import sys
import tempfile

import onnx_venv

onnx_venv.ensure(pathlib.Path(__file__).resolve().parent.parent.parent / "build", "onnx", "onnxruntime")

import kiln_capi  # noqa: E402
import numpy  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

FLOAT, INT64, BOOL = numpy.dtype("float32"), numpy.dtype("int64"), numpy.dtype("bool")
OPSETS = (9, 11, 13, 17, 18, 20)


class Value:
    """A tensor of the graph: its name, and what numpy knows of it. `exact`: both runtimes compute the same bits."""

    def __init__(self, name: str, dtype: numpy.dtype, shape: tuple[int, ...], exact: bool, limit: float = 4.0) -> None:
        self.name, self.dtype, self.shape, self.exact, self.limit = name, dtype, shape, exact, limit

    @property
    def rank(self) -> int:
        return len(self.shape)


class Graph:
    """One random graph under construction."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = numpy.random.default_rng(seed)
        self.opset = self.rng.choice(OPSETS)
        self.nodes, self.initializers, self.inputs, self.values = [], [], [], []
        self.feeds: dict[str, numpy.ndarray] = {}
        self.dynamic = self.rng.random() < 0.5
        for _ in range(self.rng.randint(1, 3)):
            self.add_input(self.random_shape(), self.rng.choice([FLOAT, FLOAT, FLOAT, INT64]))

    # ---- Parts

    def random_shape(self) -> tuple[int, ...]:
        return tuple(self.rng.choice([1, 2, 3, 4, 5, 8]) for _ in range(self.rng.randint(1, 4)))

    def fresh(self, stem: str = "v") -> str:
        return f"{stem}{len(self.nodes)}_{len(self.values)}_{len(self.initializers)}"

    def random_array(self, shape, dtype) -> numpy.ndarray:
        if dtype == BOOL:
            return self.numbers.integers(0, 2, shape).astype(BOOL)
        whole = self.numbers.integers(-8, 9, shape)
        return whole.astype(INT64) if dtype == INT64 else (whole / 4).astype(FLOAT)

    def add_input(self, shape, dtype) -> None:
        name = f"in{len(self.inputs)}"
        dims = [f"d{len(self.inputs)}_{i}" if self.dynamic and self.rng.random() < 0.5 else n for i, n in enumerate(shape)]
        self.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), dims))
        self.feeds[name] = self.random_array(shape, dtype)
        self.values.append(Value(name, dtype, tuple(shape), True))

    def constant(self, array: numpy.ndarray) -> str:
        name = self.fresh("c")
        if self.rng.random() < 0.3:
            self.nodes.append(helper.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(array)))
        else:
            self.initializers.append(onnx.numpy_helper.from_array(array, name))
        return name

    def integers(self, *values: int) -> str:
        return self.constant(numpy.array(values, INT64))

    def pick(self, *dtypes, rank=None, exact=False, min_rank=0) -> Value | None:
        found = [v for v in self.values if (not dtypes or v.dtype in dtypes) and (rank is None or v.rank == rank)
                 and v.rank >= min_rank and (v.exact or not exact)]
        return self.rng.choice(found[-6:]) if found else None

    def emit(self, op, inputs, dtype, shape, exact=False, limit=4.0, outputs=1, **attributes):
        names = [self.fresh("v") + f"_{k}" for k in range(outputs)]
        name = "" if self.rng.random() < 0.3 else f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, [i.name if isinstance(i, Value) else i for i in inputs], names, name=name,
                                           **attributes))
        shapes = shape if outputs > 1 else [shape]
        made = [Value(n, dtype, tuple(int(e) for e in s), exact, limit) for n, s in zip(names, shapes)]
        self.values += made
        return made[0] if outputs == 1 else made

    # ---- Operators: each returns nothing if it does not apply

    def unary(self):
        x = self.pick(FLOAT)
        if not x:
            return
        smooth = ["Sigmoid", "Tanh", "Erf", "Softplus", "Softsign", "Elu", "Selu", "HardSigmoid", "Atan", "Sin", "Cos"]
        plain = ["Relu", "Neg", "Abs", "LeakyRelu", "Identity", "Clip"]
        op = self.rng.choice(smooth + plain)
        if op == "Clip":
            if self.opset < 11:
                return
            return self.emit(op, [x, self.constant(numpy.float32(-1)), self.constant(numpy.float32(1.5))], FLOAT, x.shape, x.exact)
        if op == "LeakyRelu":
            return self.emit(op, [x], FLOAT, x.shape, x.exact, x.limit, alpha=0.25)
        self.emit(op, [x], FLOAT, x.shape, x.exact and op in plain, x.limit if op in plain else 4.0)

    def jump(self):
        x = self.pick(FLOAT, exact=True)
        if x:
            op = self.rng.choice(["Floor", "Ceil", "Sign"] + (["Round"] if self.opset >= 11 else []))
            self.emit(op, [x], FLOAT, x.shape, True, x.limit)

    def binary(self):
        x = self.pick(FLOAT, INT64)
        if not x:
            return
        other = [v for v in self.values if v.dtype == x.dtype and broadcast(v.shape, x.shape)]
        y = self.rng.choice(other)
        if self.rng.random() < 0.4:
            shape = tuple(n if self.rng.random() < 0.6 else 1 for n in x.shape)[self.rng.randint(0, x.rank):]
            y = Value(self.constant(self.random_array(shape, x.dtype)), x.dtype, shape, True)
        op = self.rng.choice(["Add", "Sub", "Mul", "Add"] + (["Max", "Min"] if self.opset >= 12 or x.dtype == FLOAT else []))
        limit = x.limit * y.limit if op == "Mul" else x.limit + y.limit
        self.emit(op, [x, y], x.dtype, broadcast(x.shape, y.shape), x.exact and y.exact and limit < 1e3, min(limit, 1e6))

    def divide(self):
        x = self.pick(FLOAT)
        if x:
            y = numpy.where(self.random_array(x.shape[-1:], FLOAT) < 0, numpy.float32(-2), numpy.float32(4))
            self.emit("Div", [x, self.constant(y)], FLOAT, x.shape, False, x.limit)

    def compare(self):
        x = self.pick(FLOAT, INT64, exact=True)
        if x and not (x.dtype == INT64 and self.opset < 9):
            flags = self.emit(self.rng.choice(["Less", "Greater", "Equal"] if self.opset >= 11 else ["Less", "Greater"]),
                              [x, self.constant(self.random_array(x.shape[-1:], x.dtype))], BOOL, x.shape, True)
            other = self.pick(FLOAT)
            if other and broadcast(other.shape, flags.shape):
                self.emit("Where", [flags, other, self.constant(numpy.float32(-3))], FLOAT,
                          broadcast(other.shape, flags.shape), other.exact, other.limit)

    def cast(self):
        x = self.pick(FLOAT, INT64, BOOL, exact=True)
        if x:
            to = self.rng.choice([FLOAT, INT64])
            self.emit("Cast", [x], to, x.shape, True, x.limit, to=helper.np_dtype_to_tensor_dtype(to))

    def matmul(self):
        x = self.pick(FLOAT, min_rank=2)
        if x:
            n = self.rng.choice([1, 3, 8, 16])
            w = self.constant(self.random_array((x.shape[-1], n), FLOAT))
            self.emit("MatMul", [x, w], FLOAT, x.shape[:-1] + (n,), False, x.limit * 8)

    def gemm(self):
        x = self.pick(FLOAT, rank=2)
        if x:
            n = self.rng.choice([1, 4, 7])
            turned = self.rng.random() < 0.5
            w = self.constant(self.random_array((n, x.shape[1]) if turned else (x.shape[1], n), FLOAT))
            self.emit("Gemm", [x, w, self.constant(self.random_array((n,), FLOAT))], FLOAT, (x.shape[0], n), False, x.limit * 8,
                      transB=int(turned), alpha=0.5)

    def conv(self):
        x = self.pick(FLOAT, rank=self.rng.choice([3, 4]))
        if not x or min(x.shape[2:]) < 2:
            return
        out, k = self.rng.choice([1, 2, 4]), [self.rng.choice([1, 2]) for _ in x.shape[2:]]
        w = self.constant(self.random_array((out, x.shape[1], *k), FLOAT))
        pads = [self.rng.randint(0, 1) for _ in range(2 * len(k))]
        spatial = [n + pads[i] + pads[i + len(k)] - k[i] + 1 for i, n in enumerate(x.shape[2:])]
        self.emit("Conv", [x, w], FLOAT, (x.shape[0], out, *spatial), False, x.limit * 8, kernel_shape=k, pads=pads)

    def pool(self):
        x = self.pick(FLOAT, rank=4)
        if x and min(x.shape[2:]) >= 2:
            shape = x.shape[:2] + tuple((n - 2) // 2 + 1 for n in x.shape[2:])
            op = self.rng.choice(["MaxPool", "AveragePool"])
            self.emit(op, [x], FLOAT, shape, False, x.limit, kernel_shape=[2, 2], strides=[2, 2])

    def reduce(self):
        x = self.pick(FLOAT, min_rank=1)
        if not x:
            return
        op = self.rng.choice(["ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum", "ReduceL2", "ReduceSumSquare"])
        axes = sorted(self.rng.sample(range(x.rank), self.rng.randint(1, x.rank)))
        keep = self.rng.randint(0, 1)
        shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keep or i not in axes)
        given = [a - x.rank if self.rng.random() < 0.5 and self.opset >= 11 else a for a in axes]
        inputs, attributes = [x], {"keepdims": keep}
        if self.opset >= (13 if op == "ReduceSum" else 18):
            inputs.append(self.integers(*given))
        else:
            attributes["axes"] = given
        self.emit(op, inputs, FLOAT, shape, x.exact and op in ("ReduceMax", "ReduceMin"), x.limit * 8, **attributes)

    def arg(self):
        x = self.pick(FLOAT, exact=True, min_rank=1)
        if x:
            axis, keep = self.rng.randrange(x.rank), self.rng.randint(0, 1)
            shape = tuple(1 if i == axis else n for i, n in enumerate(x.shape) if keep or i != axis)
            self.emit(self.rng.choice(["ArgMax", "ArgMin"]), [x], INT64, shape, True, 8, axis=axis, keepdims=keep)

    def softmax(self):
        x = self.pick(FLOAT, min_rank=1)
        if x:
            self.emit(self.rng.choice(["Softmax", "LogSoftmax"]), [x], FLOAT, x.shape, axis=self.rng.randrange(x.rank))

    def normalize(self):
        x = self.pick(FLOAT, min_rank=2)
        if not x:
            return
        if self.opset >= 17 and self.rng.random() < 0.5:
            scale = self.constant(self.random_array(x.shape[-1:], FLOAT))
            return self.emit("LayerNormalization", [x, scale], FLOAT, x.shape, axis=-1, epsilon=1e-3)
        vectors = [self.constant(self.random_array((x.shape[1],), FLOAT)) for _ in range(3)]
        variance = self.constant(numpy.abs(self.random_array((x.shape[1],), FLOAT)) + numpy.float32(1))
        self.emit("BatchNormalization", [x, *vectors, variance], FLOAT, x.shape, False, x.limit * 4)

    def transpose(self):
        x = self.pick(min_rank=1)
        if x:
            perm = self.rng.sample(range(x.rank), x.rank)
            self.emit("Transpose", [x], x.dtype, [x.shape[p] for p in perm], x.exact, x.limit, perm=perm)

    def reshape(self):
        x = self.pick()
        if not x:
            return
        count = int(numpy.prod(x.shape, dtype=numpy.int64))
        divisors = [d for d in range(1, count + 1) if count % d == 0]
        first = self.rng.choice(divisors)
        shape = self.rng.choice([(count,), (first, count // first), (1, first, count // first)])
        given = list(shape)
        if self.rng.random() < 0.5:
            given[self.rng.randrange(len(given))] = -1
        self.emit("Reshape", [x, self.integers(*given)], x.dtype, shape, x.exact, x.limit)

    def reshape_by_shape(self):
        x = self.pick(FLOAT, min_rank=2)
        if x:
            size = self.emit("Shape", [x], INT64, (x.rank,), True, 8)
            first = self.emit("Gather", [size, self.integers(0)], INT64, (1,), True, 8, axis=0)
            target = self.emit("Concat", [first, self.integers(-1)], INT64, (2,), True, 8, axis=0)
            rest = int(numpy.prod(x.shape[1:], dtype=numpy.int64))
            self.emit("Reshape", [x, target], FLOAT, (x.shape[0], rest), x.exact, x.limit)

    def unsqueeze(self):
        x = self.pick()
        if not x or x.rank > 4:
            return
        axis = self.rng.randint(0, x.rank)
        if self.opset >= 13:
            y = self.emit("Unsqueeze", [x, self.integers(axis)], x.dtype, x.shape[:axis] + (1,) + x.shape[axis:], x.exact, x.limit)
        else:
            y = self.emit("Unsqueeze", [x], x.dtype, x.shape[:axis] + (1,) + x.shape[axis:], x.exact, x.limit, axes=[axis])
        if self.rng.random() < 0.3:
            inputs, attributes = ([y, self.integers(axis)], {}) if self.opset >= 13 else ([y], {"axes": [axis]})
            self.emit("Squeeze", inputs, x.dtype, x.shape, x.exact, x.limit, **attributes)

    def concat(self):
        x = self.pick(min_rank=1)
        if x:
            axis = self.rng.randrange(x.rank)
            like = [v for v in self.values if v.dtype == x.dtype and v.rank == x.rank and
                    all(a == b for i, (a, b) in enumerate(zip(v.shape, x.shape)) if i != axis)]
            parts = [x] + [self.rng.choice(like) for _ in range(self.rng.randint(1, 2))]
            shape = list(x.shape)
            shape[axis] = sum(p.shape[axis] for p in parts)
            self.emit("Concat", parts, x.dtype, shape, all(p.exact for p in parts), max(p.limit for p in parts), axis=axis)

    def split(self):
        x = self.pick(min_rank=1)
        if not x:
            return
        axis = self.rng.randrange(x.rank)
        if x.shape[axis] < 2:
            return
        first = self.rng.randint(1, x.shape[axis] - 1)
        sizes = [first, x.shape[axis] - first]
        shapes = [x.shape[:axis] + (n,) + x.shape[axis + 1:] for n in sizes]
        inputs, attributes = ([x, self.integers(*sizes)], {}) if self.opset >= 13 else ([x], {"split": sizes})
        self.emit("Split", inputs, x.dtype, shapes, x.exact, x.limit, outputs=2, axis=axis, **attributes)

    def slice(self):
        x = self.pick(min_rank=1)
        if not x or self.opset < 10:
            return
        axis = self.rng.randrange(x.rank)
        start, end, step = self.rng.randint(-9, 9), self.rng.choice([-9, -1, 2, 4, 2**31 - 1]), self.rng.choice([1, 1, 2, -1, -2])
        length = len(range(*slice(start, end, step).indices(x.shape[axis])))
        if length:
            shape = x.shape[:axis] + (length,) + x.shape[axis + 1:]
            self.emit("Slice", [x] + [self.integers(v) for v in (start, end, axis, step)], x.dtype, shape, x.exact, x.limit)

    def pad(self):
        x = self.pick(FLOAT, min_rank=1)
        if not x or self.opset < 11:
            return
        pads = [self.rng.randint(0, 2) for _ in range(2 * x.rank)]
        mode = self.rng.choice(["constant", "edge"])
        shape = [n + pads[i] + pads[i + x.rank] for i, n in enumerate(x.shape)]
        self.emit("Pad", [x, self.integers(*pads)], FLOAT, shape, x.exact, x.limit, mode=mode)

    def expand(self):
        x = self.pick(FLOAT, INT64)
        if x and x.rank <= 3:
            shape = (self.rng.choice([1, 2, 3]),) + tuple(n if n != 1 else self.rng.choice([1, 4]) for n in x.shape)
            self.emit("Expand", [x, self.integers(*shape)], x.dtype, shape, x.exact, x.limit)

    def tile(self):
        x = self.pick(FLOAT, INT64, min_rank=1)
        if x:
            repeats = [self.rng.choice([1, 1, 2, 3]) for _ in x.shape]
            self.emit("Tile", [x, self.integers(*repeats)], x.dtype, [n * r for n, r in zip(x.shape, repeats)], x.exact, x.limit)

    def gather(self):
        x = self.pick(FLOAT, INT64, min_rank=1)
        if x:
            axis = self.rng.randrange(x.rank)
            shape = self.rng.choice([(), (2,), (2, 3)])
            low = -x.shape[axis] if self.opset >= 11 else 0
            indices = self.constant(self.numbers.integers(low, x.shape[axis], shape))
            self.emit("Gather", [x, indices], x.dtype, x.shape[:axis] + shape + x.shape[axis + 1:], x.exact, x.limit, axis=axis)

    def gather_by_data(self):
        x, i = self.pick(FLOAT, min_rank=1), self.pick(INT64, exact=True)
        if x and i and self.opset >= 13 and i.limit <= 1e6:
            inside = self.emit("Mod", [i, self.integers(x.shape[0])], INT64, broadcast(i.shape, (1,)), True, 8)
            self.emit("Gather", [x, inside], FLOAT, inside.shape + x.shape[1:], x.exact, x.limit, axis=0)

    def cumsum(self):
        x = self.pick(FLOAT, INT64, min_rank=1)
        if x and self.opset >= 11:
            axis = self.constant(numpy.array(self.rng.randrange(x.rank), INT64))
            self.emit("CumSum", [x, axis], x.dtype, x.shape, x.exact and x.limit < 100, x.limit * 8,
                      exclusive=self.rng.randint(0, 1), reverse=self.rng.randint(0, 1))

    def topk(self):
        x = self.pick(FLOAT, exact=True, min_rank=1)
        if x and self.opset >= 11:
            axis = self.rng.randrange(x.rank)
            k = self.rng.randint(1, x.shape[axis])
            shape = x.shape[:axis] + (k,) + x.shape[axis + 1:]
            values = self.emit("TopK", [x, self.integers(k)], FLOAT, [shape, shape], True, x.limit, outputs=2, axis=axis,
                               largest=self.rng.randint(0, 1))
            values[1].dtype = INT64

    def branch(self):
        x = self.pick(FLOAT, exact=True)
        if not x or self.opset < 11:
            return
        inputs, attributes = ([x], {"keepdims": 0})
        total = self.emit("ReduceMax", inputs, FLOAT, (), True, x.limit, **attributes)
        flag = self.emit("Greater", [total, self.constant(numpy.float32(0.5))], BOOL, (), True)
        graphs = []
        for op in ("Neg", "Abs"):
            name = self.fresh("b") + op
            out = helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
            graphs.append(helper.make_graph([helper.make_node(op, [x.name], [name])], op, [], [out]))
        self.emit("If", [flag], FLOAT, x.shape, True, x.limit, then_branch=graphs[0], else_branch=graphs[1])

    def loop(self):
        x = self.pick(FLOAT)
        if not x or self.opset < 11:
            return
        rounds, stem = self.rng.randint(0, 3), self.fresh("l")
        info = lambda name, dtype, shape: helper.make_tensor_value_info(name, dtype, shape)  # noqa: E731
        body = helper.make_graph(
            [helper.make_node("Identity", [stem + "go"], [stem + "on"]),
             helper.make_node("Add", [stem + "in", x.name], [stem + "out"]), helper.make_node("Neg", [stem + "out"], [stem + "each"])],
            "body", [info(stem + "i", TensorProto.INT64, ()), info(stem + "go", TensorProto.BOOL, ()),
                     info(stem + "in", TensorProto.FLOAT, None)],
            [info(stem + "on", TensorProto.BOOL, ()), info(stem + "out", TensorProto.FLOAT, None),
             info(stem + "each", TensorProto.FLOAT, None)])
        shapes = [x.shape, (rounds, *x.shape)]
        limit = x.limit * 4
        made = self.emit("Loop", [self.constant(numpy.array(rounds, INT64)), "", x], FLOAT, shapes, x.exact and limit < 1e3, limit,
                         outputs=2, body=body)
        if rounds == 0:
            self.values.remove(made[1])

    # ---- The whole

    def build(self) -> onnx.ModelProto:
        rules = [self.unary, self.unary, self.jump, self.binary, self.binary, self.binary, self.divide, self.compare, self.cast,
                 self.matmul, self.gemm, self.conv, self.pool, self.reduce, self.arg, self.softmax, self.normalize, self.transpose,
                 self.reshape, self.reshape_by_shape, self.unsqueeze, self.concat, self.split, self.slice, self.pad, self.expand,
                 self.tile, self.gather, self.gather_by_data, self.cumsum, self.topk, self.branch, self.loop]
        want = self.rng.randint(2, 14)
        for _ in range(200):
            if len(self.nodes) >= want:
                break
            if max(numpy.prod(v.shape, dtype=numpy.int64) for v in self.values) > 20000:
                break
            self.rng.choice(rules)()
        used = {name for node in self.nodes for name in node.input}
        computed = [v for v in self.values if v.name not in self.feeds]
        ends = [v for v in computed if v.name not in used] or computed[-1:]
        declared = [None if self.rng.random() < 0.5 else [f"o{i}_{k}" for k in range(v.rank)] for i, v in enumerate(ends)]
        outputs = [helper.make_tensor_value_info(v.name, helper.np_dtype_to_tensor_dtype(v.dtype), dims)
                   for v, dims in zip(ends, declared)]
        graph = helper.make_graph(self.nodes, "random", self.inputs, outputs, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)


def broadcast(a: tuple, b: tuple) -> tuple | None:
    try:
        return numpy.broadcast_shapes(a, b)
    except ValueError:
        return None


def disagreement(got: list, want: list) -> str:
    """What differs, "" if nothing. Rounding errors grow with the values of a graph: the bound is relative to the largest."""
    for index, (a, b) in enumerate(zip(got, want)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"output {index}: {a.dtype}{list(a.shape)}; expected {b.dtype}{list(b.shape)}"
        if a.dtype.kind != "f":
            if not numpy.array_equal(a, b):
                return f"output {index}: integers differ"
            continue
        finite = numpy.abs(b[numpy.isfinite(b)])
        bound = 1e-4 + 1e-4 * float(finite.max(initial=0))
        if not numpy.allclose(a, b, rtol=1e-3, atol=bound, equal_nan=True):
            return f"output {index}: differs by {numpy.nanmax(numpy.abs(a - b)):.3g}, bound {bound:.3g}"
    return ""


def judge(session: kiln_capi.Session, seed: int, folder: pathlib.Path) -> tuple[str, str]:
    graph = Graph(seed)
    model = graph.build()
    path = folder / f"random_{seed}.onnx"
    onnx.save(model, path)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        peer = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        want = peer.run(None, graph.feeds)
    except Exception as error:  # the generator's fault: not a graph
        return "invalid", str(error).split("\n")[0]
    try:
        loaded = session.load(path)
        names = set(loaded.input_names())
        got = loaded.run({name: array for name, array in graph.feeds.items() if name in names}, timeout_s=60)
    except kiln_capi.KilnError as error:
        if error.code == kiln_capi.UNIMPLEMENTED and any(node.op_type in str(error) for node in model.graph.node):
            return "refused", str(error)
        session.heal()
        return "failed", str(error)
    wrong = disagreement(got, want)
    return ("failed", wrong) if wrong else ("agreed", "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="run this graph only")
    parser.add_argument("--device", default="host")
    parser.add_argument("--build", type=pathlib.Path, default=kiln_capi.DEFAULT_BUILD)
    parser.add_argument("--keep", type=pathlib.Path, help="write models that fail to this folder")
    parser.add_argument("--refused", action="store_true", help="print why graphs were refused")
    options = parser.parse_args()
    seeds = [options.seed] if options.seed is not None else range(options.first, options.first + options.count)
    session = kiln_capi.Session(options.device, threads=1, build=options.build)
    counts: collections.Counter = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for seed in seeds:
            state, message = judge(session, seed, folder)
            counts[state] += 1
            path = folder / f"random_{seed}.onnx"
            if state in ("failed", "invalid") or (state == "refused" and options.refused):
                print(f"{state}: seed {seed}: {' '.join(message.split())[:300]}", flush=True)
            if state == "failed" and options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                path.rename(options.keep / path.name)
            else:
                path.unlink()
    print(", ".join(f"{counts[state]} {state}" for state in ("agreed", "refused", "failed", "invalid")))
    return 1 if counts["failed"] or counts["invalid"] else 0


if __name__ == "__main__":
    sys.exit(main())
