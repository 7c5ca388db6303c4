#!/usr/bin/env python3
# test_new_backend.py: makes a backend outside the tree, builds it against this Kiln, runs the conformance suite on it.
"""The whole of docs/write-a-backend.md, as a stranger would do it."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

NAME = "toy_sdk"


def run(*command: object, **kwargs: object) -> subprocess.CompletedProcess[str]:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **kwargs)
    if result.returncode != 0:
        print(f"$ {' '.join(map(str, command))}\n{result.stdout[-6000:]}{result.stderr[-6000:]}")
        sys.exit(f"exit {result.returncode}")
    return result


def expect(condition: bool, what: str) -> None:
    if not condition:
        sys.exit(f"test_new_backend: {what}")


def main() -> None:
    parser = argparse.ArgumentParser()
    for flag in ("--source", "--build", "--cxx", "--cc", "--work"):
        parser.add_argument(flag, required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    folder = arguments.work / NAME
    script = arguments.source / "tools" / "new_backend.py"

    refused = subprocess.run([sys.executable, script, "No-Name", folder], capture_output=True, text=True)
    expect(refused.returncode == 2 and "'No-Name' is no backend name" in refused.stderr, refused.stderr)
    run(sys.executable, script, NAME, folder)
    again = subprocess.run([sys.executable, script, NAME, folder], capture_output=True, text=True)
    expect(again.returncode == 3 and "is not empty" in again.stderr, again.stderr)
    lines = sum(len(path.read_text().splitlines()) for path in folder.iterdir() if path.name != "README.md")
    expect(lines <= 200, f"the skeleton has {lines} lines; expected at most 200")

    run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={arguments.cxx}",
        f"-DCMAKE_C_COMPILER={arguments.cc}", f"-DKiln_DIR={arguments.build / 'lib/cmake/Kiln'}")
    run("ninja", "-C", folder / "build")
    backends = folder / "build/lib/kiln/backends.d"
    for tier, symbol in (("", "kiln_backend_query_v1"), ("_compiler", "kiln_backend_compiler_query_v1")):
        exported = run("nm", "-D", "--defined-only", backends / f"libkiln_{NAME}{tier}.so").stdout.split()
        expect(exported[2::3] == [symbol], f"exports {exported[2::3]}; expected {symbol} alone")
    linked = run("ldd", backends / f"libkiln_{NAME}.so").stdout
    expect("LLVM" not in linked and "MLIR" not in linked, f"the runtime tier links a compiler: {linked}")

    # Found by KILN_BACKEND_PATH, with no edit of Kiln.
    environment = dict(os.environ, KILN_BACKEND_PATH=str(backends))
    info = arguments.build / "bin/jit-info"
    devices = json.loads(run(info, "devices", "--json", env=environment).stdout)["devices"]
    expect(any(device["name"] == f"{NAME}:0" for device in devices), f"'{NAME}' is not listed: {devices}")
    run(info, "validate", backends / f"{NAME}.kiln.json")
    test = run("ctest", "--test-dir", folder / "build", "--output-on-failure", "--no-tests=error", "-V")
    summary = [line for line in test.stdout.splitlines() if "conformance:" in line]
    expect(bool(summary), "the suite printed no summary")
    print("\n".join(summary))


if __name__ == "__main__":
    main()
