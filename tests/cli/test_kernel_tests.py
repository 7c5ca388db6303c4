#!/usr/bin/env python3
# test_kernel_tests.py: jit-run --check on files that pass, fail, are refused or are wrong themselves.
"""usage: test_kernel_tests.py JIT_RUN. Standard library only."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as xml

JIT_RUN = sys.argv[1]

GOOD = """
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {kiln.test = {
    types = [f16, f32], inputs = ["MxN uniform -9 9"], cases = ["M=1 N=1", "M=3 N=67", "M=5 N=9 specials", "M=64 N=1024 full"]}} {
  %y = kiln.softmax %x axis -1 : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @rows_sum_to_one(%x: tensor<?x?xf32>) attributes {kiln.test = {inputs = ["MxN"], cases = ["M=4 N=33"]}} {
  %p = kiln.softmax %x axis -1 : tensor<?x?xf32>
  %sum = kiln.reduce sum %p axes [1] : tensor<?x?xf32> -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %one = kiln.constant dense<1.0> : tensor<f32>
  %ones = kiln.broadcast %one [%m] : tensor<f32> -> tensor<?xf32>
  kiln.check_close %sum, %ones atol 1.0e-6 rtol 0.0 : tensor<?xf32>
  return
}
func.func @extents_must_agree(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> attributes {kiln.test = {
    inputs = ["M", "N"], cases = ["M=3 N=4"], error = "broadcast to one shape"}} {
  %y = kiln.add %a, %b : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}
"""

# Wrong where an element is beyond 100, from 102 elements on.
WRONG = """
func.func @late(%x: tensor<?x?xf32>) attributes {kiln.test = {inputs = ["MxN iota"], cases = ["M=40 N=50"]}} {
  %y = kiln.clamp %x max 100.0 : tensor<?x?xf32>
  kiln.check_close %x, %y atol 0.0 rtol 0.0 : tensor<?x?xf32>
  return
}
"""


class KernelTests(unittest.TestCase):
    def setUp(self) -> None:
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def check(self, text: str, *flags: str, code: int = 0, device: str = "host") -> subprocess.CompletedProcess:
        file = self.folder / "tests.mlir"
        file.write_text(text)
        done = subprocess.run([JIT_RUN, "--check", file, "--device", device, *map(str, flags)], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_results_properties_and_errors_are_judged(self) -> None:
        done = self.check(GOOD)
        self.assertIn("4 functions, 8 cases, 8 checks on host:0: 8 passed, 0 failed", done.stdout)
        done = self.check(GOOD, "--function=softmax[f16]", "--case=M=2 N=300")
        self.assertIn("1 functions, 1 cases, 1 checks", done.stdout)
        self.assertIn("2 functions, 6 cases", self.check(GOOD, "--filter=:softmax").stdout)
        sample = self.check(GOOD, "--sample").stdout  # all of softmax[f16], one of softmax[f32]
        self.assertIn("4 functions, 6 cases, 6 checks on host:0: 6 passed, 0 failed", sample)
        self.assertIn("7 ran on a device that computes nothing", self.check(GOOD, device="null").stdout)

    def test_a_failing_shape_is_made_smaller(self) -> None:
        done = self.check(WRONG, code=1)
        self.assertIn("FAIL", done.stdout)
        self.assertRegex(done.stdout, r"smallest: M=\d+ N=\d+: ")
        rows, columns = map(int, re.search(r"smallest: M=(\d+) N=(\d+)", done.stdout).groups())
        self.assertGreater(rows * columns, 101)
        self.assertLessEqual(rows * (columns - 1), 101, "one column less holds")
        self.assertRegex(done.stdout, r"again: jit-run --check .* --function 'late' --case 'M=40 N=50'")
        self.check(WRONG, "--case=M=2 N=50")

    def test_reports_for_programs(self) -> None:
        junit = self.folder / "junit.xml"
        done = self.check(GOOD + WRONG, "--json", "--junit", junit, code=1)
        report = json.loads(done.stdout)
        self.assertEqual((report["passed"], report["failed"], report["refused"]), (8, 1, 0))
        suites = xml.parse(junit).getroot()
        self.assertEqual(suites[0].get("failures"), "1")
        self.assertEqual(len(suites[0]), 9)

    def test_files_that_are_wrong_themselves(self) -> None:
        for pattern, code, text in (
            ("checks nothing", 1, "func.func @f(%x: tensor<2xf32>) { return }"),
            ("entry 'shape'", 1, 'func.func @f() attributes {kiln.test = {shape = "4"}} { return }'),
            ("does not say what N is", 1, GOOD.replace("M=1 N=1", "M=1")),
            ("expected a dictionary", 1, "func.func @f() attributes {kiln.test = 3} { return }"),
            ("no error; expected one with 'never'", 1, """func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {
                kiln.test = {error = "never"}} { return %x : tensor<2xf32> }"""),
            ("'host:0' has no deterministic clock", 1, """func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {
                kiln.test = {cycles = {host = 7}}} { return %x : tensor<2xf32> }"""),
            ("1 passed", 0, """func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {
                kiln.test = {cycles = {npu = 7}}} { return %x : tensor<2xf32> }"""),
            ("expected a count", 1, """func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {
                kiln.test = {cycles = {host = -1}}} { return %x : tensor<2xf32> }"""),
            ("no function", 3, "module {}"),
            ("compares with 100 recorded numbers", 1, """func.func @f(%x: tensor<100xi32>) {
                %w = kiln.constant dense<[""" + ", ".join(map(str, range(100))) + """]> : tensor<100xi32>
                kiln.check_equal %x, %w : tensor<100xi32>
                return }"""),
        ):
            with self.subTest(pattern=pattern):
                done = self.check(text, code=code)
                self.assertIn(pattern, done.stdout + done.stderr)
        self.check(GOOD, "--function=nope", code=3)
        self.assertIn("no function whose", self.check(GOOD, "--filter=nope", code=3).stderr)
        self.assertIn("belongs to --check", subprocess.run([JIT_RUN, "--filter=x", "m"], capture_output=True, text=True).stderr)

    def test_cycles_are_compared_where_time_is_simulated(self) -> None:
        text = """func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> attributes {{kiln.test = {{cycles = {{npu = {0}}}}}}} {{
            %y = kiln.exp %x : tensor<64xf32>
            return %y : tensor<64xf32> }}"""
        done = self.check(text.format(7), device="npu", code=1)
        takes = re.search(r"takes (\d+) cycles; expected 7", done.stdout)
        self.assertTrue(takes, done.stdout)
        self.check(text.format(takes[1]), device="npu")
        with unittest.mock.patch.dict(os.environ, KILN_NPU_MODE="fast"):
            self.assertIn("counted no cycles", self.check(text.format(7), device="npu", code=1).stdout)

    def test_a_folder_is_searched(self) -> None:
        (self.folder / "deep").mkdir()
        (self.folder / "deep" / "a.mlir").write_text(GOOD)
        done = subprocess.run([JIT_RUN, "--check", self.folder, "--device=host"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("8 passed", done.stdout)
        (self.folder / "deep" / "a.mlir").unlink()
        done = subprocess.run([JIT_RUN, "--check", self.folder, "--device=host"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3)
        self.assertIn("no .mlir file below", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
