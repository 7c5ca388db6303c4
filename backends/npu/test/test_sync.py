# test_sync.py: of the kernels that the compiler makes, of every template: no flag could go, no timing changes a result; their
# objects come back byte for byte from jit-objdump's text, and with random bits changed are refused, fault or run.
"""usage: test_sync.py BUILD. Compiles and runs backends/npu/test/kernels; KILN_TEST_FULL=1: 1,000 seeds and 10,000 mutants instead
of a few."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FULL = os.environ.get("KILN_TEST_FULL") == "1"
SEEDS, MUTANTS = (1000, 10000) if FULL else (3, 400)
# One function of each template with loops of several rounds: file, function, extents.
TIMED = [("vector", "chain", "M=65 N=67"), ("vector", "broadcast", "M=40 N=67"), ("vector", "softmax", "M=130"), ("cube", "bias_relu", "M=33 N=65 K=129")]
NEEDED = "builtin.module(func.func(kiln-verify-sync{each-is-needed}))"


def run_checks(build: pathlib.Path, seed: int, *flags: str) -> subprocess.CompletedProcess:
    """Kernel tests with durations of this seed, in the mode that finds races."""
    environment = {**os.environ, "KILN_NPU_MODE": "checked", "KILN_NPU_SEED": str(seed)}
    return subprocess.run([str(build / "bin/jit-run"), *flags, "--device", "npu"], capture_output=True, text=True, env=environment)


def check_objects(build: pathlib.Path, lowered: list[pathlib.Path], folder: pathlib.Path) -> list[str]:
    """Of objects of kernels whose flags are placed, scalar ones, too."""
    subprocess.run([str(build / "tests/bin/npu-drop-flags"), "--objects", str(folder), *map(str, lowered)], check=True)
    problems, objects = [], sorted(folder.glob("*.o"))
    if not FULL:  # always the same ones
        objects = objects[:: max(1, len(objects) // 100)]
    objdump = [str(build / "bin/jit-objdump"), f"--backend-dir={build}/lib/kiln/backends.d", "--device=npu"]
    for path in objects:
        text, again = path.with_suffix(".s"), path.with_suffix(".again")
        text.write_bytes(subprocess.run([*objdump, str(path)], stdout=subprocess.PIPE, check=True).stdout)
        done = subprocess.run([*objdump, "--assemble", str(text), f"--output={again}"], capture_output=True, text=True)
        if done.returncode or again.read_bytes() != path.read_bytes():
            problems.append(f"{path.stem}: its disassembly does not assemble to the same bytes: {done.stderr}")
    print(f"{len(objects)} objects, disassembled and assembled again")
    done = subprocess.run([str(build / "tests/bin/npu-mutate-objects"), str(MUTANTS), "1", *map(str, objects)], capture_output=True, text=True)
    print(done.stdout.strip())
    if done.returncode or not objects:
        problems.append(f"npu-mutate-objects: exit code {done.returncode}: {done.stderr[-1000:]}")
    return problems


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
        lowered = sorted(pathlib.Path(folder).glob("*-lower.mlir"))
        modules = [path.read_text() for path in lowered]
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
        (pathlib.Path(folder) / "objects").mkdir()
        problems += check_objects(build, lowered, pathlib.Path(folder) / "objects")
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
