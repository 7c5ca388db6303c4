#!/usr/bin/env python3
# compare_caches.py: a process from start to first result, cold and from its cache: Kiln beside other systems, in one run.
"""Each round starts one process per system and model with an empty cache and one with what that left; prints medians as Markdown.

Needs onnx, numpy and what is compared: onnxruntime, openvino, iree-base-compiler with iree-base-runtime, jax, torch (inductor).
A system that is not installed is left out. Interpreters may differ: --python inductor=/other/venv/bin/python. A process that ends in
an error ends the comparison. Peers are called from Python, whose start and imports are theirs as users meet them; the last column
takes the imports off."""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHED = "model.vmfb"  # IREE's compiled module, in the cache folder
OPTIMIZED = "model.ort"  # ONNX Runtime's, in its own format


def small_model() -> "onnx.ModelProto":
    """exp(x) * x on 64x64: one fused kernel."""
    from onnx import TensorProto, helper

    nodes = [helper.make_node("Exp", ["x"], ["e"]), helper.make_node("Mul", ["e", "x"], ["y"])]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [64, 64]) for name in "xy"]
    graph = helper.make_graph(nodes, "small", ports[:1], ports[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def load(model: pathlib.Path) -> tuple:
    """The model, its weights by name, an input."""
    import numpy
    import onnx
    from onnx import numpy_helper

    proto = onnx.load(model)
    shape = [dim.dim_value for dim in proto.graph.input[0].type.tensor_type.shape.dim]
    x = numpy.random.default_rng(1).standard_normal(shape, dtype=numpy.float32)
    return proto, {weight.name: numpy_helper.to_array(weight) for weight in proto.graph.initializer}, x


def evaluate(proto: "onnx.ModelProto", ops: dict, values: dict) -> object:
    """The graph with a framework's operators."""
    from onnx import helper

    for node in proto.graph.node:
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        values[node.output[0]] = ops[node.op_type](*(values[name] for name in node.input), **attributes)
    return values[proto.graph.output[0].name]


# One function a system: imports what it needs, then gives a call that makes the first result.


def run_onnxruntime(model: pathlib.Path, cache: pathlib.Path) -> object:
    import numpy
    import onnxruntime

    def first() -> object:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = 1
        kept = cache / OPTIMIZED
        if kept.exists():
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        else:
            options.optimized_model_filepath = str(kept)
            options.add_session_config_entry("session.save_model_format", "ORT")
        session = onnxruntime.InferenceSession(str(kept if kept.exists() else model), options, providers=["CPUExecutionProvider"])
        x = numpy.random.default_rng(1).standard_normal(session.get_inputs()[0].shape, dtype=numpy.float32)
        return session.run(None, {"x": x})[0]

    return first


def run_openvino(model: pathlib.Path, cache: pathlib.Path) -> object:
    import numpy
    import openvino

    def first() -> object:
        core = openvino.Core()
        compiled = core.compile_model(str(model), "CPU", {"CACHE_DIR": str(cache), "INFERENCE_PRECISION_HINT": "f32",
                                                          "INFERENCE_NUM_THREADS": 1})
        x = numpy.random.default_rng(1).standard_normal(tuple(compiled.input(0).shape), dtype=numpy.float32)
        return compiled({0: x})[0]

    return first


def run_iree(model: pathlib.Path, cache: pathlib.Path) -> object:
    import numpy
    from iree import runtime

    def build(kept: pathlib.Path) -> None:
        from iree import compiler

        text = cache / "model.mlir"
        subprocess.run([sys.executable, "-m", "iree.compiler.tools.import_onnx", str(model), "-o", str(text)], check=True)
        compiler.compile_file(str(text), target_backends=["llvm-cpu"], output_file=str(kept),
                              extra_args=["--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O2"])

    def first() -> object:
        kept = cache / CACHED
        if not kept.exists():
            build(kept)
        config = runtime.Config("local-sync")
        module = runtime.load_vm_module(runtime.VmModule.mmap(config.vm_instance, str(kept)), config)
        name = next(name for name in module.vm_module.function_names if not name.startswith("__") and not name.endswith("$async"))
        shape = [64, 64] if name == "small" else [1, 3, 224, 224]
        return module[name](numpy.random.default_rng(1).standard_normal(shape, dtype=numpy.float32)).to_host()

    return first


def run_jax(model: pathlib.Path, cache: pathlib.Path) -> object:
    import jax
    import jax.numpy as jnp
    from jax import lax

    for name, value in (("jax_compilation_cache_dir", str(cache)), ("jax_persistent_cache_min_compile_time_secs", 0),
                        ("jax_persistent_cache_min_entry_size_bytes", -1)):
        jax.config.update(name, value)

    def pads(sizes: list) -> list:
        return list(zip(sizes[: len(sizes) // 2], sizes[len(sizes) // 2 :]))

    ops = {
        "Exp": jnp.exp, "Mul": jnp.multiply, "Add": jnp.add, "Relu": jax.nn.relu,
        "Conv": lambda x, w, b, strides, **a: lax.conv_general_dilated(x, w, strides, pads(a["pads"])) + b[None, :, None, None],
        "MaxPool": lambda x, kernel_shape, strides, **a: lax.reduce_window(
            x, -jnp.inf, lax.max, (1, 1, *kernel_shape), (1, 1, *strides), [(0, 0), (0, 0), *pads(a["pads"])]),
        "GlobalAveragePool": lambda x: x.mean((2, 3), keepdims=True), "Flatten": lambda x: x.reshape(x.shape[0], -1),
        "Gemm": lambda x, w, b, **a: x @ w.T + b,
    }

    def first() -> object:
        proto, weights, x = load(model)
        compute = jax.jit(lambda weights, x: evaluate(proto, ops, {**weights, "x": x}))
        return compute(weights, x).block_until_ready()

    return first


def run_inductor(model: pathlib.Path, cache: pathlib.Path) -> object:
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(cache)
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)
    ops = {
        "Exp": torch.exp, "Mul": torch.mul, "Add": torch.add, "Relu": torch.relu,
        "Conv": lambda x, w, b, strides, **a: functional.conv2d(x, w, b, strides, a["pads"][:2]),
        "MaxPool": lambda x, kernel_shape, strides, **a: functional.max_pool2d(x, kernel_shape, strides, a["pads"][:2]),
        "GlobalAveragePool": lambda x: x.mean((2, 3), keepdim=True), "Flatten": lambda x: x.flatten(1),
        "Gemm": lambda x, w, b, **a: functional.linear(x, w, b),
    }

    def first() -> object:
        from onnx import helper

        proto, weights, x = load(model)
        values = {name: torch.from_numpy(value.copy()) for name, value in weights.items()}
        nodes = [(ops[node.op_type], list(node.input), node.output[0],
                  {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}) for node in proto.graph.node]

        def compute(x: "torch.Tensor") -> "torch.Tensor":
            known = {**values, "x": x}
            for op, inputs, output, attributes in nodes:
                known[output] = op(*[known[name] for name in inputs], **attributes)
            return known[nodes[-1][2]]

        with torch.no_grad():
            return torch.compile(compute)(torch.from_numpy(x))

    return first


PEERS = {"onnxruntime": run_onnxruntime, "openvino": run_openvino, "iree": run_iree, "jax": run_jax, "inductor": run_inductor}
NEEDS = {"onnxruntime": "onnxruntime", "openvino": "openvino", "iree": "iree.runtime", "jax": "jax", "inductor": "torch"}


def once(system: str, model: str, cache: str) -> None:
    """In a process of its own: prints the seconds of the imports."""
    start = time.perf_counter()
    first = PEERS[system](pathlib.Path(model), pathlib.Path(cache))
    imports = time.perf_counter() - start
    if tuple(first().shape)[0] not in (1, 64):
        raise SystemExit("unexpected result")
    print(f"imports {imports:.6f}")


def process(command: list, variables: dict) -> tuple[float, float]:
    """Seconds of the whole process, and of its imports as it says."""
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1", **variables})
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    said = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("imports ")]
    return seconds, float(said[0]) if said else 0.0


def measure(system: str, model: pathlib.Path, cache: pathlib.Path, options: argparse.Namespace, is_warm: bool) -> tuple[float, float]:
    if system == "kiln":
        return process([str(options.jit_run), str(model), "--device=host", "--threads=1"],
                       {"KILN_CACHE": "require" if is_warm else "rw", "KILN_CACHE_DIR": str(cache)})
    return process([options.pythons.get(system, sys.executable), __file__, "_once", system, str(model), str(cache)], {})


def is_installed(system: str, options: argparse.Namespace) -> bool:
    if system == "kiln":
        return True
    python = options.pythons.get(system, sys.executable)
    return subprocess.run([python, "-c", f"import onnx, {NEEDS[system]}"], capture_output=True).returncode == 0


def compare(model: pathlib.Path, systems: list[str], options: argparse.Namespace) -> None:
    cold: dict[str, list] = {system: [] for system in systems}
    warm: dict[str, list] = {system: [] for system in systems}
    with tempfile.TemporaryDirectory(prefix="kiln-caches-") as folder:
        for i in range(options.rounds):
            for system in systems:
                cache = pathlib.Path(folder) / system
                if i < options.cold_rounds:
                    shutil.rmtree(cache, ignore_errors=True)
                    cache.mkdir(mode=0o700)
                    cold[system].append(measure(system, model, cache, options, is_warm=False))
                warm[system].append(measure(system, model, cache, options, is_warm=True))
    ours = statistics.median(seconds for seconds, _ in warm["kiln"])
    print(f"\n{model.name}: process to first result, medians of {options.rounds} (cold: {options.cold_rounds})\n")
    print("| system | cold, s | warm, s | warm / Kiln | warm without imports, s |\n|---|---|---|---|---|")
    for system in systems:
        seconds = statistics.median(one for one, _ in warm[system])
        rest = statistics.median(one - imports for one, imports in warm[system])
        print(f"| {system} | {statistics.median(one for one, _ in cold[system]):.3f} | {seconds:.4f} | {seconds / ours:.1f} | {rest:.4f} |",
              flush=True)


def main() -> None:
    if sys.argv[1:2] == ["_once"]:
        once(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path, help="ONNX files besides the small kernel, as tools/make_resnet50.py writes")
    parser.add_argument("--jit-run", type=pathlib.Path, default=ROOT / "build" / "bin" / "jit-run")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cold-rounds", type=int, default=1)
    parser.add_argument("--python", action="append", default=[], metavar="SYSTEM=PATH")
    options = parser.parse_args()
    options.pythons = dict(one.split("=", 1) for one in options.python)
    systems = ["kiln", *(system for system in PEERS if is_installed(system, options))]
    with tempfile.TemporaryDirectory(prefix="kiln-caches-") as folder:
        import onnx

        small = pathlib.Path(folder) / "small.onnx"
        onnx.save(small_model(), small)
        for model in (small, *options.models):
            compare(model, systems, options)


if __name__ == "__main__":
    main()
