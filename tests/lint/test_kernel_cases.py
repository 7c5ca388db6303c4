#!/usr/bin/env python3
# test_kernel_cases.py: lint sees an op, a type, a reference and a test that are missing.
"""Rules of tools/kernel_cases.py. Needs no build."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import kernel_cases  # noqa: E402
import ods  # noqa: E402

FILE = """
func.func @f(%x: tensor<?x3xf32>, %i: tensor<2xi64>) -> tensor<f32> attributes {kiln.test = {
    types = [f16, i8], cases = ["M=1"]}} {
  %y = kiln.gather %x, %i axis 0
    : tensor<?x3xf32>, tensor<2xi64> -> tensor<2x3xf32>
  %z = kiln.is_nan %y : tensor<2x3xbf16>
  return %z : tensor<f32>
}
func.func @unjudged(%x: tensor<4xf64>) attributes {kiln.test = {}} {
  %y = kiln.exp %x : tensor<4xf64>
  return
}
"""


class KernelCasesTest(unittest.TestCase):
    def test_types_of_lines_count_and_retyped_ones_are_those_of_the_variants(self):
        self.assertEqual(kernel_cases.covered_by(FILE), {"gather": {"f16", "i8", "i64"}, "is_nan": {"bf16"}})

    def test_what_is_missing_is_named(self):
        op = kernel_cases.Op("gather", {"f16", "f32", "i64"})
        cases = kernel_cases.covered_by(FILE)
        reference, lit = '{"kiln.gather", gather}', "%r = kiln.gather %x"
        self.assertEqual(kernel_cases.problems_of(op, cases, reference, lit),
                         ["kiln.gather: no case in tests/kernels/ops for f32"])
        self.assertEqual(kernel_cases.problems_of(op, {}, "", ""),
                         ["kiln.gather: no test in tests/lit/dialects", "kiln.gather: no reference in jit/Reference",
                          "kiln.gather: no case in tests/kernels/ops"])

    def test_its_ops_are_those_of_the_dialect_with_their_types(self):
        ops = {op.name: op.types for op in kernel_cases.ops()}
        self.assertEqual(set(ops), {op.name for op in ods.ops()})
        self.assertEqual(ops["exp"], {"f16", "bf16", "f32", "f64"})
        self.assertEqual(ops["random_bits"], {"i64"})
        self.assertTrue({"i1", "ui64", "f8E5M2", "i4", "ui4"} <= ops["convert"])


if __name__ == "__main__":
    unittest.main()
