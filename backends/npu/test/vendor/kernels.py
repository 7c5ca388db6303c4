# kernels.py: the kernels of tests/kernels as HIVM text, each once.
"""jit-run compiles every test for npu and leaves the IR of each stage; jit-opt prints the kernels on tiles as HIVM."""

import os
import pathlib
import random
import re
import subprocess
import tempfile
from dataclasses import dataclass

SEED = 20
SAMPLED_SECONDS = 30  # for each test file: kernels on the scalar units take long to run


@dataclass
class Kernel:
    name: str  # its function: ops and the key of its IR
    file: str  # the test file that has it
    tiles: str  # the module after stage tile
    source: str  # the kernel in kiln ops, as it was lowered
    hivm: str = ""
    refusal: str = ""  # why it has no form in HIVM


def dump(jit_run: str, test: pathlib.Path, folder: str) -> None:
    """Compiles all that a test file runs on npu; whether results are right is for other tests."""
    environment = {**os.environ, "KILN_CACHE": "off", "KILN_NPU_MODE": "fast"}
    command = [jit_run, "--check", str(test), "--device", "npu", "--sample", "--allow-refusals", "--dump-stages", folder]
    limit = None if os.environ.get("KILN_TEST_FULL") == "1" else SAMPLED_SECONDS
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=limit)
    except subprocess.TimeoutExpired:
        print(f"{test.name}: stopped after {limit} s; the kernels compiled until then are judged")
        return
    if done.returncode not in (0, 1):
        raise SystemExit(f"error: jit-run --check {test} ended with {done.returncode}: {done.stderr[-400:]}")


def collect(build: pathlib.Path, tests: list[pathlib.Path]) -> list[Kernel]:
    """The kernels that the tests' functions are made of."""
    kernels: dict[str, Kernel] = {}
    with tempfile.TemporaryDirectory() as base:
        for number, test in enumerate(tests):  # two in different folders may have one name
            folder = os.path.join(base, f"{number}-{test.stem}")
            dump(str(build / "bin/jit-run"), test, folder)
            sources = {}
            for path in pathlib.Path(folder).glob("*-tensor.mlir"):
                text = path.read_text()
                sources[re.search(r"kiln\.kernel @([\w$.-]+)", text)[1]] = text
            for path in sorted(pathlib.Path(folder).glob("*-tile.mlir")):
                text = path.read_text()
                name = re.search(r"func\.func @([\w$.-]+)", text)
                # Loops on the scalar unit are for our device alone; neither the chip nor HIVM has f64.
                if name and 'kiln.template = "scalar"' not in text and "xf64" not in text:
                    kernels.setdefault(name[1], Kernel(name[1], test.name, text, sources[name[1]]))
    print_hivm(build, list(kernels.values()))
    return sorted(kernels.values(), key=lambda kernel: kernel.name)


def print_hivm(build: pathlib.Path, kernels: list[Kernel]) -> None:
    """Fills in the text, or the reason why there is none."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        lines: list[str] = []
        owners: dict[str, Kernel] = {}
        starts: list[tuple[int, Kernel]] = []  # the first line of each module
        for kernel in kernels:
            starts.append((len(lines) + 1, kernel))
            lines += [*kernel.tiles.splitlines(), "// -----"]
            owners[kernel.name] = kernel
        file.write("\n".join(lines) + "\n")
        file.flush()
        done = subprocess.run([str(build / "bin/jit-opt"), file.name, "--split-input-file", "--kiln-npu-print-hivm", "-o", "/dev/null"],
                              capture_output=True, text=True)
        for text in re.split(r"^(?=func\.func @)", done.stdout, flags=re.MULTILINE):
            name = re.match(r"func\.func @([\w$.-]+)", text)
            if name:
                owners[name[1]].hivm = text
        # "within split at FILE:LINE offset :L:C: error: ..."
        for line, message in re.findall(re.escape(file.name) + r":(\d+) offset :\d+:\d+: error: (.*)$", done.stderr, re.MULTILINE):
            owner = [kernel for start, kernel in starts if start <= int(line) + 1][-1]  # the line of the separator before
            owner.refusal = owner.refusal or message
    for kernel in kernels:
        if not kernel.hivm and not kernel.refusal:
            raise SystemExit(f"error: jit-opt said nothing of kernel {kernel.name}: {done.stderr[-400:]}")


def sample(kernels: list[Kernel], count: int) -> list[Kernel]:
    """All with KILN_TEST_FULL=1; else so many, always the same ones for the same kernels."""
    if os.environ.get("KILN_TEST_FULL") == "1" or len(kernels) <= count:
        return kernels
    return random.Random(SEED).sample(kernels, count)
