# test_folders.py: what a second process finds, what it never believes, what jit-cache says of it.
"""Runs jit-run and jit-cache over cache folders of its own."""

import json
import os
import random
import shutil
import signal
import stat
import struct
import subprocess
import sys

from cache_case import RUNTIME_ONLY, CacheTest, main, options
from cache_helpers import external_model, kill_on_file_locks, renamed_model, vandalize


class WarmStart(CacheTest):
    def test_real_models_hit_under_require(self) -> None:
        for model in ("mlp-surrogate", "magika", "ppocr-cls"):
            with self.subTest(model=model):
                cold = self.run_model(model)
                self.assertGreater(cold["cache"]["kernels_compiled"], 0)
                warm = self.run_model(model, KILN_CACHE="require")
                self.assertEqual(warm["cache"]["kernels_compiled"] + warm["cache"]["programs_built"], 0)
                self.assertEqual(warm["cache"]["files"]["absent"], 0)
                self.assertGreater(warm["cache"]["files"]["directory_hits"], 0)
                self.assertEqual(warm["cache"]["files"]["read_only_hits"], 0)
                self.assertGreater(warm["cache"]["files"]["saved_us"], 0)

    def test_a_simulated_device_hits_too(self) -> None:
        model = options.models / "mlp-surrogate"
        command = ("jit-run", model / "model.onnx", "--device=npu", "--inputs", model / "inputs.npz", "--expect", model / "outputs.npz",
                   "--json", "--cache-stats")
        cold = json.loads(self.tool(*command).stdout)["cache"]
        self.assertGreater(cold["kernels_compiled"], 0)
        warm = json.loads(self.tool(*command, KILN_CACHE="require").stdout)["cache"]
        self.assertEqual((warm["kernels_compiled"], warm["programs_built"], warm["files"]["absent"]), (0, 0, 0))

    def test_a_copy_of_the_model_elsewhere_hits(self) -> None:
        self.run_model("mlp-surrogate")
        copy = self.path("renamed.onnx")
        shutil.copyfile(options.models / "mlp-surrogate" / "model.onnx", copy)
        self.run_model("mlp-surrogate", file=copy, KILN_CACHE="require")

    def test_no_compiler_is_needed(self) -> None:
        self.run_model("mlp-surrogate")
        error = self.run_model("magika", code=3, KILN_COMPILER_LIBRARY=RUNTIME_ONLY)["error"]
        self.assertIn("is not installed", error)

    def test_packed_weights_are_found(self) -> None:
        self.run_model("ppocr-cls")
        packed = self.entries("packed")
        self.assertEqual(len(packed), 1)
        weights = self.entries("weight")
        self.assertGreater(len(weights), 0)
        for weight in weights:  # a warm start that has what the prologue made needs no weight that only it reads
            self.assertEqual(weight.stat().st_size % 4096, 16 + (weight.stat().st_size - 16) % 4096)
        self.run_model("ppocr-cls", KILN_CACHE="require")
        packed[0].unlink()
        self.run_model("ppocr-cls", KILN_CACHE="require")  # the prologue runs again

    def test_missing_weights_come_from_the_model(self) -> None:
        self.run_model("ppocr-cls")
        for kind in ("weight", "packed"):
            for entry in self.entries(kind):
                entry.unlink()
        again = self.run_model("ppocr-cls")
        self.assertEqual(again["cache"]["kernels_compiled"], 0)

    def test_a_changed_model_is_another(self) -> None:
        copy = self.path("model.onnx")
        shutil.copyfile(options.models / "mlp-surrogate" / "model.onnx", copy)
        self.run_model("mlp-surrogate", file=copy)
        data = bytearray(copy.read_bytes())
        at = data.rfind(b"\x00\x00")  # somewhere in the weights
        data[at - 40] ^= 1
        copy.write_bytes(data)
        done = self.run_model("mlp-surrogate", file=copy, code=None, KILN_CACHE="require")
        self.assertIn("no cache has it", done.get("error", ""))


