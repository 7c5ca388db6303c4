#!/usr/bin/env python3
# test_profile.py: at least 95 % of the time that models spend in kernels, they spend in vectorized templates.
"""Runs jit-run --profile --json on the models that docs/performance.md follows, one thread.

A kernel of template `scalar` has most of its iterations in no vector loop, one of template `loop` waits for its own earlier
results. Other work on the machine can stop the program within such a kernel, so a share that is too low is measured again.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

MODELS = ("mlp-surrogate", "magika", "ppocr-cls", "ppocr4-rec")
SCALAR = ("scalar", "loop")
SHARE = 0.95
ATTEMPTS = 3


def times_of(jit_run: pathlib.Path, folder: pathlib.Path) -> dict[str, float]:
    """Milliseconds by template."""
    words = [jit_run, folder / "model.onnx", "--device=host", "--inputs", folder / "inputs.npz", "--threads=1", "--profile", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=250)
    if done.returncode != 0:
        sys.exit(f"{folder.name}: jit-run answered {done.returncode}:\n{done.stderr}")
    times: dict[str, float] = collections.defaultdict(float)
    for launch in json.loads(done.stdout)["launches"]:
        times[launch["template"]] += launch["ms"]
    return times


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jit-run", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    failed = False
    for model in MODELS:
        for _ in range(ATTEMPTS):
            times = times_of(arguments.jit_run, arguments.models / model)
            total = sum(times.values())
            share = 1 - sum(times.get(name, 0) for name in SCALAR) / total if total > 0 else 0
            shares = ", ".join(f"{name} {100 * ms / total:.1f} %" for name, ms in sorted(times.items(), key=lambda item: -item[1]))
            print(f"{model}: {100 * share:.1f} % in vectorized templates: {shares}")
            if share >= SHARE:
                break
        else:
            print(f"error: {model}: expected at least {100 * SHARE:.0f} %")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
