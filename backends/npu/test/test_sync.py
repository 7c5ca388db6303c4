# test_sync.py: of the kernels that the compiler makes, of every template: no flag could go, no timing changes a result.
"""usage: test_sync.py BUILD. Compiles and runs backends/npu/test/kernels; KILN_TEST_FULL=1: 1,000 seeds instead of a few."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = 1000 if os.environ.get("KILN_TEST_FULL") == "1" else 3
# One function of each template with loops of several rounds: file, function, extents.
TIMED = [("vector", "chain", "M=65 N=67"), ("vector", "broadcast", "M=40 N=67"), ("vector", "softmax", "M=130"), ("cube", "bias_relu", "M=33 N=65 K=129")]
NEEDED = "builtin.module(func.func(kiln-verify-sync{each-is-needed}))"


def run_checks(build: pathlib.Path, seed: int, *flags: str) -> subprocess.CompletedProcess:
    """Kernel tests with durations of this seed, in the mode that finds races."""
    environment = {**os.environ, "KILN_NPU_MODE": "checked", "KILN_NPU_SEED": str(seed)}
    return subprocess.run([str(build / "bin/jit-run"), *flags, "--device", "npu"], capture_output=True, text=True, env=environment)


def check_flags(build: pathlib.Path) -> list[str]:
    """By template: the kernels of which every flag and barrier is needed; problems."""
    problems, counts = [], {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KILN_CACHE"] = "off"
        tests = [flag for path in sorted((HERE / "kernels").glob("*.mlir")) for flag in ("--check", str(path))]
        done = run_checks(build, 0, *tests, "--sample", "--allow-refusals", "--dump-stages", folder)
        if done.returncode:
            return [done.stdout[-1000:] + done.stderr[-1000:]]
        os.environ["KILN_CACHE_DIR"] = os.path.join(folder, "cache")
        os.environ["KILN_CACHE"] = "rw"
        modules = [path.read_text() for path in sorted(pathlib.Path(folder).glob("*-lower.mlir"))]
        modules = [text for text in modules if 'kiln.template = "scalar"' not in text]  # one pipe, no flags
        file = pathlib.Path(folder) / "all.mlir"
        file.write_text("\n// -----\n".join(modules))
        done = subprocess.run([str(build / "bin/jit-opt"), str(file), "--split-input-file", f"--pass-pipeline={NEEDED}", "-o", "/dev/null"],
                              capture_output=True, text=True)
        problems += re.findall(r"error: (.*)", done.stderr)
        needed = [int(n) for n in re.findall(r"remark: each of (\d+) flags and barriers is needed", done.stderr)]
        for text in modules:
            template = re.search(r'kiln\.template = "([^"]+)"', text)
            counts[template[1] if template else "?"] = counts.get(template[1] if template else "?", 0) + 1
        if len(needed) < len(modules):
            problems.append(f"{len(modules) - len(needed)} of {len(modules)} kernels race or have a flag that could go")
        print(f"{sum(needed)} flags and barriers of {len(needed)} kernels, each needed: "
              + ", ".join(f"{count} {template}" for template, count in sorted(counts.items())))
        # From here on kernels come from the cache: only timings differ.
        for seed in range(1, SEEDS + 1):
            for file_name, function, extents in TIMED:
                done = run_checks(build, seed, "--check", str(HERE / f"kernels/{file_name}.mlir"), "--function", function, "--case", extents)
                if done.returncode:
                    problems.append(f"seed {seed}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        print(f"{SEEDS} draws of all durations on {len(TIMED)} kernels")
    return problems


def main() -> int:
    problems = check_flags(pathlib.Path(sys.argv[1]))
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
