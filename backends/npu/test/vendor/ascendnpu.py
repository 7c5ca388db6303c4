# ascendnpu.py: the vendor's compiler as the tests use it: found, asked, and its answer judged.
"""bishengir-opt of AscendNPU-IR 1.2.0. Exit code 0 alone is not enough: errors, and calls without a body in the package's library, pass, too."""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

SKIPPED = 77  # exit code that CTest takes for "skipped"
LIMIT_SECONDS = 60
CHIP = "Ascend910B2"
# For input on memrefs with address spaces; without this the compiler expects tensors, as kernels of cube and vector cores are.
MEMREF_OPTION = "disable-hivm-tensor-compile=true"
# What hivmc itself takes care of: all other ops must have become calls. A bitcast is a view.
MACHINE_OPS = re.compile(r"hivm\.hir\.(pointer_cast|set_flag|wait_flag|pipe_barrier|set_mask_norm|set_ffts_base_addr|get_[a-z_]+|sync_block[a-z_]*|bitcast)$")


@dataclass
class Verdict:
    accepted: bool
    module: str = ""  # after the vendor's planning and synchronisation
    reason: str = ""  # why it is not accepted


class Vendor:
    """The tool that `jit-info explain npu` names."""

    def __init__(self, path: pathlib.Path):
        self.path = path

    @functools.cached_property
    def library(self) -> set[str]:
        """Names of the functions that the package's library has for the 910B class."""
        names: set[str] = set()
        for file in sorted((self.path.parent.parent / "lib").glob("meta_op.*c220.bc")):
            listing = subprocess.run(["llvm-nm-19", str(file)], capture_output=True, text=True).stdout
            names.update(re.findall(r" [TW] _mlir_ciface_(\w+)$", listing, re.MULTILINE))
        if not names:
            raise SystemExit(f"error: {self.path}: no functions found in the package's library by llvm-nm-19")
        return names

    def run(self, text: str, *arguments: str) -> subprocess.CompletedProcess:
        """Runs the tool on text; a run without end is killed and reported as signal 9."""
        try:
            return subprocess.run([str(self.path), "-", *arguments], input=text, capture_output=True, text=True, timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(late.cmd, -9, "", f"no end within {LIMIT_SECONDS} s")

    def compile(self, text: str, *options: str, generic: bool = False) -> Verdict:
        """The module after the vendor's whole pipeline, link check included."""
        given = options if "ffts_base_address" in text else (MEMREF_OPTION, *options)
        done = self.run(text, f"--hacc-append-device-spec=target={CHIP}", "--optimize-hivm-pipeline=" + " ".join(given))
        if done.returncode != 0:
            how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit {done.returncode}"
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            return Verdict(False, reason=f"{how}: {lines[0] if lines else 'nothing on stderr'}")
        errors = [line for line in done.stderr.splitlines() if " error: " in line]
        if errors or "memref.alloc()" in done.stdout:  # passes that fail without a word in the exit code
            return Verdict(False, done.stdout, f"exit 0: {errors[0] if errors else 'a buffer without an address is left'}")
        calls = set(re.findall(r"func\.func private @(\w+)", done.stdout))
        missing = sorted(calls - self.library) + sorted(
            op for op in set(re.findall(r"hivm\.hir\.\w+", done.stdout)) if not MACHINE_OPS.match(op))
        if missing:
            return Verdict(False, done.stdout, "not in the package's library: " + ", ".join(missing))
        if generic:
            return Verdict(True, self.run(done.stdout, "--mlir-print-op-generic").stdout)
        return Verdict(True, done.stdout)


def find(build: pathlib.Path) -> Vendor:
    """The tool; else ends the test: skipped, or failed where KILN_TEST_REQUIRE_ASCENDNPU_IR=1."""
    environment = {**os.environ, "KILN_BACKENDS": "npu"}
    shown = subprocess.run([str(build / "bin/jit-info"), "explain", "npu", "--json"], capture_output=True, text=True, env=environment)
    found = [entry for entries in json.loads(shown.stdout)["properties"].values() for entry in entries if entry["name"] == "tool.ascendnpu-ir"]
    if not found:
        raise SystemExit(f"error: jit-info explain npu has no property tool.ascendnpu-ir: {shown.stderr}")
    if found[0]["value"] != "absent":
        return Vendor(pathlib.Path(found[0]["value"]))
    reason = found[0]["source"]
    if os.environ.get("KILN_TEST_REQUIRE_ASCENDNPU_IR") == "1":
        raise SystemExit(f"error: {reason}, and KILN_TEST_REQUIRE_ASCENDNPU_IR=1")
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)
