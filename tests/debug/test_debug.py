#!/usr/bin/env python3
# test_debug.py: gdb stops in a kernel by its name and shows who called it; perf's reports name kernels.
"""Runs jit-run under gdb with a breakpoint on a kernel, and under perf with KILN_HOST_DEBUG=perf.

A part is skipped, with the reason, where gdb or perf is missing or may not look at a process (containers often forbid it).
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

KERNEL = "matmul_add_relu_6x64xf32"  # of mlp-surrogate; kernels are loaded after it
NAMED = 95  # at least, per cent of the samples in kernels
SKIPPED = 77


def command(arguments: argparse.Namespace, model: str, *more: str) -> list[str]:
    folder = arguments.models / model
    return [str(arguments.jit_run), str(folder / "model.onnx"), "--device=host", "--inputs", str(folder / "inputs.npz"),
            "--threads=1", *more]  # fmt: skip


def run(words: list[str], **environment: str) -> str:
    done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=150)
    return done.stdout + done.stderr


def expect(found: bool, what: str, text: str) -> None:
    if not found:
        sys.exit(f"expected {what}; the output was:\n{text}")


def gdb_stops_in_a_kernel(arguments: argparse.Namespace) -> str:
    """Returns why it was skipped, or nothing."""
    if not shutil.which("gdb"):
        return "no gdb"
    probe = run(["gdb", "-nx", "-batch", "-ex", "break main", "-ex", "run", "--args", "/bin/true"])
    if "ptrace" in probe or "Operation not permitted" in probe:
        return f"gdb may not trace processes here:\n{probe}"
    text = run(
        ["gdb", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex", f"break {KERNEL}", "-ex", "run",
         "-ex", "info symbol $pc", "-ex", "backtrace -3", "-ex", "kill", "--args", *command(arguments, "mlp-surrogate")],
        KILN_HOST_LOADER=arguments.loader, KILN_HOST_DEBUG="gdb",
    )  # fmt: skip
    expect(f"{KERNEL} in section .text" in text, f"a stop in '{KERNEL}' ({arguments.loader} loader)", text)
    expect(" _start ()" in text or "start_thread" in text, "a backtrace through the kernel to its thread's start", text)
    return ""


def perf_names_kernels(arguments: argparse.Namespace) -> str:
    """Returns why it was skipped, or nothing."""
    if not shutil.which("perf"):
        return "no perf"
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/perf.data"
        record = ["perf", "record", "-q", "-e", "cpu-clock:u", "-o", data, "--"]
        probe = run([*record, "/bin/true"])
        if not pathlib.Path(data).is_file():
            return f"perf may not record here:\n{probe}"
        pid_file = pathlib.Path(folder) / "pid"
        text = run(
            [*record, "sh", "-c", 'echo $$ > "$0"; exec "$@"', str(pid_file), *command(arguments, "ppocr-cls", "--bench=100")],
            KILN_HOST_LOADER=arguments.loader, KILN_HOST_DEBUG="perf",
        )  # fmt: skip
        report = run(["perf", "report", "-i", data, "--stdio", "--sort", "dso,symbol", "-F", "sample,dso,symbol"])
        pathlib.Path(f"/tmp/perf-{pid_file.read_text().strip()}.map").unlink(missing_ok=True)
    samples: dict[str, int] = {}  # in kernels, by symbol
    for words in map(str.split, report.splitlines()):
        if "[.]" in words and any(word in " ".join(words) for word in ("[JIT]", "//anon", "kiln-code")):
            samples[words[words.index("[.]") + 1]] = int(words[0])
    unnamed = sum(count for symbol, count in samples.items() if symbol.startswith("0x"))
    total, seen = sum(samples.values()), "\n".join(f"{count} {symbol}" for symbol, count in samples.items())
    expect(total >= 20 and 100 * (total - unnamed) >= NAMED * total,
           f"names for {NAMED} % of the samples in kernels, not for {total - unnamed} of {total}", f"{text}\n{seen}")  # fmt: skip
    expect(any(symbol.startswith("conv_") for symbol in samples), "kernels called after their ops", seen)
    return ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jit-run", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--loader", required=True)
    arguments = parser.parse_args()
    reasons = [reason for reason in (perf_names_kernels(arguments), gdb_stops_in_a_kernel(arguments)) if reason]
    for reason in reasons:
        print(f"skipped: {reason}")
    return SKIPPED if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
