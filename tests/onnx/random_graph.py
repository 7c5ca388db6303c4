# random_graph.py: one random ONNX graph under construction; ONNX Runtime says what each node yields.
"""The graph that the rules of random_rules_*.py extend. `emit` adds a node only if ONNX Runtime runs it: rules may ask for any
operator, type and shape without knowing which of them are legal, and every value's elements are known while the graph grows."""

import random

import numpy
import onnx
import onnxruntime
from onnx import helper

OPSETS = (7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
FLOAT, HALF, DOUBLE = numpy.dtype("float32"), numpy.dtype("float16"), numpy.dtype("float64")
INT8, UINT8, INT32, INT64 = (numpy.dtype(name) for name in ("int8", "uint8", "int32", "int64"))
INT16, UINT16, UINT32, UINT64 = (numpy.dtype(name) for name in ("int16", "uint16", "uint32", "uint64"))
BOOL = numpy.dtype("bool")
FLOATS = (FLOAT, HALF, DOUBLE)
MAX_ELEMENTS, MAX_MAGNITUDE = 20000, 1e4


class Value:
    """A tensor of the graph. `exact`: any right implementation computes the same bits, so that ops that jump may follow."""

    def __init__(self, name: str, array: numpy.ndarray, exact: bool) -> None:
        self.name, self.array, self.exact = name, array, exact

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def rank(self) -> int:
        return self.array.ndim

    @property
    def dtype(self) -> numpy.dtype:
        return self.array.dtype

    @property
    def size(self) -> int:
        return self.array.size

    def within(self, low: float, high: float) -> bool:
        return bool(numpy.all((self.array >= low) & (self.array <= high)))


def run_alone(node: onnx.NodeProto, opset: int, known: dict[str, numpy.ndarray],
              constants: dict[str, onnx.TensorProto]) -> list[numpy.ndarray] | None:
    """What ONNX Runtime computes for one node; None if it refuses."""
    used = {name for name in names_read(node) if name in known or name in constants}
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(known[name].dtype), known[name].shape)
              for name in sorted(used) if name not in constants]
    outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
    graph = helper.make_graph([node], "one", inputs, outputs, [constants[name] for name in sorted(used) if name in constants])
    model = helper.make_model(graph, opset_imports=opset_imports(opset), ir_version=8)
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), quiet_options(), providers=["CPUExecutionProvider"])
        return session.run(None, {info.name: known[info.name] for info in inputs})
    except Exception:  # ONNX Runtime has many types of errors
        return None


def opset_imports(opset: int) -> list[onnx.OperatorSetIdProto]:
    return [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]


def quiet_options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return options


def names_read(node: onnx.NodeProto) -> set[str]:
    """The names that a node and its graphs take from outside."""
    names = {name for name in node.input if name}
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            for inner in attribute.g.node:
                names |= names_read(inner)
            names -= {name for inner in attribute.g.node for name in inner.output} | {i.name for i in attribute.g.input}
    return names


def is_dyadic(array: numpy.ndarray) -> bool:
    """Whether float32 computes such elements without rounding, in whatever order."""
    if array.dtype.kind != "f":
        return True
    if array.dtype == HALF:
        return False
    scaled = array.astype(DOUBLE) * 1024
    return bool(numpy.all(numpy.isfinite(scaled)) and numpy.all(scaled == numpy.round(scaled)) and
                (not scaled.size or numpy.abs(scaled).max() < 2**22))


