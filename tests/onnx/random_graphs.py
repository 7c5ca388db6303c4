#!/usr/bin/env python3
# random_graphs.py: random ONNX graphs of 2 to 14 nodes, run by Kiln and by ONNX Runtime.
"""Makes seeded random graphs, runs each on Kiln and on ONNX Runtime with the same inputs and compares all outputs.

A graph agrees, is refused by name at import, or fails; exit code 1 unless all agree. `--seed N` runs one graph, `--keep DIR` writes
models that do not agree there, `--write DIR` those that do, as cases for run_contrib_cases.py (tests/onnx/random is such a
sample). Needs onnx, onnxruntime and numpy. Inputs are multiples of 1/4 and ops that jump (Round, Greater, ArgMax ..) are applied
to values only that both compute exactly."""

import argparse
import collections
import pathlib
import sys
import tempfile

import onnx_venv

onnx_venv.ensure(pathlib.Path(__file__).resolve().parent.parent.parent / "build", "onnx", "onnxruntime")

import kiln_capi  # noqa: E402
import numpy  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import random_graph  # noqa: E402
import random_rules_elementwise  # noqa: E402
import random_rules_layers  # noqa: E402
import random_rules_quantized  # noqa: E402
import random_rules_shape  # noqa: E402

RULES = random_rules_elementwise.RULES + random_rules_shape.RULES + random_rules_layers.RULES
QUANTIZED_RULES = 2 * random_rules_quantized.RULES + [random_rules_elementwise.binary, random_rules_elementwise.quantize,
                                                      random_rules_shape.transpose, random_rules_shape.reshape]


def disagreement(got: list, want: list, half: bool = False) -> str:
    """What differs, "" if nothing. Rounding errors grow with the values of a graph: the bound is relative to the largest."""
    relative, absolute = (2e-2, 4e-3) if half else (1e-3, 1e-4)
    for index, (a, b) in enumerate(zip(got, want)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"output {index}: {a.dtype}{list(a.shape)}; expected {b.dtype}{list(b.shape)}"
        if a.dtype.kind != "f":
            # Integers that come from floats may fall to either side of a half.
            if not numpy.array_equal(a, b):
                return f"output {index}: integers differ: {numpy.argwhere(a != b)[:3].tolist()}"
            continue
        a, b = a.astype(numpy.float64), b.astype(numpy.float64)
        finite = numpy.abs(b[numpy.isfinite(b)])
        bound = absolute + absolute * float(finite.max(initial=0))
        if not numpy.allclose(a, b, rtol=relative, atol=bound, equal_nan=True):
            return f"output {index}: differs by {numpy.nanmax(numpy.abs(a - b)):.3g}, bound {bound:.3g}"
    return ""


def judge(session: kiln_capi.Session, seed: int, folder: pathlib.Path, cases: pathlib.Path | None, rules: list) -> tuple[str, str]:
    graph = random_graph.Graph(seed)
    graph.grow(rules)
    if not graph.nodes or not any(node.op_type != "Constant" for node in graph.nodes):
        return "empty", ""
    model = graph.model()
    path = folder / f"random_{seed}.onnx"
    onnx.save(model, path)
    try:
        peer = onnxruntime.InferenceSession(str(path), random_graph.quiet_options(), providers=["CPUExecutionProvider"])
        want = peer.run(None, graph.feeds)
    except Exception:  # its shape inference refuses what its kernels run one by one: not a graph
        return "empty", ""
    try:
        loaded = session.load(path)
        names = set(loaded.input_names())
        got = loaded.run({name: array for name, array in graph.feeds.items() if name in names}, timeout_s=60)
    except kiln_capi.KilnError as error:
        if error.code == kiln_capi.UNIMPLEMENTED and any(node.op_type in str(error) for node in model.graph.node):
            return "refused", str(error)
        session.heal()
        return "failed", str(error)
    wrong = disagreement(got, want, any(array.dtype == numpy.float16 for array in graph.known.values()))
    if wrong:
        return "failed", wrong
    if cases:
        write_case(cases / f"seed_{seed}", model, graph.feeds, want)
    return "agreed", ""


def write_case(folder: pathlib.Path, model: onnx.ModelProto, feeds: dict, outputs: list) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    taken = {info.name for info in model.graph.input}
    numpy.savez_compressed(folder / "inputs.npz", **{name: array for name, array in feeds.items() if name in taken})
    numpy.savez_compressed(folder / "outputs.npz", **{info.name: array for info, array in zip(model.graph.output, outputs)})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="run this graph only")
    parser.add_argument("--quantized", action="store_true", help="mostly operators on quantized tensors")
    parser.add_argument("--device", default="host")
    parser.add_argument("--build", type=pathlib.Path, default=kiln_capi.DEFAULT_BUILD)
    parser.add_argument("--keep", type=pathlib.Path, help="write models that do not agree to this folder")
    parser.add_argument("--write", type=pathlib.Path, help="write models that agree to this folder, with inputs and outputs")
    options = parser.parse_args()
    seeds = [options.seed] if options.seed is not None else range(options.first, options.first + options.count)
    session = kiln_capi.Session(options.device, threads=1, build=options.build)
    counts: collections.Counter = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for seed in seeds:
            state, message = judge(session, seed, folder, options.write, QUANTIZED_RULES if options.quantized else RULES)
            counts[state] += 1
            path = folder / f"random_{seed}.onnx"
            if state not in ("agreed", "empty"):
                print(f"{state}: seed {seed}: {' '.join(message.split())[:300]}", flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    path.rename(options.keep / path.name)
    print(", ".join(f"{counts[state]} {state}" for state in ("agreed", "refused", "failed", "empty") if counts[state]))
    return 0 if set(counts) <= {"agreed", "empty"} else 1


if __name__ == "__main__":
    sys.exit(main())
