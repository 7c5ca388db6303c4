#!/usr/bin/env python3
# run_contrib_cases.py: runs the models of a folder and compares with ONNX Runtime's outputs beside them.
"""run_contrib_cases.py JIT_RUN [--folder NAME] [CASE ...]: exit code 1 if a case fails. Needs no package. The folder is one of
tests/onnx: contrib, written by make_contrib_cases.py (exact_*: by quantized_exactness.py), or random, by random_graphs.py --write."""

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jit_run")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--folder", default="contrib")
    options = parser.parse_args()
    folder, jit_run = HERE / options.folder, options.jit_run
    cases = sorted(path for path in folder.iterdir() if path.is_dir() and (not options.cases or path.name in options.cases))
    if not cases:
        print(f"run_contrib_cases: error: no case in {folder}", file=sys.stderr)
        return 2
    # Rounding errors of several nodes add up.
    tolerance = ["--atol", "2e-5", "--rtol", "1e-4"] if options.folder == "contrib" else ["--atol", "2e-3", "--rtol", "2e-3"]
    failed = 0
    for case in cases:
        run = subprocess.run([jit_run, case / "model.onnx", "--inputs", case / "inputs.npz", "--expect", case / "outputs.npz",
                              "--device", "host", *tolerance], capture_output=True, text=True, check=False)
        if run.returncode:
            failed += 1
            print(f"FAILED {case.name} (exit code {run.returncode})\n{run.stdout[-1500:]}{run.stderr[-1500:]}")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
