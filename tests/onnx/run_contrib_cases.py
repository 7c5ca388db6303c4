#!/usr/bin/env python3
# run_contrib_cases.py: runs the models of tests/onnx/contrib and compares with ONNX Runtime's outputs beside them.
"""run_contrib_cases.py JIT_RUN [NAME ...]: exit code 1 if a case fails. Needs no package."""

import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "contrib"


def main() -> int:
    jit_run, wanted = sys.argv[1], sys.argv[2:]
    cases = sorted(path for path in FOLDER.iterdir() if path.is_dir() and (not wanted or path.name in wanted))
    if not cases:
        print(f"run_contrib_cases: error: no case in {FOLDER}", file=sys.stderr)
        return 2
    failed = 0
    for case in cases:
        run = subprocess.run([jit_run, case / "model.onnx", "--inputs", case / "inputs.npz", "--expect", case / "outputs.npz",
                              "--device", "host", "--atol", "2e-5", "--rtol", "1e-4"], capture_output=True, text=True, check=False)
        if run.returncode:
            failed += 1
            print(f"FAILED {case.name} (exit code {run.returncode})\n{run.stdout[-1500:]}{run.stderr[-1500:]}")
    print(f"{len(cases)} cases, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