class Graph:
    """One random graph: nodes, constants, inputs and their values."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = numpy.random.default_rng(seed)
        self.opset = self.rng.choice(OPSETS)
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self.values: list[Value] = []
        self.feeds: dict[str, numpy.ndarray] = {}
        self.known: dict[str, numpy.ndarray] = {}
        self.dynamic = self.rng.random() < 0.5
        self.has_empty = self.rng.random() < 0.05
        self.is_large = self.rng.random() < 0.15
        self.odd_names = self.rng.random() < 0.1
        for _ in range(self.rng.randint(1, 3)):
            rare = [INT64, INT64, INT32, BOOL, HALF, HALF, DOUBLE, UINT8, INT8, INT16, UINT16, UINT32, UINT64]
            self.add_input(self.random_shape(), self.rng.choice([FLOAT] * 8 + rare))

    # ---- Parts

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def random_shape(self) -> tuple[int, ...]:
        sizes = [1, 2, 3, 4, 5, 8] + ([0] if self.has_empty else []) + ([17, 32, 70] if self.is_large else [])
        return tuple(self.rng.choice(sizes) for _ in range(self.rng.choice([0, 1, 2, 2, 3, 3, 4, 4, 5])))

    def fresh(self, stem: str) -> str:
        name = f"{stem}{len(self.nodes)}_{len(self.known)}"
        return f"/{stem} part.{len(self.nodes)}:{len(self.known)}" if self.odd_names else name

    def random_array(self, shape, dtype) -> numpy.ndarray:
        if dtype == BOOL:
            return self.numbers.integers(0, 2, shape).astype(BOOL)
        whole = self.numbers.integers(0 if dtype.kind == "u" else -8, 9, shape)
        return numpy.asarray(whole / 4 if dtype.kind == "f" else whole).astype(dtype)

    def add_input(self, shape, dtype) -> None:
        name = self.fresh("in")
        dims = [f"d{len(self.inputs)}_{i}" if self.dynamic and self.chance(0.5) else n for i, n in enumerate(shape)]
        self.inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), dims))
        array = self.random_array(shape, dtype)
        self.feeds[name] = self.known[name] = array
        self.values.append(Value(name, array, True))

    def constant(self, array) -> str:
        array = numpy.asarray(array)
        name = self.fresh("c")
        self.known[name] = array
        tensor = onnx.numpy_helper.from_array(array, name)
        if self.chance(0.3):
            self.nodes.append(helper.make_node("Constant", [], [name], value=tensor))
        self.constants[name] = tensor
        return name

    def integers(self, *values: int) -> str:
        return self.constant(numpy.array(values, INT64))

    def pick(self, *dtypes, rank=None, exact=False, min_rank=0, where=None) -> Value | None:
        found = [v for v in self.values if (not dtypes or v.dtype in dtypes) and (rank is None or v.rank == rank)
                 and v.rank >= min_rank and (v.exact or not exact) and (where is None or where(v))]
        return self.rng.choice(found[-6:]) if found else None

    def emit(self, op: str, inputs, outputs: int = 1, exact: str = "", skip=(), domain: str = "",
             **attributes) -> list[Value] | None:
        """Adds a node; None if ONNX Runtime would not run it or its results are too large to go on with. `exact`: "moves" if
        elements are copied or compared, "sums" if they are added and multiplied. `skip`: outputs that are left out."""
        names = ["" if k in skip else f"{self.fresh('v')}_{k}" for k in range(outputs)]
        reads = [i.name if isinstance(i, Value) else i for i in inputs]
        label = "" if self.chance(0.3) else f"{op}_{len(self.nodes)}"
        attributes = {k: v for k, v in attributes.items() if v is not None}
        node = helper.make_node(op, reads, names, name=label, domain=domain, **attributes)
        computed = run_alone(node, self.opset, self.known, self.constants)
        if computed is None:
            return None
        from_exact = all(v.exact for v in self.values if v.name in names_read(node))
        made = []
        for name, array in zip([n for n in names if n], computed):
            if array.size > MAX_ELEMENTS or array.ndim > 6:
                return None
            if array.dtype.kind != "b" and array.size and not (numpy.abs(array.astype(DOUBLE)).max() <= MAX_MAGNITUDE):  # or NaN
                return None
            made.append(Value(name, array, bool(exact and from_exact and (exact == "moves" or is_dyadic(array)))))
        self.nodes.append(node)
        for value in made:
            self.known[value.name] = value.array
        self.values += made
        return made

    # ---- The whole

    def grow(self, rules) -> None:
        want = self.rng.randint(2, 14)
        for _ in range(300):
            if sum(node.op_type != "Constant" for node in self.nodes) >= want:
                return
            self.rng.choice(rules)(self)

    def model(self) -> onnx.ModelProto:
        """The graph with what nobody reads as its outputs, and some constants that are also listed as inputs."""
        used = set().union(*(names_read(node) for node in self.nodes))
        made = {name for node in self.nodes for name in node.output}
        nodes = [node for node in self.nodes if node.op_type != "Constant" or node.output[0] in used]
        computed = [v for v in self.values if v.name in made]
        ends = [v for v in computed if v.name not in used] or computed[-1:]
        outputs = []
        for index, value in enumerate(ends):
            dims = None if self.chance(0.5) else [f"o{index}_{k}" for k in range(value.rank)]
            outputs.append(helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(value.dtype), dims))
        initializers = [tensor for name, tensor in self.constants.items() if name in used and name not in made]
        listed = [helper.make_tensor_value_info(t.name, t.data_type, t.dims) for t in initializers] if self.chance(0.1) else []
        graph = helper.make_graph(nodes, "random", self.inputs + listed, outputs, initializers)
        return helper.make_model(graph, opset_imports=opset_imports(self.opset), ir_version=8)
