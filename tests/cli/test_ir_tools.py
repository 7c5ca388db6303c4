#!/usr/bin/env python3
# test_ir_tools.py: the exit codes of the tools over MLIR's own: 2 for usage, 3 for what could not be done.
"""usage: test_ir_tools.py JIT_OPT JIT_LSP_SERVER. Standard library only."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

JIT_OPT, JIT_LSP_SERVER = sys.argv[1:3]
GOOD = "func.func @main() { return }\n"


class ExitCodes(unittest.TestCase):
    def exits(self, code: int, said: str, *command: str) -> None:
        with self.subTest(command=command):
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn(said, done.stdout + done.stderr)

    def test_jit_opt(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            good, bad, wrong = (str(pathlib.Path(folder, name)) for name in ("good.mlir", "bad.mlir", "wrong.mlir"))
            pathlib.Path(good).write_text(GOOD)
            pathlib.Path(bad).write_text("func.func @main(")
            pathlib.Path(wrong).write_text("// expected-error @below {{nothing of that kind}}\n" + GOOD)
            self.exits(0, "@main", JIT_OPT, good)
            self.exits(0, "--kiln-stage", JIT_OPT, "--help")
            self.exits(1, "nothing of that kind", JIT_OPT, wrong, "--verify-diagnostics")
            self.exits(2, "Unknown command line argument '--foo'", JIT_OPT, "--foo")
            self.exits(2, "unknown stage 'foo'", JIT_OPT, good, "--kiln-stage=null:foo")
            self.exits(2, "stage 'form': no device", JIT_OPT, good, "--kiln-stage=form")
            self.exits(2, "no-such-pass", JIT_OPT, good, "--pass-pipeline=builtin.module(no-such-pass)")
            self.exits(3, "unknown device 'foo'", JIT_OPT, good, "--kiln-stage=foo:tensor")
            self.exits(3, "bad.mlir:1:", JIT_OPT, bad)
            self.exits(3, "none.mlir", JIT_OPT, folder + "/none.mlir")

    def test_jit_lsp_server(self) -> None:
        self.exits(0, "OVERVIEW", JIT_LSP_SERVER, "--help")
        self.exits(2, "Unknown command line argument '--foo'", JIT_LSP_SERVER, "--foo")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
