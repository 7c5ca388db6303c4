#!/usr/bin/env python3
# onnx_suite.py: the node tests of the onnx package, as folders, run on a device and counted by operator.
"""Writes the node tests of the `onnx` package to build/onnx-suite/NAME (model.onnx, test_data_set_N/{input,output}_K.pb), runs
them with libkiln_runtime and prints passed, failed and refused by operator. Tolerances are those of ONNX's own runner (NOISE names the exception).

A test is refused if import or compile says UNIMPLEMENTED and names an operator, input or output of the model; every other error,
a wrong number and a crash is a failure. Exit code 1 if a test failed. Without `onnx`, a virtual environment is set up first."""

import argparse
import collections
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import threading
import time

import onnx_venv

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Expected values that are no more exact: numpy transforms f32 in f32, where what should be 0 is some 1e-7.
NOISE = {"DFT": 1e-6}
STATES = ("passed", "failed", "refused")
TEST_TIMEOUT_S = 120
# Tests whose outputs numpy drew at random: no generator gives another's numbers, so shapes and types alone are compared.
DRAWN = re.compile(r"test_bernoulli|test_training_dropout(?!_zero_ratio)")


# ---- Writing ------------------------------------------------------------------------------------------------------------------


def operator_of(case) -> str:
    """The operator that a case is about: of its only node, else what its name says."""
    nodes = case.model.graph.node
    if len(nodes) == 1:
        domain = nodes[0].domain
        return nodes[0].op_type if domain in ("", "ai.onnx") else f"{domain}::{nodes[0].op_type}"
    return ""


def to_proto(value, value_type):
    """A test value as the message its model's port asks for."""
    import onnx
    if isinstance(value, onnx.TensorProto):
        return value
    kind = value_type.WhichOneof("value")
    if kind == "sequence_type":
        return onnx.numpy_helper.from_list(value)
    if kind == "optional_type":
        return onnx.numpy_helper.from_optional(value)
    return onnx.numpy_helper.from_array(value)