class ExternalData(CacheTest):
    def setUp(self) -> None:
        super().setUp()
        self.model = self.path("model.onnx")
        self.model.write_bytes(external_model("w.bin"))
        self.weights([1, 2, 3, 4])

    def weights(self, values: list[float]) -> None:
        self.path("w.bin").write_bytes(struct.pack("<4f", *values))

    def result(self, mode: str = "rw", code: int = 0) -> str:
        done = self.tool("jit-run", self.model, "--device=host", "--input=x=4xf32=1", code=code, KILN_CACHE=mode)
        return done.stdout + done.stderr

    def test_a_model_with_files_beside_it_hits(self) -> None:
        self.assertIn("[1, 2, 3, 4]", self.result())
        self.assertIn("[1, 2, 3, 4]", self.result("require"))

    def test_other_weights_are_another_model(self) -> None:
        self.result()
        self.weights([5, 6, 7, 8])
        self.assertIn("differs in content", self.result("require", code=3))
        self.assertIn("[5, 6, 7, 8]", self.result())
        self.weights([1, 2, 3, 4])
        self.assertIn("[1, 2, 3, 4]", self.result("require"))
        self.path("w.bin").unlink()
        self.assertIn("no cache has it", self.result("require", code=3))
        self.assertIn("w.bin", self.result(code=3))

    def test_a_copy_elsewhere_hits(self) -> None:
        self.result()
        folder = self.path("elsewhere")
        folder.mkdir()
        for name in ("model.onnx", "w.bin"):
            shutil.move(self.path(name), folder / name)
        self.model = folder / "model.onnx"
        self.assertIn("[1, 2, 3, 4]", self.result("require"))


class Keys(CacheTest):
    def test_fifty_processes_give_the_same_keys(self) -> None:
        original = (options.models / "mlp-surrogate" / "model.onnx").read_bytes()
        model, runs = self.path("model.onnx"), []
        for i in range(50):
            self.cache = self.path(f"cache{i % 2}")
            shutil.rmtree(self.cache, ignore_errors=True)
            if i % 5 == 0:  # another file in another place, with names of its own
                model = self.path(f"{i}") / f"model{i}.onnx"
                model.parent.mkdir()
                model.write_bytes(renamed_model(original, f"other{i}.") if i else original)
            self.tool("jit-run", model, "--device=host", "--compile-only", "--shape=input=6x4",
                      **{"PYTHONHASHSEED": str(i), "MALLOC_PERTURB_": str(i % 7), "KILN_HOST_LOADER": ("strict", "orc")[i % 2]})
            runs.append(sorted(path.parent.name + path.stem for path in self.entries("kernel")))
        self.assertTrue(runs[0])
        for i, keys in enumerate(runs):
            self.assertEqual(keys, runs[0], f"run {i}")
        print(f"{len(runs)} runs gave these kernel keys:", *runs[0], sep="\n  ", file=sys.stderr)

    def test_other_names_and_locations_give_the_same_kernels(self) -> None:
        text = ("func.func @main(%{a}: tensor<4x8xf32>) -> tensor<4x8xf32> {{\n"
                "  %{b} = kiln.exp %{a} : tensor<4x8xf32>\n  %{c} = kiln.mul %{b}, %{a} : tensor<4x8xf32>, tensor<4x8xf32> "
                "-> tensor<4x8xf32>\n  return %{c} : tensor<4x8xf32>\n}}\n")
        keys = []
        for i, (folder, names) in enumerate((("x", "abc"), ("y/z", "xyz"))):
            self.cache = self.path(f"cache{i}")
            file = self.path(folder) / f"model{i}.mlir"
            file.parent.mkdir(parents=True)
            file.write_text("\n" * i + text.format(a=names[0], b=names[1], c=names[2]))
            self.tool("jit-run", file, "--device=host")
            keys.append(sorted(path.name for path in self.entries("kernel")))
        self.assertTrue(keys[0])
        self.assertEqual(keys[0], keys[1])

    def test_a_miss_under_require_names_the_fields(self) -> None:
        model = options.models / "mlp-surrogate" / "model.onnx"
        self.tool("jit-run", model, "--compile-only", "--device=host:cpu=x86-64-v4", "--shape=input=6x4")
        error = self.run_model("mlp-surrogate", KILN_HOST_CPU="x86-64-v3", KILN_CACHE="require", code=3)["error"]
        self.assertIn("KILN_CACHE=require", error)
        self.assertRegex(error, "differs in .*features")


