#!/usr/bin/env python3
# test_test_times.py: the table at the end of `tools/dev test`: which part a test counts to, sums, what is over its budget.
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import test_times

LABELS = {"RuntimeTests": {"ci", "runtime"}, "CacheTests": {"ci", "cache", "runtime"}, "conformance-npu": {"ci", "conformance", "npu"},
          "NpuTest": {"ci", "npu"}, "lint.ods": {"ci", "lint"}}


class TestTimes(unittest.TestCase):
    def test_a_test_counts_once(self) -> None:
        self.assertEqual([test_times.part_of(LABELS[name]) for name in LABELS],
                         ["runtime, jit, onnx", "cache", "npu", "npu", "other"])

    def test_the_table(self) -> None:
        times = {"RuntimeTests": 100.0, "CacheTests": 3.0, "conformance-npu": 300.0, "NpuTest": 600.0, "lint.ods": 8.0, "unlisted": 2.0}
        self.assertEqual(test_times.table(times, LABELS, 2, 1, 605, 90.4).split("\n"), [
            "part                 tests    time  budget",
            "set-up                        0:01    5:00",
            "build                        10:05   10:00  over",
            "npu                      2    7:30    6:00  over",
            "cache                    1    0:02    3:00",
            "runtime, jit, onnx       1    0:50    8:00",
            "other                    2    0:05",
            "sanitizers                    1:30",
            "together                 6   20:03",
        ])

    def test_what_ctest_writes_is_read(self) -> None:
        text = ('<testcase name="a.b" classname="a.b" time="5.26782" status="run">\n<system-out>\x01 time="9"</system-out></testcase>'
                '<testcase name="x &lt;y&gt;" classname="x" time="1e-05" status="fail">')
        self.assertEqual(test_times.CASE.findall(text), [("a.b", "5.26782"), ("x &lt;y&gt;", "1e-05")])


if __name__ == "__main__":
    unittest.main()
