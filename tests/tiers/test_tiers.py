# test_tiers.py: checks with ldd and /proc/PID/maps which libraries a process loads.
"""The runtime tier links no LLVM or MLIR; a saved program runs in a fresh process that opens neither."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPILER_LIBRARIES = ("libLLVM", "libMLIR", "libkiln_compiler", "libkiln_onnx", "_compiler.so")
options: argparse.Namespace


def linked(path: pathlib.Path) -> str:
    return subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=True).stdout


def traced_run(command: list[str], **variables: str) -> tuple[subprocess.CompletedProcess, set[str]]:
    """Runs a command; returns it and every shared library that the dynamic linker opened."""
    environment = {**os.environ, **variables, "LD_DEBUG": "files"}
    with tempfile.TemporaryDirectory() as folder:
        environment["LD_DEBUG_OUTPUT"] = f"{folder}/ld"
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        text = "".join(file.read_text() for file in pathlib.Path(folder).iterdir())
    opened = {line.split("file=")[1].split()[0] for line in text.splitlines() if "file=" in line and "generating link map" in line}
    return done, opened


class LinkedLibraries(unittest.TestCase):
    def test_runtime_tier_links_no_compiler(self) -> None:
        build = options.build
        files = [build / "bin" / "jit-run", build / "bin" / "jit-info", build / "lib" / "libkiln_runtime.so"]
        backends = (build / "lib" / "kiln" / "backends.d").glob("libkiln_*.so")
        files += [file for file in backends if not file.name.endswith("_compiler.so")]
        self.assertGreaterEqual(len(files), 5, "host and null have a runtime-tier library")
        for file in files:
            for library in COMPILER_LIBRARIES:
                self.assertNotIn(library, linked(file), f"{file.name} links {library}")

    def test_no_library_is_searched_in_the_current_folder(self) -> None:
        build = options.build
        files = [file for folder in ("bin", "tests/bin", "lib", "lib/kiln", "lib/kiln/backends.d") for file in (build / folder).iterdir()
                 if file.is_file() and file.read_bytes()[:4] == b"\x7fELF"]
        self.assertGreaterEqual(len(files), 30)
        for file in files:
            text = subprocess.run(["readelf", "-dW", str(file)], capture_output=True, text=True, check=True).stdout
            for line in text.splitlines():
                if "RPATH" in line or "RUNPATH" in line:
                    for folder in line[line.index("[") + 1 : line.rindex("]")].split(":"):
                        self.assertRegex(folder, r"^(/|\$ORIGIN)", f"{file.name}: {line.strip()}")

    def test_nothing_links_a_backend(self) -> None:
        for file in [*(options.build / "bin").iterdir(), *(options.build / "lib").glob("libkiln_*.so")]:
            if file.is_file() and os.access(file, os.X_OK):
                self.assertNotIn("libkiln_host", linked(file), file.name)

    def test_compiler_tier_links_the_shared_llvm_once(self) -> None:
        text = linked(options.build / "lib" / "libkiln_compiler.so")
        self.assertIn("libMLIR.so.19.1", text)
        self.assertIn("libLLVM.so.19.1", text)

    def test_what_is_opened_by_name_exports_its_entry_only(self) -> None:
        for library, entry in (("onnx", "kiln_importer_query_v1"), ("reference", "kiln_reference_open_v1")):
            file = options.build / "lib" / f"libkiln_{library}.so"
            symbols = subprocess.run(["nm", "-D", "--defined-only", str(file)], capture_output=True, text=True, check=True).stdout
            self.assertEqual([line.split()[2] for line in symbols.splitlines()], [entry], file.name)


class NoDeviceNamed(unittest.TestCase):
    """A process that embeds the runtime and names no device maps no backend and no compiler."""

    def test_an_instance_maps_nothing(self) -> None:
        script = ("import ctypes, sys; kiln = ctypes.CDLL(sys.argv[1]); out = ctypes.c_void_p();"
                  "assert kiln.kiln_instance_create(None, ctypes.byref(out)) == 0 and out.value; print(open('/proc/self/maps').read())")
        library = options.build / "lib" / "libkiln_runtime.so"
        maps = subprocess.run([sys.executable, "-c", script, str(library)], capture_output=True, text=True, check=True).stdout
        self.assertIn("libkiln_runtime", maps)
        for mapped in ("backends.d", "libkiln_host", "libkiln_null", *COMPILER_LIBRARIES):
            self.assertNotIn(mapped, maps)

    def test_a_list_of_backends_opens_none(self) -> None:
        done, opened = traced_run([str(options.build / "bin" / "jit-info"), "backends"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("DISCOVERED", done.stdout)
        self.assertFalse([file for file in opened if "backends.d" in file or "LLVM" in file])


class CachedModel(unittest.TestCase):
    def test_a_warm_start_opens_no_compiler(self) -> None:
        for name in ("mlp-surrogate", "magika"):
            model = options.models / name
            with self.subTest(model=name), tempfile.TemporaryDirectory() as folder:
                command = [str(options.build / "bin" / "jit-run"), str(model / "model.onnx"), "--device", "host",
                           "--inputs", str(model / "inputs.npz"), "--expect", str(model / "outputs.npz")]
                for mode, warm in (("rw", False), ("require", True), ("rw", True)):
                    done, opened = traced_run(command, KILN_CACHE=mode, KILN_CACHE_DIR=folder + "/cache")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found = [file for file in opened if any(library in file for library in COMPILER_LIBRARIES)]
                    self.assertEqual(not found, warm, f"{mode}: {found}")


class SavedProgram(unittest.TestCase):
    def test_runs_in_a_fresh_process_without_a_compiler(self) -> None:
        jit_run = str(options.build / "bin" / "jit-run")
        model = options.models / "mlp-surrogate"
        inputs = ["--device", "host", "--inputs", str(model / "inputs.npz")]
        with tempfile.TemporaryDirectory() as folder:
            program = str(pathlib.Path(folder) / "mlp.kprog")
            saved, opened = traced_run([jit_run, str(model / "model.onnx"), *inputs, "--save-program", program])
            self.assertEqual(saved.returncode, 0, saved.stderr)
            self.assertTrue(any("libMLIR" in file for file in opened), "compiling opens the compiler tier")
            run, opened = traced_run([jit_run, program, *inputs, "--expect", str(model / "outputs.npz"), "--rtol=1e-4",
                                      "--atol=1e-5"])
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertTrue(any("libkiln_host.so" in file for file in opened), "autoload opened the backend")
            for library in COMPILER_LIBRARIES:
                self.assertFalse([file for file in opened if library in file], f"{library} was opened")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