class Shapes(CacheTest):
    MODEL = ("func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n  %y = kiln.exp %x : tensor<?x8xf32>\n"
             "  return %y : tensor<?x8xf32>\n}\n")

    def test_compile_only_serves_every_extent(self) -> None:
        file = self.path("dynamic.mlir")
        file.write_text(self.MODEL)
        self.tool("jit-run", file, "--device=host", "--compile-only", "--shape", "input0=5x8")
        extents = [5, 9, 33, 2, 7]
        random.Random(5).shuffle(extents)
        for extent in extents:
            self.tool("jit-run", file, "--device=host", "--shape", f"input0={extent}x8", KILN_CACHE="require")
        self.tool("jit-run", file, "--device=host", "--shape", "input0=1x8", code=3, KILN_CACHE="require")

    def test_a_history_in_another_order_hits(self) -> None:
        file = self.path("dynamic.mlir")
        file.write_text(self.MODEL)
        extents = ["5x8", "1x8", "9x8", "17x8"]
        self.tool("jit-run", file, "--device=host", "--shape", "input0=" + ",".join(extents))
        for seed in range(5):
            random.Random(seed).shuffle(extents)
            self.tool("jit-run", file, "--device=host", "--shape", "input0=" + ",".join(extents), KILN_CACHE="require")


class Hostile(CacheTest):
    def test_unsafe_folders_are_not_used(self) -> None:
        self.cache.mkdir()
        self.cache.chmod(0o777)
        done = self.tool("jit-run", options.models / "mlp-surrogate" / "model.onnx", "--device=host", "--shape=input=6x4")
        self.assertIn("writable by group or others", done.stderr)
        self.assertEqual(list(self.cache.iterdir()), [path for path in self.cache.iterdir() if path.name == "preflight"])

    def test_damaged_entries_are_made_again(self) -> None:
        self.run_model("mlp-surrogate")
        generator = random.Random(3)
        for _ in range(12):
            for kind in ("kernel", "program", "model", "packed"):
                for path in self.entries(kind):
                    data = bytearray(path.read_bytes())
                    data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
                    path.write_bytes(data)
            self.run_model("mlp-surrogate")
        self.assertTrue(list((self.cache / "v1" / "bad").iterdir()))

    def test_acts_of_vandals(self) -> None:
        """Whatever is done to the folder, the results are right and the run does not fail."""
        acts = 1000 if os.environ.get("KILN_TEST_FULL") else 40
        for seed in range(acts):
            if seed % 50 == 0:
                shutil.rmtree(self.cache, ignore_errors=True)
                self.run_model("mlp-surrogate")
            chance = random.Random(seed)
            done = [vandalize(self.cache, chance) for _ in range(chance.randint(1, 3))]
            with self.subTest(seed=seed, acts=done):
                self.assertTrue(self.run_model("mlp-surrogate")["ok"])

    def test_kernels_for_other_features_never_run(self) -> None:
        """A cache from a machine with other features: misses, and entries that are passed off as ours are turned down."""
        model = options.models / "mlp-surrogate" / "model.onnx"
        self.tool("jit-run", model, "--compile-only", "--device=host:cpu=x86-64-v4", "--shape=input=6x4")
        foreign = self.entries()
        report = self.run_model("mlp-surrogate", KILN_HOST_CPU="x86-64-v3")
        self.assertGreater(report["cache"]["kernels_compiled"], 0)
        own = [path for path in self.entries() if path not in foreign]
        for path in own:  # the file of a v4 kernel under the key of ours: its key gives it away
            shutil.copyfile(foreign[0], path)
        report = self.run_model("mlp-surrogate", KILN_HOST_CPU="x86-64-v3")
        self.assertEqual(report["cache"]["files"]["damaged"], len(own))
        self.assertEqual(report["cache"]["kernels_compiled"], len(own))

    def test_entries_are_private(self) -> None:
        self.run_model("mlp-surrogate")
        for path in self.cache.rglob("*"):
            if "preflight" not in path.parts:
                self.assertEqual(stat.S_IMODE(path.stat().st_mode) & 0o077, 0, path)

    def test_a_pure_hit_locks_no_file(self) -> None:
        model = options.models / "mlp-surrogate"
        command = [str(options.build / "bin" / "jit-run"), str(model / "model.onnx"), "--device=host", "--inputs",
                   str(model / "inputs.npz")]
        environment = {**os.environ, "KILN_CACHE": "rw", "KILN_CACHE_DIR": str(self.cache)}
        cold = subprocess.run(command, capture_output=True, env=environment, preexec_fn=kill_on_file_locks)
        self.assertEqual(cold.returncode, -signal.SIGSYS, "a miss takes turns under a lock, which this test must notice")
        self.run_model("mlp-surrogate")
        for mode in ("rw", "ro", "require"):
            warm = subprocess.run(command, capture_output=True, text=True, env={**environment, "KILN_CACHE": mode},
                                  preexec_fn=kill_on_file_locks)
            self.assertEqual(warm.returncode, 0, f"{mode}: {warm.stdout}{warm.stderr}")

    def test_sixteen_processes_compile_once(self) -> None:
        model = options.models / "mlp-surrogate"
        command = [str(options.build / "bin" / "jit-run"), str(model / "model.onnx"), "--device=host", "--inputs",
                   str(model / "inputs.npz"), "--expect", str(model / "outputs.npz"), "--json", "--cache-stats"]
        environment = {**os.environ, "KILN_CACHE": "rw", "KILN_CACHE_DIR": str(self.cache)}
        racing = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
                  for _ in range(16)]
        reports = [json.loads(process.communicate()[0]) for process in racing]
        kernels = len(self.entries())
        self.assertEqual(sum(report["cache"]["kernels_compiled"] for report in reports), kernels)
        self.assertEqual(sum(report["cache"]["programs_built"] for report in reports), 1)


