#!/usr/bin/env python3
# test_debug.py: gdb stops in a kernel by its name and shows who called it; perf gets a jitdump with the names.
"""Runs jit-run under gdb with a breakpoint on a kernel, and alone with KILN_HOST_DEBUG=perf.

Skipped, with the reason, where gdb is missing or may not trace a process (containers often forbid ptrace).
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

KERNEL = "matmul_add_6x1xf32"  # of mlp-surrogate
SKIPPED = 77


def command(arguments: argparse.Namespace) -> list[str]:
    folder = arguments.models / "mlp-surrogate"
    return [str(arguments.jit_run), str(folder / "model.onnx"), "--inputs", str(folder / "inputs.npz"), "--threads", "1"]


def run(words: list[str], **environment: str) -> str:
    done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=150)
    return done.stdout + done.stderr


def expect(found: bool, what: str, text: str) -> None:
    if not found:
        sys.exit(f"expected {what}; the output was:\n{text}")


def gdb_stops_in_a_kernel(arguments: argparse.Namespace) -> None:
    text = run(
        ["gdb", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", f"break {KERNEL}", "-ex", "run",
         "-ex", "info symbol $pc", "-ex", "backtrace -3", "-ex", "kill", "--args", *command(arguments)],
        KILN_HOST_LOADER=arguments.loader, KILN_HOST_DEBUG="gdb",
    )  # fmt: skip
    expect(f"{KERNEL} in section .text" in text, f"a stop in '{KERNEL}' ({arguments.loader} loader)", text)
    expect(" _start ()" in text or "start_thread" in text, "a backtrace through the kernel to its thread's start", text)


def perf_gets_names(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = run(command(arguments), KILN_HOST_LOADER=arguments.loader, KILN_HOST_DEBUG="perf", JITDUMPDIR=folder)
        files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
        files += pathlib.Path("/tmp").glob("perf-*.map")
        expect(any(KERNEL.encode() in path.read_bytes() for path in files), f"'{KERNEL}' in a jitdump or map", text)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jit-run", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--loader", required=True)
    arguments = parser.parse_args()
    perf_gets_names(arguments)
    if not shutil.which("gdb"):
        print("skipped: no gdb")
        return SKIPPED
    probe = run(["gdb", "-nx", "-batch", "-ex", "break main", "-ex", "run", "--args", "/bin/true"])
    if "ptrace" in probe or "Operation not permitted" in probe:
        print(f"skipped: gdb may not trace processes here:\n{probe}")
        return SKIPPED
    gdb_stops_in_a_kernel(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
