#!/usr/bin/env python3
# test_jit_run.py: every flag of jit-run in a process of its own, and bad input of every kind.
"""usage: test_jit_run.py JIT_RUN MODELS_DIR. Standard library only."""

import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

JIT_RUN, MODELS = sys.argv[1], pathlib.Path(sys.argv[2])
MLP = MODELS / "mlp-surrogate"
MODEL = str(MLP / "model.onnx")

ADD = """
func.func @main(%x: tensor<?x4xf32> {kiln.name = "x", kiln.dim_names = ["batch", ""]})
    -> (tensor<?x4xf32> {kiln.name = "y"}) {
  %y = kiln.add %x, %x : tensor<?x4xf32>, tensor<?x4xf32> -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
"""

CALL = """func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
 return %0 : tensor<4xf32> }
"""

ADD_FLOATS = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def npy(code: str, shape: tuple, data: bytes, fortran: bool = False) -> bytes:
    header = f"{{'descr': '{code}', 'fortran_order': {fortran}, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def npz(path: pathlib.Path, **members: bytes) -> pathlib.Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name + ".npy", content)
    return path


def varint(value: int) -> bytes:
    result = b""
    while value >= 0x80:
        result += bytes([value & 0x7F | 0x80])
        value >>= 7
    return result + bytes([value])


def tensor_proto(shape: tuple, data: bytes) -> bytes:
    """A TensorProto of f32."""
    dims = b"".join(b"\x08" + varint(extent) for extent in shape)
    return dims + b"\x10\x01" + b"\x4a" + varint(len(data)) + data


class JitRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.add = cls.write("add.mlir", ADD)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.temporary.cleanup()

    @classmethod
    def write(cls, name: str, content: str | bytes) -> str:
        path = cls.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def run_tool(self, *arguments: str, code: int = 0, **environment: str) -> subprocess.CompletedProcess:
        done = subprocess.run([JIT_RUN, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def refused(self, code: int, pattern: str, *arguments: str) -> None:
        """The tool says what is wrong in an error line, with the exit code of its kind, and prints no result."""
        with self.subTest(arguments=arguments):
            done = self.run_tool(*arguments, code=code)
            self.assertRegex(done.stderr, pattern)
            self.assertEqual(len(re.findall("^jit-run: error: ", done.stderr, re.MULTILINE)), 1, done.stderr)
            self.assertEqual(done.stdout, "")

    def json_of(self, *arguments: str, code: int = 0) -> dict:
        return json.loads(self.run_tool(*arguments, "--json", code=code).stdout)

    # ---- flags that work ------------------------------------------------------------------------------------

    def test_shapes_are_runs_of_one_import(self) -> None:
        report = self.json_of(self.add, "--shape", "x=1x4,3x4,77x4", "--reference", "host")
        self.assertEqual([output["shape"] for output in report["outputs"]], [[1, 4], [3, 4], [77, 4]])
        self.assertEqual([check["ok"] for check in report["checks"]], [True] * 3)
        self.assertEqual(self.json_of(self.add, "--shape", "batch=5")["outputs"][0]["shape"], [5, 4])

    def test_a_test_case_folder_brings_inputs_and_outputs(self) -> None:
        with zipfile.ZipFile(MLP / "inputs.npz") as inputs, zipfile.ZipFile(MLP / "outputs.npz") as outputs:
            def proto(archive: zipfile.ZipFile) -> bytes:
                data = archive.read(archive.namelist()[0])
                start = 10 + struct.unpack_from("<H", data, 8)[0]
                shape = re.search(rb"'shape': \(([^)]*)\)", data).group(1).decode()
                return tensor_proto(tuple(int(e) for e in shape.split(",") if e.strip()), data[start:])
            x, y = proto(inputs), proto(outputs)
        self.write("case/model.onnx", pathlib.Path(MODEL).read_bytes())
        for number in (0, 1):
            self.write(f"case/test_data_set_{number}/input_0.pb", x)
            self.write(f"case/test_data_set_{number}/output_0.pb", y)
        report = self.json_of(self.folder / "case")
        self.assertEqual([check["case"] for check in report["checks"]], ["test_data_set_0", "test_data_set_1"])
        self.json_of(MODEL, "--inputs", self.folder / "case/test_data_set_0", "--expect", self.folder / "case/test_data_set_1")
        self.refused(3, "2 inputs; expected 1|input 1|inputs", MODEL, "--inputs", self.folder / "case/test_data_set_0",
                     "--input", f"=@{self.folder}/case/test_data_set_0/input_0.pb")  # one too many
        (self.folder / "empty-folder").mkdir()
        for flag in ("--inputs", "--expect"):
            self.refused(3, "empty-folder': no (in|out)put_0.pb; expected (in|out)puts", MODEL, flag, self.folder / "empty-folder")
        self.refused(2, "the test case .* has its own data", self.folder / "case", "--inputs", "x.npz")
        self.write("case/test_data_set_1/output_0.pb", y[:-1] + bytes([y[-1] ^ 1]))
        self.json_of(self.folder / "case", code=1)
        self.write("case/test_data_set_1/output_0.pb", y[:-1])
        self.refused(3, "output_0.pb': not a TensorProto", self.folder / "case")
        (self.folder / "case/test_data_set_1/output_0.pb").unlink()
        self.refused(3, "no output_0.pb", self.folder / "case")
        (self.folder / "case/test_data_set_0/input_0.pb").rename(self.folder / "case/test_data_set_0/input_1.pb")
        self.refused(3, "input_0.pb is missing", self.folder / "case")

    def test_precision_stores_f32_tensors_in_another_type(self) -> None:
        files = ["--inputs", str(MLP / "inputs.npz"), "--expect", str(MLP / "outputs.npz")]
        for precision, bound in (("f16", 0.002), ("bf16", 0.02)):
            self.run_tool(MODEL, *files, f"--precision={precision}", f"--rel-l2={bound}")
            self.run_tool(MODEL, *files, f"--precision={precision}", "--rel-l2=1e-6", code=1)
            self.assertIn(f"x{precision}>", self.run_tool(MODEL, f"--precision={precision}", "--emit=graph").stdout)

    def test_topk_names_classes(self) -> None:
        labels = self.write("labels.txt", "cat\r\ndog\nbird\n")
        report = self.json_of(self.add, "--input", "x=2x4xf32=1 3 2 0 9 8 7 6", "--topk", f"2,{labels}")
        self.assertEqual([[entry["label"] for entry in row["entries"]] for row in report["topk"]],
                         [["dog", "bird"], ["cat", "dog"]])
        text = self.run_tool(self.add, "--input", "x=1x4xf32=1 3 2 0", "--topk=1").stdout
        self.assertIn("y top 1: 1: 6", text)

    def test_trace_and_profiles(self) -> None:
        trace = self.folder / "trace.json"
        text = self.run_tool(MODEL, "--profile", "--profile=compile", "--trace", trace, "--bench=3", "--cache-stats",
                             "--mem-stats").stdout
        for part in ("profile: ", "compile profile: ", "GFLOP/s", "roof", "bench: median", "of 3 runs", "cache: ", "memory: "):
            self.assertIn(part, text)
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertLessEqual({"jit-run", "compile", "launches"}, {event.get("cat") for event in events})
        report = self.json_of(MODEL, "--profile", "--profile=compile")
        self.assertGreater(len(report["launches"]), 0)
        self.assertIn("tensor", {stage["stage"] for stage in report["stages"]})
        self.assertNotIn("launches", self.json_of(MODEL, "--profile=compile"))

    def test_output_and_expect_round_trip(self) -> None:
        file = self.folder / "y.npz"
        self.run_tool(self.add, "--input", "x=1x4xf32=1 2 3 nan", "--output", file)
        self.run_tool(self.add, "--input", "x=1x4xf32=1 2 3 nan", "--expect", file)  # NaN equals NaN
        done = self.run_tool(self.add, "--input", "x=1x4xf32=1 2 3 4", "--expect", file, code=1)
        self.assertRegex(done.stdout, r"FAIL output 'y': 1 of 4 elements beyond .* worst at \[0, 3\]: got 8, want nan")
        self.run_tool(self.add, "--input", "x=1x4xf32=1 2 3 4.5", "--expect", npz(
            self.folder / "near.npz", y=npy("<f4", (1, 4), floats(2, 4, 6, 9.001))), "--rtol=1e-3")
        self.run_tool(self.add, "--input", "x=1x4xf32=0", "--expect", npz(
            self.folder / "zero.npz", y=npy("<f4", (1, 4), floats(0, 0, 0, 1e-4))), "--atol=1e-3")
        self.run_tool(self.add, "--input", "x=1x4xf32=1", "--expect", npz(
            self.folder / "l2.npz", y=npy("<f4", (1, 4), floats(2, 2, 2, 2.01))), "--rel-l2=0.01")

    def test_seed_decides_random_inputs(self) -> None:
        results = [self.run_tool(self.add, f"--seed={seed}").stdout.splitlines()[1] for seed in (1, 1, 2)]
        self.assertEqual(results[0], results[1])
        self.assertNotEqual(results[0], results[2])

    def test_emit_dump_and_saved_program(self) -> None:
        self.assertIn("linalg", self.run_tool(self.add, "--emit=tensor").stdout)
        self.run_tool(self.add, "--dump-stages", self.folder / "dump")
        self.assertTrue(list((self.folder / "dump").glob("*-tile.mlir")))
        for device in ("host", "npu"): # also where no session is opened
            self.run_tool(self.add, "--compile-only", f"--device={device}", "--dump-stages", self.folder / f"ahead-{device}")
            self.assertTrue(list((self.folder / f"ahead-{device}").glob("*-tile.mlir")), device)
        self.refused(3, "dump_dir '/dev/null/ahead': cannot be written", self.add, "--compile-only", "--device=host",
                     "--dump-stages=/dev/null/ahead")
        self.refused(3, "dump_dir '/dev/null/dump': cannot be written: Not a directory", self.add,
                     "--dump-stages=/dev/null/dump")
        program = self.folder / "add.kprog"
        self.run_tool(self.add, "--shape", "x=2x4", "--save-program", program)
        self.run_tool(program, "--input", "x=2x4xf32=1")
        self.refused(3, "a program file holds no IR", program, "--emit=tensor")
        for flag in (f"--dump-stages={self.folder / 'nothing'}", "--profile=compile"):
            self.assertIn(f"note: {flag.split('=')[0]}: nothing was compiled", self.run_tool(program, flag).stderr)
        self.refused(3, "model 'add.kprog': program: made for device type 'host'; this device is 'null:0'", program, "--device=null")
        self.refused(3, "'nonsense' is no stage or emitter", self.add, "--emit=nonsense")

    def test_devices_threads_and_limits(self) -> None:
        names = [device["name"] for device in self.json_of("--list-devices")["devices"]]
        self.assertIn("host:0", names)
        self.assertIn("host:0", self.run_tool("--list-devices").stdout)
        self.assertIn("note: no device; jit-info paths", self.run_tool("--list-devices", KILN_BACKEND_AUTOLOAD="0").stderr)
        self.run_tool(self.add, "--device=host", "--threads=1", "--timeout=60", "--memory-limit=64")
        self.run_tool(self.add, "--device=null")
        self.assertIn("'abc' is not an integer; expected 0 to 4096",
                      self.run_tool(self.add, "--device=host", code=3, KILN_HOST_THREADS="abc").stderr)
        self.run_tool(self.add, "--device=host", "--device-options", "cpu=x86-64-v3")
        recogniser = MODELS / "ppocr4-rec"
        self.refused(3, r"model 'model.onnx': (constant \d+ \('.+'\)|packed weight \d+): .*host memory: wants", recogniser / "model.onnx",
                     "--inputs", recogniser / "inputs.npz", "--device=host", "--memory-limit=1")
        self.refused(3, "run of 'model.onnx': timeout of 0.0001 ms", recogniser / "model.onnx", "--inputs", recogniser / "inputs.npz",
                     "--device=host", "--timeout=1e-7")
        self.refused(3, "wants|limit|bytes", self.add, "--shape", "x=1000000x4", "--memory-limit=1")

    def test_progress_shows_on_a_terminal_only(self) -> None:
        master, slave = pty.openpty()
        process = subprocess.Popen([JIT_RUN, MODELS / "ppocr4-rec" / "model.onnx", "--inputs",
                                    MODELS / "ppocr4-rec" / "inputs.npz"], stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        shown = b""
        try:
            while part := os.read(master, 4096):
                shown += part
        except OSError:  # the process has closed its end
            pass
        os.close(master)
        self.assertEqual(process.wait(), 0)
        if shown:  # a fast machine needs no line
            self.assertRegex(shown, rb"kernels compiled|forming kernels")
            self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)

    def test_checks(self) -> None:
        good = self.write("check.mlir", """func.func @one() {
          %a = kiln.constant dense<1.0> : tensor<2xf32>
          %b = kiln.optimization_barrier %a : tensor<2xf32>
          kiln.check_close %b, %a atol 0.0 rtol 0.0 : tensor<2xf32>
          return
        }""")
        self.run_tool("--check", good, "--device=host")
        dynamic = self.write("dynamic.mlir", ADD)
        self.assertIn("input 'x': an extent is '?' and no test gives it", self.run_tool("--check", dynamic, code=1).stdout)
        self.refused(2, "a model besides --check", MODEL, "--check", good)

    # ---- usage ----------------------------------------------------------------------------------------------

    def test_usage_errors_exit_with_2(self) -> None:
        for pattern, *arguments in (
            ("MODEL is missing",),
            ("unknown flag '--devise'; did you mean '--device'", "--devise=host", MODEL),
            ("'b' is one operand too many", "a", "b"),
            ("--device: a value is missing", MODEL, "--device"),
            ("--device: '' is not a value", MODEL, "--device="),
            ("--rtol: 'nan' is not a number", MODEL, "--rtol=nan"),
            ("--timeout: '-1' is not in range", MODEL, "--timeout=-1"),
            ("--input: 'x' is given twice", MODEL, "--input=x=2xf32=1", "--input=x=2xf32=2"),
            ("--seed: '-1' is not a count", MODEL, "--seed=-1"),
            ("--seed: '18446744073709551616' is not a count", MODEL, "--seed=18446744073709551616"),
            ("--threads: '4096' is not in range", MODEL, "--threads=4096"),
            ("--json: takes no value", MODEL, "--json=yes"),
            ("--bench: '1.5' is not a count", MODEL, "--bench=1.5"),
            ("--profile: 'all' is not known", MODEL, "--profile=all"),
            ("--precision: 'f64' is not known", MODEL, "--precision=f64"),
            ("--precision: belongs to a MODEL", "--check", MODEL, "--precision=f16"),
            ("--topk: '0' is no count", MODEL, "--topk=0"),
            ("--topk: '3,': no file behind the comma", MODEL, "--topk=3,"),
            ("--shape: 'x': no name", MODEL, "--shape=x"),
            ("--shape: 'x=axb': 'axb' is no list of extents", MODEL, "--shape=x=axb"),
            ("--input: 'x': no '='", MODEL, "--input=x"),
            ("--input: '3': not a shape and type", MODEL, "--input=x=3"),
            ("--input: '3xf33': not a shape and type", MODEL, "--input=x=3xf33=1"),
            ("--input: 'a b': not numbers", MODEL, "--input=x=2xf32=a b"),
            ("--input: '1 2 3': 3 values; 2xf32 has 2 elements", MODEL, "--input=x=2xf32=1 2 3"),
            ("--input: 'x=@': no file", MODEL, "--input=x=@"),
            ("--output: 2 runs; expected one", MODEL, "--shape=input=1x4,2x4", "--output=y.npz"),
        ):
            self.refused(2, pattern, *arguments)

    # ---- bad input ------------------------------------------------------------------------------------------

    def test_bad_models_exit_with_3(self) -> None:
        content = pathlib.Path(MODEL).read_bytes()
        for pattern, model in (
            ("'/nonexistent/m.onnx': no such file", "/nonexistent/m.onnx"),
            ("a folder without model.onnx", str(self.folder)),
            ("not a model of a known format|empty", self.write("empty", b"")),
            ("empty.onnx: ", self.write("empty.onnx", b"")),
            ("text.onnx: ", self.write("text.onnx", "hello, world\n")),
            ("short.onnx: .*truncated", self.write("short.onnx", content[: len(content) // 2])),
            ("not a model of a known format", self.write("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(100))),
            ("error: bad.mlir:1:1", self.write("bad.mlir", "nonsense")),
            ("error: call.mlir:2:.* 'g' does not reference a valid function", self.write("call.mlir", CALL)),
            (r"error: addfs.mlir:2:\d+: op 'arith.addf'; programs compute", self.write("addfs.mlir", ADD_FLOATS)),
            ("none.mlir: no function", self.write("none.mlir", "module {}")),
            ("argument 0: type f32; expected a ranked tensor", self.write("addf.mlir", "func.func @g(%x: f32) -> f32 { return %x : f32 }")),
        ):
            self.refused(3, pattern, model)
        self.refused(3, "no function 'nope'", self.add, "--function=nope")
        self.refused(3, "a device, pipe or socket; expected a regular file", "/dev/null")

    def test_a_branch_that_contradicts_the_shapes_must_not_be_taken(self) -> None:
        # silero-vad takes 576 samples at 16 kHz, 288 at 8 kHz; `sr` is data, the length is a shape.
        model, files = str(MODELS / "silero-vad/model.onnx"), ["--inputs", str(MODELS / "silero-vad/inputs.npz")]
        self.run_tool(model, *files)
        self.refused(3, r"node 'If_0' \(If\): with inputs of these shapes: attribute 'else_branch': .*'kiln.lstm' op expects 'x'", model,
                     *files, "--input", "sr=i64=8000")

    def test_bad_tensor_files_exit_with_3(self) -> None:
        four = floats(1, 2, 3, 4)
        good = npy("<f4", (1, 4), four)
        for name, pattern, content in (
            ("missing", "no such file", None),
            ("empty", "not a .npy file", b""),
            ("text", "not a .npy file", b"hello world, this is no array"),
            ("truncated", "12 data bytes; its shape needs 16", good[:-4]),
            ("surplus", "20 data bytes; its shape needs 16", good + bytes(4)),
            ("header", "header of", good[:40]),
            ("bigendian", "big-endian type '>f4'", npy(">f4", (1, 4), four)),
            ("complex", "type '<c8'", npy("<c8", (1, 2), four)),
            ("object", "type '|O'", npy("|O", (1, 2), four)),
            ("negative", r"malformed 'shape' in the header: '\(-1, 4\)'; expected extents >= 0", npy("<f4", (-1, 4), four)),
            ("huge", "its shape needs", npy("<f4", (1 << 40, 1 << 40), four)),
            ("rank", "rank.npy': rank 40; expected at most 16", npy("<f4", (1,) * 40, floats(1))),
            ("version", "version 9", b"\x93NUMPY\x09\x00" + good[8:]),
        ):
            path = str(self.folder / f"{name}.npy")
            if content is not None:
                self.write(f"{name}.npy", content)
            self.refused(3, pattern, self.add, f"--input=x=@{path}")
        self.refused(3, "is a folder", self.add, f"--input=x=@{self.folder}")
        self.refused(3, "no readable .npz|not a readable .npz", self.add, "--inputs", self.write("bad.npz", b"PK not a zip"))
        self.refused(3, "No such file|no such file", self.add, "--inputs", "/nonexistent.npz")
        self.refused(3, "member 'x.npy': not a .npy", self.add, "--inputs", npz(self.folder / "member.npz", x=b"junk"))
        self.refused(3, "no arrays", self.add, "--inputs", npz(self.folder / "none.npz"))
        self.refused(3, "no arrays", self.add, "--expect", npz(self.folder / "none.npz"))
        self.refused(3, "'labels-that-are-not.txt': no such file", self.add, "--topk=1,labels-that-are-not.txt")

    def test_inputs_that_do_not_fit_exit_with_3(self) -> None:
        for pattern, *arguments in (
            ("input 'z'.*'x'", "--input=z=1x4xf32=1"),
            ("input 'x'.*i32.*f32|input 'x'.*f32.*i32", "--input=x=1x4xi32=1"),
            ("input 'x'.*5.*4", "--input=x=1x5xf32=1"),
            ("input 'x'.*4.*\\?x4|input 'x'.*rank", "--input=x=4xf32=1"),
            ("--shape: 'z' is not of the model; its inputs: 'x'; its dimensions: 'batch'", "--shape=z=1"),
            ("input 'x': 1 extents; expected 2 as in \\?x4", "--shape=x=4"),
            ("input 'x': shape 2x5; expected \\?x4|input 'x'.*5", "--shape=x=2x5"),
            ("'batch' is a dimension; expected one extent", "--shape=batch=2x2"),
            ("input 'x' is given by --input", "--shape=x=1x4", "--input=x=1x4xf32=1"),
            ("TiB|GiB", "--shape=x=100000000000x4"),
            ("TiB|GiB", "--input=x=4000000000x1000xf32=1"),
            ("expected output 'z': not one of the model's: 'y'", "--expect",
             str(npz(self.folder / "z.npz", z=npy("<f4", (1,), floats(1))))),
        ):
            with self.subTest(arguments=arguments):
                done = self.run_tool(self.add, *arguments, code=3)
                self.assertRegex(done.stderr, pattern)
        done = self.run_tool(self.add, "--expect", npz(self.folder / "shape.npz", y=npy("<f4", (4,), floats(1, 2, 3, 4))),
                             code=1)
        self.assertIn("output 'y': 1x4xf32; expected 4xf32", done.stdout)

    def test_devices_that_cannot_be_used_exit_with_3(self) -> None:
        self.refused(3, "unknown device 'nope'", self.add, "--device=nope")
        self.refused(3, "unknown device 'host:7'|host:7", self.add, "--device=host:7")
        self.refused(3, "cpu.*native", self.add, "--device=host", "--device-options=cpu=z80")
        self.refused(3, "no-such", self.add, "--device=host", "--device-options=no-such=1")
        with self.subTest("reference"):
            done = self.run_tool(self.add, "--reference=null", code=3)
            self.assertIn("--reference: device 'null:0' computes nothing", done.stderr)
        self.run_tool(self.add, "--output", "/nonexistent/y.npz", code=3)
        self.assertIn("is a folder; expected a file", self.run_tool(self.add, "--output", self.folder, code=3).stderr)
        self.run_tool(self.add, "--trace", "/nonexistent/t.json", code=3)
        self.run_tool(self.add, "--save-program", "/nonexistent/p.kprog", code=3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