class Tool(CacheTest):
    def test_commands(self) -> None:
        self.run_model("mlp-surrogate")
        stats = json.loads(self.tool("jit-cache", "stats", "--json").stdout)
        self.assertGreater(stats["entries"], 3)
        self.assertIn("kernel", self.tool("jit-cache", "stats").stdout)
        key = json.loads(self.tool("jit-cache", "ls", "--json", "--kind=kernel").stdout)["entries"][0]["key"]
        inspected = json.loads(self.tool("jit-cache", "inspect", key[:12], "--json", "--payload", self.path("p")).stdout)
        self.assertTrue(inspected["verified"])
        self.assertIn("ir", inspected["fields"])
        self.assertEqual(self.path("p").stat().st_size, inspected["payload_bytes"])
        self.assertIn(key[:12], self.tool("jit-cache", "ls").stdout)
        self.assertIn("hold", self.tool("jit-cache", "verify").stdout)
        self.assertIn("0 entries evicted", self.tool("jit-cache", "gc").stdout)
        self.tool("jit-cache", "pack", self.path("all.kpack"))
        self.assertIn("removed", self.tool("jit-cache", "clear").stdout)
        self.assertEqual(json.loads(self.tool("jit-cache", "stats", "--json").stdout)["entries"], 0)
        # The pack as a layer, then unpacked.
        self.path("all.kpack").chmod(0o600)
        self.run_model("mlp-surrogate", KILN_CACHE="require", KILN_CACHE_READ=str(self.path("all.kpack")))
        self.tool("jit-cache", "unpack", self.path("all.kpack"))
        self.run_model("mlp-surrogate", KILN_CACHE="require")
        self.assertIn("entries evicted", self.tool("jit-cache", "gc", "--size=1K").stdout)

    def test_verify_finds_and_repairs(self) -> None:
        self.run_model("mlp-surrogate")
        victim = self.entries()[0]
        data = bytearray(victim.read_bytes())
        data[-30] ^= 4
        victim.write_bytes(data)
        self.assertIn("checksum", self.tool("jit-cache", "verify", code=1).stdout)
        self.assertTrue(victim.exists())
        self.tool("jit-cache", "verify", "--repair", code=1)
        self.assertFalse(victim.exists())
        self.tool("jit-cache", "verify")

    def test_explain(self) -> None:
        model = options.models / "mlp-surrogate" / "model.onnx"
        self.tool("jit-run", model, "--compile-only", "--device=host:cpu=x86-64-v3", "--shape=input=6x4")
        first = {path.name for path in self.entries()}
        self.tool("jit-run", model, "--compile-only", "--device=host:cpu=x86-64-v4", "--shape=input=6x4")
        new = [path for path in self.entries() if path.name not in first]
        key = new[0].parent.name + new[0].stem[:12]
        self.assertIn("their keys differ in", self.tool("jit-cache", "explain", key).stdout)
        self.assertIn("features", json.loads(self.tool("jit-cache", "explain", key, "--json").stdout)["differs_in"])

    def explain(self, *arguments: object, code: int = 0) -> dict:
        model = options.models / "mlp-surrogate" / "model.onnx"
        return json.loads(self.tool("jit-cache", "explain", model, "--json", *arguments, code=code).stdout)

    def test_explain_says_what_a_model_would_not_find(self) -> None:
        self.cache.mkdir(mode=0o700)
        (self.cache / "v1").mkdir(mode=0o700)
        empty = self.explain("--device=null", "--shape=input=6x4", code=1)
        self.assertEqual({miss["kind"] for miss in empty["missing"]}, {"model", "program", "kernel"})
        self.assertEqual({miss["reason"] for miss in empty["missing"]}, {"absent"})
        model = options.models / "mlp-surrogate" / "model.onnx"
        self.tool("jit-run", model, "--compile-only", "--device=host:cpu=x86-64-v3", "--shape=input=6x4")
        there = self.explain("--device=host:cpu=x86-64-v3", "--shape=input=6x4")
        self.assertEqual(there["missing"], [])
        self.assertEqual(there["looked_up"][0]["program"], "exact")
        self.assertEqual(there["looked_up"][0]["kernels"], there["looked_up"][0]["kernels_there"])
        self.assertEqual(self.explain("--device=host:cpu=x86-64-v3", "--shape=input=7x4")["looked_up"][0]["program"], "dynamic")
        other = self.explain("--device=host:cpu=x86-64-v4", "--shape=input=6x4", code=1)
        differing = {miss["kind"]: miss["differs_in"] for miss in other["missing"]}
        self.assertEqual(differing["program"], ["arch", "features"])
        self.assertIn("features", " ".join(differing["kernel"]))
        shape = self.explain("--device=host:cpu=x86-64-v3", "--shape=input=1x4", code=1)
        self.assertEqual([miss["differs_in"] for miss in shape["missing"] if miss["kind"] == "program"], [["input-0"]])
        text = self.tool("jit-cache", "explain", model, "--device=host:cpu=x86-64-v4", "--shape=input=6x4", code=1).stdout
        self.assertRegex(text, "missing: program .* absent; the nearest, .* differs in arch, features")
        self.assertIn("program missing, 0 of ", text)

    def test_explain_refuses_what_is_wrong(self) -> None:
        self.cache.mkdir(mode=0o700)
        (self.cache / "v1").mkdir(mode=0o700)
        model = options.models / "mlp-surrogate" / "model.onnx"
        self.assertIn("nowhere", self.tool("jit-cache", "explain", model, "--device=nowhere", code=3).stderr)
        self.assertIn("'y'", self.tool("jit-cache", "explain", model, "--shape=y=1x4", code=3).stderr)
        self.assertIn("cpu", self.tool("jit-cache", "explain", model, "--device=host:cpu=x86-64-v9", code=3).stderr)

    def test_cache_stats_list_misses_with_reasons(self) -> None:
        self.run_model("mlp-surrogate", KILN_HOST_CPU="x86-64-v3")
        for entry in self.entries("kernel"):
            data = bytearray(entry.read_bytes())
            data[-20] ^= 1
            entry.write_bytes(data)
        model = options.models / "mlp-surrogate"
        done = self.tool("jit-run", model / "model.onnx", "--device=host", "--inputs", model / "inputs.npz", "--cache-stats",
                         KILN_HOST_CPU="x86-64-v3")
        self.assertRegex(done.stdout, "cache miss: kernel '.*' \\([0-9a-f]{12}\\): damaged: .*checksum")

    def test_bad_command_lines(self) -> None:
        self.cache.mkdir(mode=0o700)
        (self.cache / "v1").mkdir(mode=0o700)
        self.assertIn("unknown command 'frobnicate'", self.tool("jit-cache", "frobnicate", code=2).stderr)
        self.assertIn("inspect: 0 operands", self.tool("jit-cache", "inspect", code=2).stderr)
        self.assertIn("no entry", self.tool("jit-cache", "inspect", "ffff", code=3).stderr)
        self.assertIn("'much'", self.tool("jit-cache", "gc", "--size=much", code=3).stderr)
        self.assertIn("nowhere", self.tool("jit-cache", "stats", "--dir=/nowhere", code=3).stderr)
        self.assertIn("absent.kpack", self.tool("jit-cache", "unpack", "absent.kpack", code=3).stderr)

    def test_dump_and_override(self) -> None:
        dump = self.path("dump")
        self.run_model("mlp-surrogate", KILN_CACHE_DUMP=str(dump))
        dumped = list(dump.iterdir())
        self.assertEqual({path.stem for path in dumped}, {path.parent.name + path.stem for path in self.entries()})
        self.tool("jit-cache", "clear")
        self.run_model("mlp-surrogate", KILN_CACHE_OVERRIDE=str(dump))
        self.assertEqual(self.entries(), [], "kernels that are overridden are not compiled")


if __name__ == "__main__":
    main()
