#!/usr/bin/env python3
# compare_onnxruntime.py: the models of tests/models on Kiln and on ONNX Runtime, side by side in one run.
"""Interleaves rounds of both on the same inputs and prints a Markdown table of medians; needs onnxruntime and numpy."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time

import numpy
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = [name for name, model in json.loads((ROOT / "tests" / "models" / "models.json").read_text()).items() if model["kept"]]


class Peer:
    """One model in ONNX Runtime with full optimisation and a fixed number of threads."""

    def __init__(self, folder: pathlib.Path, threads: int) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        self.inputs = dict(numpy.load(folder / "inputs.npz", allow_pickle=False))

    def samples(self, seconds: float) -> list[float]:
        for _ in range(3):
            self.session.run(None, self.inputs)
        found, start = [], time.perf_counter()
        while time.perf_counter() - start < seconds or len(found) < 5:
            begin = time.perf_counter()
            self.session.run(None, self.inputs)
            found.append((time.perf_counter() - begin) * 1e3)
        return found


def kiln(jit_run: pathlib.Path, folder: pathlib.Path, threads: int, device: str) -> dict:
    command = [str(jit_run), str(folder / "model.onnx"), "--device", device, "--inputs", str(folder / "inputs.npz"),
               f"--threads={threads}", "--bench", "--cache-stats", "--json"]
    environment = {**os.environ, "KILN_CACHE": "off"}  # every start is a cold one
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jit-run", type=pathlib.Path, default=ROOT / "build" / "bin" / "jit-run")
    parser.add_argument("--device", default="host")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--models", default=",".join(MODELS))
    options = parser.parse_args()
    print(f"ONNX Runtime {onnxruntime.__version__}, {options.threads} thread(s), median of {options.rounds} rounds\n")
    print("| model | Kiln, ms | ONNX Runtime, ms | Kiln / ONNX Runtime | kernels | cold compile, ms |\n|---|---|---|---|---|---|")
    for model in options.models.split(","):
        folder = ROOT / "tests" / "models" / model
        peer = Peer(folder, options.threads)
        ours, theirs = [], []
        for _ in range(options.rounds):
            ours.append(kiln(options.jit_run, folder, options.threads, options.device))
            theirs.append(statistics.median(peer.samples(1.0)))
        mine, other = statistics.median(run["median_ms"] for run in ours), statistics.median(theirs)
        compile_ms = statistics.median(run["compile_ms"] for run in ours)
        print(f"| {model} | {mine:.3f} | {other:.3f} | {mine / other:.2f} | {ours[0]['cache']['kernels_compiled']} "
              f"| {compile_ms:.0f} |", flush=True)


if __name__ == "__main__":
    main()
