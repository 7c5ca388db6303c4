# test_speed.py: how fast the software device is, by processor time, so that other load does not count.
"""usage: test_speed.py BUILD, of an optimized build. Runs of one kernel more and fewer times: the difference is the device's."""

import os
import pathlib
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CORES = 2  # of the host, that the goals are for; kernels have work for both


def seconds(build: pathlib.Path, file: str, function: str, mode: str, runs: int) -> float:
    """Processor time of a process that runs a kernel so often."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(build / "bin/jit-run"), str(HERE / "figures" / file), "--function", function, "--device", "npu",
               f"--bench={runs}"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "KILN_CACHE": "off", "KILN_NPU_MODE": mode})
    if done.returncode:
        raise SystemExit(f"{function}: {done.stdout[-500:]}{done.stderr[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_one_run(build: pathlib.Path, file: str, function: str, mode: str, more: int) -> float:
    return max(1e-9, seconds(build, file, function, mode, 1 + more) - seconds(build, file, function, mode, 1)) / more


def main() -> int:
    build = pathlib.Path(sys.argv[1])
    fast = of_one_run(build, "gemm.mlir", "gemm_2048", "fast", 4)
    timing = of_one_run(build, "gemm.mlir", "gemm_2048", "timing", 4)
    chain = of_one_run(build, "910a.mlir", "chain_910a", "fast", 8)
    estimate = of_one_run(build, "gemm.mlir", "gemm_4096", "estimate", 2)
    rows = [("f16 cube, GMAC/s on two cores", CORES * 2048**3 / fast / 1e9, 8, True),
            ("vector, G element-ops/s on two cores", CORES * 48 * 8388608 / chain / 1e9, 0.5, True),
            ("mode timing over mode fast", timing / fast, 20, False),
            ("mode estimate of a product of 4096 x 4096 x 4096, seconds", estimate, 20, False)]
    failures = 0
    for what, found, goal, is_least in rows:
        is_met = found >= goal if is_least else found <= goal
        failures += not is_met
        print(f"{'ok  ' if is_met else 'FAIL'} {what}: {found:.2f}; {'at least' if is_least else 'at most'} {goal}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
