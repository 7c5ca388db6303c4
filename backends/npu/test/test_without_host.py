#!/usr/bin/env python3
# test_without_host.py: npu needs nothing of the host backend: a build whose host manifest is gone compiles and runs for npu.
"""usage: test_without_host.py BUILD. Vector, cube and scalar kernels (those of ops that only the scalar unit has) and a model."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE.parents[2] / "tests/models/mlp-surrogate"


def link(source: str, target: str) -> None:
    """The same file under another name, or a copy where the file system has no such thing."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


class WithoutHost(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(dir=BUILD)  # on the same file system
        root = pathlib.Path(cls.folder.name)
        shutil.copytree(BUILD / "lib", root / "lib", symlinks=True, copy_function=link)
        (root / "bin").mkdir()
        for program in ("jit-run", "kiln-preflight"):
            for place in ("bin", "libexec", "lib"):
                if (BUILD / place / program).exists() and not (root / place / program).exists():
                    (root / place).mkdir(exist_ok=True)
                    link(str(BUILD / place / program), str(root / place / program))
        (root / "lib/kiln/backends.d/host.kiln.json").unlink()
        cls.root = root

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def run_tool(self, *words: object) -> subprocess.CompletedProcess:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("KILN_BACKEND")}
        environment |= {"KILN_CACHE": "off", "XDG_DATA_HOME": str(self.root)}
        return subprocess.run([self.root / "bin/jit-run", *map(str, words)], capture_output=True, text=True, env=environment)

    def test_the_host_is_gone(self) -> None:
        devices = self.run_tool("--list-devices")
        self.assertIn("npu", devices.stdout, devices.stderr)
        self.assertNotIn("host:0", devices.stdout)
        self.assertEqual(self.run_tool("--check", HERE / "kernels/cube.mlir", "--device", "host").returncode, 3)

    def test_kernels_of_every_unit_run(self) -> None:
        for file in ("vector", "cube", "scalar", "functions"):
            done = self.run_tool("--check", HERE / f"kernels/{file}.mlir", "--device", "npu", "--sample")
            self.assertEqual(done.returncode, 0, f"{file}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
            self.assertIn("0 failed", done.stdout)

    def test_a_model_runs(self) -> None:
        done = self.run_tool(MODEL / "model.onnx", "--inputs", MODEL / "inputs.npz", "--expect", MODEL / "outputs.npz", "--device", "npu")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
