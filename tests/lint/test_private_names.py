#!/usr/bin/env python3
# test_private_names.py: which names of two files clash, and which may stand side by side.
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import private_names


def problems(first: str, second: str, folder: str = "runtime", other: str = "runtime/cache") -> list[str]:
    wrap = "namespace kiln {{\nnamespace {{\n\n{}\n\n}} // namespace\n}} // namespace kiln\n"
    return private_names.problems({f"{folder}/A.cpp": wrap.format(first), f"{other}/B.cpp": wrap.format(second)})


class PrivateNames(unittest.TestCase):
    def test_names_both_places(self):
        self.assertEqual(
            problems("constexpr int kSize = 1;", "constexpr int kSize = 1;"),
            ["runtime/cache/B.cpp:4: 'kSize' is also defined at runtime/A.cpp:4; expected another name, or one "
             "definition in a header"],
        )

    def test_types_and_objects_clash_by_name(self):
        self.assertEqual(len(problems("struct Header {\n};", "class Header {\n};")), 1)
        self.assertEqual(len(problems("struct Header {\n};", "constexpr int Header = 1;")), 1)
        self.assertEqual(len(problems("constexpr int kA = 1, kB = 2;", "constexpr int kB = 1;")), 1)
        self.assertEqual(len(problems("constexpr Entry kTable[] = {", "const Entry kTable[] = {")), 1)

    def test_functions_clash_by_parameters(self):
        self.assertEqual(len(problems("bool is(Value a) { return true; }", "bool is(Value b) {\n}")), 1)
        self.assertEqual(problems("bool is(Value a) {\n}", "bool is(Type a) {\n}"), [])
        self.assertEqual(problems("bool is(Value a) {\n}", "bool is(Value a, int b) {\n}"), [])
        broken = "Result<std::map<int, int>> read(Node &node,\n                                 StringRef name = {}) {\n}"
        self.assertEqual(len(problems(broken, "int read(Node &n, StringRef of) {\n}")), 1)

    def test_aliases_of_one_thing_may_repeat(self):
        self.assertEqual(problems("using Shape = std::vector<int>;", "using Shape = std::vector<int>;"), [])
        self.assertEqual(len(problems("using Json = json;", "using Json = ordered_json;")), 1)

    def test_headers_are_not_hidden(self):
        header = "namespace kiln {\n/// Bytes.\ninline int64_t bytesOf(Type type) {\n}\nint64_t extentOf(Value value);\n}\n"

        def problems_with(text: str, name: str = "runtime/Sizes.h") -> list[str]:
            source = f"namespace kiln {{\nnamespace {{\n\n{text}\n\n}} // namespace\n}} // namespace kiln\n"
            return private_names.problems({name: header, "runtime/A.cpp": source})

        self.assertEqual(
            problems_with("int bytesOf(Value value) {\n}"),
            ["runtime/A.cpp:4: 'bytesOf' hides what runtime/Sizes.h:3 declares; expected another name"],
        )
        self.assertEqual(len(problems_with("int extentOf(Value value) {\n}")), 1)
        self.assertEqual(problems_with("int countOf(Value value) {\n}"), [])
        self.assertEqual(problems_with("int bytesOf(Value value) {\n}", "jit/Sizes.h"), [])
        self.assertEqual(problems_with("struct Table {\n};\nint bytesOf(Table table) {\n}"), [])

    def test_libraries_do_not_meet(self):
        one = "constexpr int kSize = 1;"
        self.assertEqual(problems(one, one, "runtime", "jit"), [])
        self.assertEqual(problems(one, one, "tests/plugins", "tests/plugins"), [])
        self.assertEqual(len(problems(one, one, "backends/npu/Sim", "backends/npu/Transforms")), 1)
        self.assertEqual(problems(one, one, "backends/npu", "backends/npu/test"), [])

    def test_what_has_linkage_or_is_text_does_not_count(self):
        files = {"runtime/A.cpp": "int size(int x) {\n}\n", "runtime/B.cpp": "int size(int x) {\n}\n"}
        self.assertEqual(private_names.problems(files), [])
        text = 'const char *kA = R"(\nint size(int x)\n)";'
        self.assertEqual(problems(text, text.replace("kA", "kB")), [])

    def test_static_functions_count(self):
        files = {"runtime/A.cpp": "static int size(int x) {\n}\n", "runtime/B.cpp": "static int size(int y) {\n}\n"}
        self.assertEqual(len(private_names.problems(files)), 1)


if __name__ == "__main__":
    unittest.main()
