# test_bundles.py: models compiled ahead: into bundles, which need no compiler, and into the cache.
"""Runs jit-run --bundle and --compile-only over cache folders of their own."""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

from cache_case import RUNTIME_ONLY, CacheTest, main, options
from cache_helpers import run_in_terminal


class Bundles(CacheTest):
    def bundle(self, name: str, *arguments: str) -> pathlib.Path:
        file = self.path(name + ".kbundle")
        model = options.models / name
        self.tool("jit-run", model / "model.onnx", "--inputs", model / "inputs.npz", f"--bundle={file}", *arguments)
        return file

    def test_runs_without_a_compiler_and_a_cache(self) -> None:
        file = self.bundle("ppocr-cls", "--device=host")
        report = self.run_model("ppocr-cls", file=file, KILN_CACHE="off", KILN_COMPILER_LIBRARY=RUNTIME_ONLY)
        self.assertTrue(report["ok"])
        self.assertEqual(report["cache"]["kernels_compiled"], 0)

    def test_runs_where_no_compiler_is_installed(self) -> None:
        """Nothing of the compiler tier is there: a copy of the runtime tier, and LLVM's folder is hidden where that is allowed."""
        file = self.bundle("mlp-surrogate", "--device=host")
        away = self.path("away")
        for name in ("bin/jit-run", "lib/libkiln_runtime.so.0", "lib/libkiln_devicekit.so.0", "lib/kiln/kiln-preflight",
                     "lib/kiln/backends.d/libkiln_host.so"):
            (away / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(options.build / name, away / name)
        for manifest in (options.build / "lib/kiln/backends.d").glob("host.kiln.json"):
            shutil.copy(manifest, away / "lib/kiln/backends.d")
        libraries = subprocess.run(["ldd", str(options.build / "lib" / "libkiln_compiler.so")], capture_output=True, text=True).stdout
        llvm = next(line.split()[2] for line in libraries.splitlines() if "libLLVM" in line)
        model = options.models / "mlp-surrogate"
        command = [str(away / "bin/jit-run"), str(file), "--device=host", "--inputs", str(model / "inputs.npz"), "--expect",
                   str(model / "outputs.npz")]
        hide = ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs none "{os.path.dirname(os.path.realpath(llvm))}" && exec "$@"', "sh"]
        environment = {key: value for key, value in os.environ.items() if not key.startswith("KILN_")} | {"KILN_CACHE": "off"}
        isHidden = subprocess.run([*hide, "true"], capture_output=True).returncode == 0
        if not isHidden:
            print("mounts are not allowed here: LLVM's libraries stay in place", file=sys.stderr)
        done = subprocess.run((hide if isHidden else []) + command, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        source = [command[0], str(model / "model.onnx"), *command[2:]]
        done = subprocess.run((hide if isHidden else []) + source, capture_output=True, text=True, env=environment)
        self.assertIn("libkiln_compiler", done.stderr, "a model needs the compiler, which is not there")
        self.assertEqual(done.returncode, 3)

    def test_holds_several_feature_levels(self) -> None:
        done = self.tool("jit-info", "devices", "--json", code=None)
        self.assertEqual(done.returncode, 0, done.stderr)
        file = self.bundle("mlp-surrogate", "--device=host:cpu=x86-64-v3,host:cpu=x86-64-v4")
        for cpu in ("native", "x86-64-v3"):
            self.run_model("mlp-surrogate", file=file, KILN_CACHE="off", KILN_COMPILER_LIBRARY=RUNTIME_ONLY, KILN_HOST_CPU=cpu)

    def test_weights_are_packed_ahead(self) -> None:
        file = self.bundle("ppocr-cls", "--device=host")
        cache = self.path("unpacked")
        done = self.tool("jit-cache", "unpack", file, f"--dir={cache}", code=None)
        kinds = {kind["kind"] for kind in json.loads(self.tool("jit-cache", "stats", "--json", f"--dir={cache}").stdout)["kinds"]}
        self.assertIn("packed", kinds, done.stdout + done.stderr)
        model = options.models / "ppocr-cls"
        done = self.tool("jit-run", file, "--device=host", "--inputs", model / "inputs.npz", KILN_CACHE="off", KILN_LOG="debug:session",
                         KILN_COMPILER_LIBRARY=RUNTIME_ONLY)
        self.assertIn("its weights are packed already", done.stderr)

    def test_levels_of_absent_hardware_are_compiled_for(self) -> None:
        """A level that this machine lacks can be compiled for, not run."""
        file = self.bundle("mlp-surrogate", "--device=host:cpu=x86-64-v4")
        flags = pathlib.Path("/proc/cpuinfo").read_text()
        report = self.run_model("mlp-surrogate", file=file, code=None, KILN_CACHE="off", KILN_COMPILER_LIBRARY=RUNTIME_ONLY)
        if "avx512vl" in flags and "avx512dq" in flags:
            self.assertTrue(report["ok"])
        else:
            self.assertIn("no program for 'host'", report["error"])
        opened = self.tool("jit-run", options.models / "mlp-surrogate" / "model.onnx", "--device=host", "--shape=input=6x4", code=None,
                           KILN_HOST_CPU="x86-64-v4")
        self.assertEqual(opened.returncode == 0, report.get("ok", False), opened.stderr)

    def test_says_what_it_is_not_for(self) -> None:
        file = self.bundle("mlp-surrogate", "--device=host")
        done = self.tool("jit-run", file, "--device=null", "--shape=input=6x4", code=3, KILN_CACHE="off")
        self.assertIn("no program for 'null'", done.stderr)
        self.assertIn("it has 'host' for", done.stderr)

    def test_damage_never_runs(self) -> None:
        file = self.bundle("mlp-surrogate", "--device=host")
        data = file.read_bytes()
        generator = random.Random(9)
        for _ in range(25):
            damaged = bytearray(data)
            damaged[generator.randrange(len(damaged))] ^= 1 << generator.randrange(8)
            file.write_bytes(damaged)
            report = self.run_model("mlp-surrogate", file=file, code=None, KILN_CACHE="off", KILN_COMPILER_LIBRARY=RUNTIME_ONLY)
            self.assertTrue(report.get("ok") or "error" in report, report)  # right, or refused


class Precompile(CacheTest):
    def test_fills_the_cache_for_several_targets(self) -> None:
        model = options.models / "mlp-surrogate" / "model.onnx"
        self.tool("jit-run", model, "--compile-only", "--device=host:cpu=x86-64-v3,null", "--shape=input=6x4")
        spaces = {path.parent.parent.name for path in self.entries("kernel")}
        self.assertEqual(spaces, {"host", "null"})
        self.run_model("mlp-surrogate", KILN_CACHE="require", KILN_HOST_CPU="x86-64-v3")

    WINDOW = ("func.func @main(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> {\n"
              "  %y = kiln.max_pool %x kernel [3, 3] strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1]"
              " : tensor<?x3x?x?xf32> -> tensor<?x3x?x?xf32>\n  return %y : tensor<?x3x?x?xf32>\n}\n")

    def test_extents_that_nobody_gave_stay_open(self) -> None:
        model, file = self.path("window.mlir"), self.path("window.kbundle")
        model.write_text(self.WINDOW)
        done = self.tool("jit-run", model, "--device=host", "--compile-only")
        self.assertIn("input0=1x3x?x?: compiled", done.stdout)
        self.assertIn("input0=?x3x?x?: compiled", done.stdout)
        self.assertRegex(done.stderr, r"note: host, input0=1x3x1x1: not compiled: .*expects the window to fit")
        self.tool("jit-run", model, "--device=host:cpu=x86-64-v3", "--bundle", file)
        for shape in ("1x3x7x9", "2x3x5x3"):
            self.tool("jit-run", model, "--device=host", f"--shape=input0={shape}", KILN_CACHE="require")
            self.tool("jit-run", file, "--device=host", f"--shape=input0={shape}", KILN_CACHE="off", KILN_COMPILER_LIBRARY=RUNTIME_ONLY)

    def test_what_fits_no_extents_is_an_error_once(self) -> None:
        model = self.path("window.mlir")
        model.write_text(self.WINDOW.replace("f32", "f64"))
        stderr = self.tool("jit-run", model, "--device=npu", "--compile-only", code=3).stderr
        self.assertEqual(stderr.count("f64"), 1, stderr)
        self.assertNotIn("not compiled", stderr)

    def test_a_terminal_shows_progress(self) -> None:
        environment = {**os.environ, "KILN_CACHE": "rw", "KILN_CACHE_DIR": str(self.cache)}
        model = options.models / "mlp-surrogate" / "model.onnx"
        command = [str(options.build / "bin" / "jit-run"), str(model), "--compile-only", "--device=host,null", "--shape=input=6x4"]
        code, text = run_in_terminal(command, environment)
        self.assertEqual(code, 0, text)
        counts = [tuple(map(int, found)) for found in re.findall(r"(\d+) of (\d+) kernels", text)]
        self.assertTrue(counts, text)
        self.assertTrue(any(done == total for done, total in counts), text)
        self.assertNotIn("\r", self.tool("jit-run", *command[1:]).stderr)

    def test_what_is_wrong_is_said(self) -> None:
        model = options.models / "mlp-surrogate" / "model.onnx"
        self.assertIn("unknown device 'nowhere'", self.tool("jit-run", model, "--compile-only", "--device=nowhere", code=3).stderr)
        self.assertIn("an empty part", self.tool("jit-run", model, "--compile-only", "--device=host,", code=3).stderr)
        self.assertIn("nothing is run with --compile-only", self.tool("jit-run", model, "--compile-only", "--bench", code=2).stderr)


if __name__ == "__main__":
    main()