def write_suite(folder: pathlib.Path) -> None:
    """Writes every case and index.json: name -> operator, tolerances. The index comes last: it tells a complete suite."""
    import onnx
    import warnings
    warnings.simplefilter("ignore")  # the cases divide by zero on purpose
    from onnx.backend.test.loader import load_model_tests
    index = {}
    for case in load_model_tests(kind="node"):
        home = folder / case.name
        home.mkdir(parents=True, exist_ok=True)
        (home / "model.onnx").write_bytes(case.model.SerializeToString())
        for number, (inputs, outputs) in enumerate(case.data_sets or []):
            data = home / f"test_data_set_{number}"
            data.mkdir(exist_ok=True)
            for prefix, values, ports in (("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output)):
                for k, (value, port) in enumerate(zip(values, ports)):
                    (data / f"{prefix}_{k}.pb").write_bytes(to_proto(value, port.type).SerializeToString())
        op = operator_of(case)
        index[case.name] = {"op": op, "rtol": case.rtol, "atol": max(case.atol, NOISE.get(op, 0.0))}
    for name, entry in index.items():  # an expanded twin, or a case of several nodes: the operator of its like
        base = name.split("_expanded")[0]
        entry["op"] = entry["op"] if "_expanded" not in name and entry["op"] else index.get(base, entry)["op"] or "(graph)"
    (folder / "index.json").write_text(json.dumps(index, indent=0))


# ---- Running: the worker ------------------------------------------------------------------------------------------------------


def compare(got, want, rtol: float, atol: float, is_drawn: bool) -> str:
    """What is wrong with an output, "" if nothing: the rules of onnx.backend.test.runner."""
    import numpy
    if got.shape != want.shape:
        return f"shape {got.shape}; expected {want.shape}"
    if got.dtype != want.dtype:
        return f"type {got.dtype}; expected {want.dtype}"
    if is_drawn:
        return ""
    if got.dtype.name == "bfloat16":
        rtol = max(rtol, 2**-6)
    if got.dtype == numpy.float16:  # two units in the last place: functions round every step
        rtol = max(rtol, 2**-9)
    if got.dtype.kind == "V" or got.dtype.name in ("bfloat16", "int4", "uint4"):  # numpy cannot promote these
        got, want = got.astype(numpy.float32), want.astype(numpy.float32)
    try:
        numpy.testing.assert_allclose(got, want, rtol=rtol, atol=atol)
    except AssertionError as error:
        return "values differ: " + " ".join(str(error).split())[:400]
    return ""


def without_undefined(name: str, got, want, inputs: list):
    """Both outputs with 0 where ONNX leaves a Cast undefined: floats beyond a 4-bit integer. ml_dtypes, which makes the expected
    outputs, wraps them up to version 0.6 and then takes 0."""
    import numpy
    if not name.startswith("test_cast") or want.dtype.name not in ("int4", "uint4") or inputs[0].dtype.kind != "f":
        return got, want
    least, most = (-8, 7) if want.dtype.name == "int4" else (0, 15)
    known = (numpy.trunc(inputs[0]) >= least) & (numpy.trunc(inputs[0]) <= most)
    return (numpy.where(known, values.astype(numpy.int8), 0).astype(values.dtype) for values in (got, want))


def names_cause(message: str, model) -> bool:
    """Whether a refusal tells what it refuses."""
    def operators(graph):
        for node in graph.node:
            yield node.op_type
            for attribute in node.attribute:
                yield from operators(attribute.g)
    ports = [f"'{port.name}'" for port in [*model.graph.input, *model.graph.output]]
    functions = [node.op_type for function in model.functions for node in function.node]
    return any(name in message for name in [*operators(model.graph), *functions, *ports])


def run_case(session, home: pathlib.Path, rtol: float, atol: float) -> tuple[str, str]:
    """State and message of one test."""
    import kiln_capi
    import onnx
    proto = onnx.load(home / "model.onnx")
    try:
        model = session.load(home / "model.onnx")
        names = set(model.input_names())
        for data in sorted(home.glob("test_data_set_*")):
            values = {}
            for prefix, ports in (("input", proto.graph.input), ("output", proto.graph.output)):
                for k, port in enumerate(ports):
                    file = data / f"{prefix}_{k}.pb"
                    if file.exists() and (prefix == "output" or port.name in names):
                        tensor = onnx.TensorProto.FromString(file.read_bytes())
                        values[prefix, port.name] = onnx.numpy_helper.to_array(tensor)
            got = model.run({name: value for (prefix, name), value in values.items() if prefix == "input"}, timeout_s=60)
            for port, output in zip(proto.graph.output, got):
                want = values["output", port.name]
                if output.shape == want.shape:
                    inputs = [value for (prefix, _), value in values.items() if prefix == "input"]
                    output, want = without_undefined(home.name, output, want, inputs)
                wrong = compare(output, want, rtol, atol, bool(DRAWN.match(home.name)))
                if wrong:
                    return "failed", f"output '{port.name}': {wrong}"
        return "passed", ""
    except kiln_capi.KilnError as error:
        if error.code == kiln_capi.UNIMPLEMENTED and names_cause(str(error), proto):
            return "refused", str(error)
        session.heal()
        return "failed", str(error)


def serve(options) -> int:
    """Runs the cases that come on stdin, a JSON line each; answers with a JSON line."""
    import kiln_capi
    session = kiln_capi.Session(options.device, threads=1, build=options.build)
    for line in sys.stdin:
        request = json.loads(line)
        start = time.perf_counter()
        try:
            state, message = run_case(session, pathlib.Path(request["home"]), request["rtol"], request["atol"])
        except Exception as error:  # a case that this script cannot read is a failure of the case
            state, message = "failed", f"{type(error).__name__}: {error}"
        print(json.dumps({"state": state, "message": message, "seconds": time.perf_counter() - start}), flush=True)
    return 0


# ---- Running: the parent ------------------------------------------------------------------------------------------------------


class Worker:
    """One process that runs cases; started again after a crash."""

    def __init__(self, options) -> None:
        self.command = [sys.executable, __file__, "--serve", "--device", options.device, "--build", str(options.build)]
        self.process = None

    def run(self, request: dict) -> dict:
        if not self.process:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        timer = threading.Timer(TEST_TIMEOUT_S, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        timer.cancel()
        if line:
            return json.loads(line)
        code = self.process.wait()
        self.process = None
        return {"state": "failed", "message": f"crashed or timed out (exit code {code})", "seconds": 0.0}

    def close(self) -> None:
        if self.process:
            self.process.stdin.close()
            self.process.wait()


def run_all(index: dict, folder: pathlib.Path, options) -> dict:
    """Results by name, in the order of the index."""
    jobs, results = queue.Queue(), {}
    for name, entry in index.items():
        jobs.put((name, {"home": str(folder / name), "rtol": entry["rtol"], "atol": entry["atol"]}))

    def work() -> None:
        worker = Worker(options)
        while True:
            try:
                name, request = jobs.get_nowait()
            except queue.Empty:
                break
            results[name] = {**worker.run(request), "op": index[name]["op"]}
        worker.close()

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {name: results[name] for name in index}


# ---- Reporting ----------------------------------------------------------------------------------------------------------------


def count(results: dict) -> dict[str, collections.Counter]:
    by_op: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for result in results.values():
        by_op[result["op"]][result["state"]] += 1
    return dict(sorted(by_op.items()))


def markdown(results: dict) -> str:
    """The page docs/reference/onnx-node-tests.md: totals, then operators."""
    text = ("# ONNX's node tests\n\n"
            f"Results of `tools/dev onnx-suite --docs` with {onnx_venv.VERSIONS['onnx'].replace('==', ' ')}; "
            "[importing ONNX models](../howto/import-onnx.md) says what counts.\n\n"
            "| node tests | passed | failed | refused |\n| --- | ---: | ---: | ---: |\n")
    for title, chosen in (("as they are", False), ("expanded to function bodies", True)):
        part = collections.Counter(r["state"] for name, r in results.items() if ("_expanded" in name) == chosen)
        text += f"| {title} ({part.total()}) | " + " | ".join(str(part[state]) for state in STATES) + " |\n"
    text += "\n| operator | passed | failed | refused |\n| --- | ---: | ---: | ---: |\n"
    plain = {name: result for name, result in results.items() if "_expanded" not in name}
    for op, states in count(plain).items():
        text += f"| {op} | " + " | ".join(str(states[state]) for state in STATES) + " |\n"
    return text


def report(results: dict, options) -> None:
    for name, result in results.items():
        if result["state"] == "failed" or (options.refused and result["state"] == "refused"):
            print(f"{result['state']}: {name} ({result['op']}): {result['message']}")
    if not options.failed:
        print(f"{'operator':<40}{'passed':>8}{'failed':>8}{'refused':>8}")
        for op, states in count(results).items():
            print(f"{op:<40}" + "".join(f"{states[state]:>8}" for state in STATES))
    for title, chosen in (("node tests", False), ("expanded twins", True)):
        part = collections.Counter(r["state"] for name, r in results.items() if ("_expanded" in name) == chosen)
        if part:
            print(f"{title}: {part.total()}: " + ", ".join(f"{part[state]} {state}" for state in STATES))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tools/dev onnx-suite", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="*", help="only tests whose name contains one of these")
    parser.add_argument("--op", action="append", help="only tests of this operator; may be repeated")
    parser.add_argument("--device", default="host")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--folder", type=pathlib.Path, help="where the tests lie (default: onnx-suite in the build folder)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--failed", action="store_true", help="print failed tests and totals only")
    parser.add_argument("--refused", action="store_true", help="print why tests were refused")
    parser.add_argument("--no-expanded", action="store_true", help="leave the expanded twins out")
    parser.add_argument("--json", type=pathlib.Path, help="write every result to this file")
    parser.add_argument("--docs", action="store_true", help="write docs/reference/onnx-node-tests.md (all tests)")
    parser.add_argument("--write-only", action="store_true", help="write the folders, run nothing")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.folder = (options.folder or options.build / "onnx-suite").resolve()
    if options.docs and (options.filter or options.op or options.no_expanded):
        parser.error("--docs: the page holds all tests; expected no filter")
    return options


def main() -> int:
    options = parse()
    onnx_venv.ensure(options.build, "onnx")
    if options.serve:
        return serve(options)
    if not (options.folder / "index.json").exists():
        print(f"onnx_suite: writing the node tests to {options.folder}", file=sys.stderr)
        write_suite(options.folder)
    if options.write_only:
        return 0
    index = {name: entry for name, entry in json.loads((options.folder / "index.json").read_text()).items()
             if (not options.filter or any(part in name for part in options.filter))
             and (not options.op or entry["op"] in options.op)
             and not (options.no_expanded and "_expanded" in name)}
    if not index:
        print("onnx_suite: error: no test matches; --write-only and index.json show what there is", file=sys.stderr)
        return 2
    results = run_all(index, options.folder, options)
    report(results, options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    if options.docs:
        (ROOT / "docs" / "reference" / "onnx-node-tests.md").write_text(markdown(results))
    return 1 if any(result["state"] == "failed" for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
