#!/usr/bin/env python3
# test_ods.py: every op and pass is documented, and every constraint is checked and tested under its label.
"""Rules over the .td files, the verifiers and the invalid tests. Needs no build."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import ods  # noqa: E402

FENCED = re.compile(r"```mlir\n(.*?)```", re.DOTALL)


def function_bodies() -> dict[str, str]:
    """The functions of dialects/IR/*.cpp by name: "SoftmaxOp::verify", "checkReduce"; clang-format fixes their look."""
    bodies: dict[str, str] = {}
    for file in sorted((ROOT / "dialects/IR").glob("*.cpp")):
        text = file.read_text(encoding="utf-8")
        header = r"^[\w<][^\n;{}#]*?([\w:]+)\([^{};]*\)[^{};]*\{"
        for body in (r"((?: //[^\n]*)?\n.*?)^\}", r" ([^\n]*) \}$"):
            for match in re.finditer(header + body, text, re.MULTILINE | re.DOTALL):
                bodies[match[1]] = bodies.get(match[1], "") + match[2]
    return bodies


def checked_labels(op: ods.Op, bodies: dict[str, str]) -> set[str]:
    """The labels in the op's verifiers and in what they call."""
    seen: set[str] = set()
    entries = [f"{op.cpp_class}::{name}" for name in ("verify", "verifySymbolUses", "inferReturnTypes", "parse")]
    pending = [bodies[entry] for entry in entries if entry in bodies] + [op.generated_code]
    labels: set[str] = set()
    while pending:
        body = pending.pop()
        labels.update(label for comment in re.findall(r"//([^\n]*)", body) for label in re.findall(r"\bC\d+\b", comment))
        for name in re.findall(r"(\w+)(?:<[^()]*>)?\(", body):
            if name in bodies and name not in seen:
                seen.add(name)
                pending.append(bodies[name])
    return labels


class OpsTest(unittest.TestCase):
    def setUp(self):
        self.ops = ods.ops()
        self.assertGreater(len(self.ops), 80)

    def test_every_op_has_a_summary_a_formula_and_an_example(self):
        for op in self.ops:
            with self.subTest(op.name):
                self.assertTrue(op.summary)
                self.assertFalse(op.summary.endswith("."), "a summary is no sentence")
                examples = "".join(FENCED.findall(op.description))
                self.assertTrue(f"kiln.{op.name}" in examples, "its example shows the op")
                self.assertGreater(len(FENCED.sub("", op.description).split()), 3, "it says what the op computes")

    def test_labels_count_from_one(self):
        for op in self.ops:
            with self.subTest(op.name):
                self.assertEqual(op.labels, [f"C{i + 1}" for i in range(len(op.labels))])

    def test_every_label_is_in_a_verifier(self):
        bodies = function_bodies()
        for op in self.ops:
            with self.subTest(op.name):
                self.assertEqual(set(op.labels) - checked_labels(op, bodies), set())

    def test_every_label_has_an_invalid_test(self):
        tests = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests/lit/dialects").glob("*invalid*.mlir"))
        for op in self.ops:
            for label in op.labels:
                with self.subTest(f"{op.name} {label}"):
                    self.assertTrue(re.search(rf"@{op.name}_{label.lower()}_\w+", tests), "no test has its name")

    def test_every_invalid_test_has_a_label(self):
        labels = {f"{op.name}_{label.lower()}" for op in self.ops for label in op.labels}
        for file in (ROOT / "tests/lit/dialects").glob("*invalid*.mlir"):
            for name in re.findall(r"@(\w+?_c\d+)_\w+", file.read_text(encoding="utf-8")):
                with self.subTest(name):
                    self.assertIn(name, labels)


def lit_tests() -> list[str]:
    """Every lit test but those of invalid ops."""
    folders = [ROOT / "tests/lit", *(ROOT / "backends").glob("*/test")]
    files = [file for folder in folders for file in folder.rglob("*.mlir")]
    return [file.read_text(encoding="utf-8") for file in files if "invalid" not in file.name]


class CoverageTest(unittest.TestCase):
    def test_lit_checks_every_op(self):
        checks = "\n".join(line for text in lit_tests() for line in text.split("\n") if "CHECK" in line)
        for op in ods.ops():
            with self.subTest(op.name):
                self.assertRegex(checks, rf"kiln\.{re.escape(op.name)}\b")

    def test_every_pass_runs_alone(self):
        runs = "\n".join(line for text in lit_tests() for line in text.split("\n") if "RUN:" in line)
        runs += (ROOT / "tests/foo/test_foo.py").read_text(encoding="utf-8")  # passes that backends may register
        for p in ods.passes():
            with self.subTest(p.argument):
                self.assertRegex(runs, rf"{re.escape(p.argument)}\b(?!-)")


class PassesTest(unittest.TestCase):
    def test_every_pass_is_described_with_an_example(self):
        passes = ods.passes()
        self.assertGreater(len(passes), 4)
        for p in passes:
            with self.subTest(p.argument):
                self.assertTrue(p.summary)
                self.assertGreaterEqual(len(FENCED.sub("", p.description).split()), 12)
                self.assertTrue(FENCED.search(p.description), "it has a fenced example")


if __name__ == "__main__":
    unittest.main()
