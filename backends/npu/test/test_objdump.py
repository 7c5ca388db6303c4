#!/usr/bin/env python3
# test_objdump.py: jit-objdump on npu objects: text to bytes to text, headers, errors; files run in a fresh process.
"""Usage: test_objdump.py BUILD"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
# Doubles 128 elements of f16 in place.
TEXT = """.chip 910b
.kind aiv
.kernel twice
.binding inout f16 align=32 256
.constants 0

.section aiv
  ldarg x1, 0
  movi x0, 0
  mov_gm_ub.b16 x0, x1, len=256
  set_flag MTE2, V, 0
  wait_flag MTE2, V, 0
  vadd.f16 x0, x0, x0
  set_flag V, MTE3, 0
  wait_flag V, MTE3, 0
  mov_ub_gm.b16 x1, x0, len=256
  halt
"""


def objdump(*words: object) -> subprocess.CompletedProcess:
    command = [BUILD / "bin/jit-objdump", f"--backend-dir={BUILD}/lib/kiln/backends.d", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True)


class Objdump(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.source, self.object = self.path / "twice.s", self.path / "twice.o"
        self.source.write_text(TEXT)

    def tearDown(self) -> None:
        self.folder.cleanup()

    def test_bytes_and_text_come_back(self) -> None:
        made = objdump("--device=npu", "--assemble", self.source, f"--output={self.object}")
        self.assertEqual(made.returncode, 0, made.stderr)
        printed = objdump("--device=ascend", self.object)
        self.assertEqual((printed.returncode, printed.stdout), (0, TEXT))
        again = self.path / "again.o"
        objdump("--assemble", self.source, f"--output={again}")  # every backend is tried
        self.assertEqual(again.read_bytes(), self.object.read_bytes())
        self.assertEqual(objdump("--headers", self.object).stdout, TEXT[: TEXT.index(".section")])

    def test_errors_name_file_and_line(self) -> None:
        self.source.write_text(TEXT.replace("vadd.f16", "vsum.f16"))
        failed = objdump("--device=npu", "--assemble", self.source, f"--output={self.object}")
        self.assertEqual(failed.returncode, 3)
        self.assertIn("twice.s': line 13: unknown instruction 'vsum'", failed.stderr)
        self.assertFalse(self.object.exists())
        foreign = objdump("--device=npu", BUILD / "bin/jit-objdump")
        self.assertEqual(foreign.returncode, 3)
        self.assertIn("expected a relocatable little-endian ELF64 file", foreign.stderr)
        self.assertIn("expected --output=FILE", objdump("--assemble", self.source).stderr)
        self.assertIn("its kernels have no text form", objdump("--device=null", self.source).stderr)

    def test_a_file_runs_in_a_fresh_process_without_a_compiler(self) -> None:
        objdump("--device=npu", "--assemble", self.source, f"--output={self.object}")
        environment = {**os.environ, "KILN_BACKEND_PATH": f"{BUILD}/lib/kiln/backends.d"}
        for mode in ("fast", "checked", "timing"):
            done = subprocess.run([BUILD / "tests/bin/npu-run-object", self.object], capture_output=True, text=True,
                                  env={**environment, "KILN_NPU_MODE": mode})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("first 16384, last 16384", done.stdout)  # two, in f16
            self.assertIn("maps libkiln_npu.so", done.stdout)
            for library in ("libLLVM", "libMLIR", "libkiln_compiler", "_compiler.so"):
                self.assertNotIn(library, done.stdout)

    def test_a_compiled_kernel_runs_in_a_fresh_process_without_a_compiler(self) -> None:
        model = self.path / "add.mlir"
        model.write_text("func.func @add(%x: tensor<128xf16>, %y: tensor<128xf16>) -> tensor<128xf16> {\n"
                         "  %0 = kiln.add %x, %y : tensor<128xf16>, tensor<128xf16> -> tensor<128xf16>\n  return %0 : tensor<128xf16>\n}\n")
        made = subprocess.run([BUILD / "bin/jit-run", model, "--device=npu", "--emit=object"], capture_output=True,
                              env={**os.environ, "KILN_CACHE": "off"})
        self.assertEqual(made.returncode, 0, made.stderr)
        self.object.write_bytes(made.stdout)
        text = objdump("--device=npu", self.object).stdout
        symbol = text.split(".kernel ")[1].split()[0]
        again = self.path / "again.o"
        self.source.write_text(text)
        objdump("--device=npu", "--assemble", self.source, f"--output={again}")
        self.assertEqual(again.read_bytes(), made.stdout)
        done = subprocess.run([BUILD / "tests/bin/npu-run-object", self.object, symbol, "3"], capture_output=True, text=True,
                              env={**os.environ, "KILN_BACKEND_PATH": f"{BUILD}/lib/kiln/backends.d"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("first 16384, last 16384", done.stdout)  # 1 + 1, in f16
        self.assertNotIn("_compiler.so", done.stdout)


if __name__ == "__main__":
    unittest.main()
