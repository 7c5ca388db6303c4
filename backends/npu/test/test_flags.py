# test_flags.py: of the kernels that the compiler makes, each flag is missed when it is taken out.
"""usage: test_flags.py BUILD. Takes each flag pair and each barrier out of compiled kernels in turn and runs what is left on the
software device's checks: a fault or a wrong result shows each. The kernels are those of kernels/rounds.mlir, a sample of them or, with
KILN_TEST_FULL=1, all."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLED = ("softmax", "attention", "sum_of_long_rows", "transpose", "conv_of_many_channels")


def kernels(build: pathlib.Path, folder: str) -> list[pathlib.Path]:
    """Files with kernels whose flags are placed."""
    environment = {**os.environ, "KILN_CACHE": "off", "KILN_NPU_MODE": "fast"}
    filters = [[]] if os.environ.get("KILN_TEST_FULL") == "1" else [["--filter", f"rounds.mlir:{name}"] for name in SAMPLED]
    for number, words in enumerate(filters):
        done = subprocess.run([str(build / "bin/jit-run"), "--check", str(HERE / "kernels/rounds.mlir"), *words, "--device", "npu",
                               "--dump-stages", f"{folder}/{number}"], capture_output=True, text=True, env=environment)
        if done.returncode:
            raise SystemExit(done.stdout[-1000:] + done.stderr[-1000:])
    found = sorted(pathlib.Path(folder).glob("*/*-lower.mlir"))
    return [path for path in found if 'kiln.template = "scalar"' not in path.read_text()]  # one pipe, no flags


def main() -> int:
    build = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        files = [str(path) for path in kernels(build, folder)]
        variants = pathlib.Path(folder) / "variants.s"
        with variants.open("w", encoding="utf-8") as out:
            subprocess.run([str(build / "tests/bin/npu-drop-flags"), *files], stdout=out, check=True)
        return subprocess.run([str(build / "tests/bin/npu-run-variants"), str(variants)]).returncode


if __name__ == "__main__":
    sys.exit(main())
