# cache_case.py: a test case with a cache folder of its own, and jit-run and jit-cache over it.
"""What test_folders.py and test_bundles.py share."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

options = argparse.Namespace()
RUNTIME_ONLY = "/nonexistent/libkiln_compiler.so"  # for KILN_COMPILER_LIBRARY: as if no compiler were installed


class CacheTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="kiln-cache-cli-")
        self.addCleanup(self.folder.cleanup)
        self.cache = pathlib.Path(self.folder.name) / "cache"

    def path(self, name: str) -> pathlib.Path:
        return pathlib.Path(self.folder.name) / name

    def tool(self, name: str, *arguments: object, code: int | None = 0, **variables: str) -> subprocess.CompletedProcess:
        environment = {**os.environ, "KILN_CACHE": "rw", "KILN_CACHE_DIR": str(self.cache), **variables}
        done = subprocess.run([str(options.build / "bin" / name), *map(str, arguments)], capture_output=True, text=True,
                              env=environment)
        if code is not None:
            self.assertEqual(done.returncode, code, f"{name} {arguments}\n{done.stdout}{done.stderr}")
        return done

    def run_model(self, name: str, *arguments: object, file: pathlib.Path | None = None, code: int | None = 0,
                  **variables: str) -> dict:
        model = options.models / name
        done = self.tool("jit-run", file or model / "model.onnx", "--device=host", "--inputs", model / "inputs.npz", "--expect",
                         model / "outputs.npz", "--json", "--cache-stats", *arguments, code=code, **variables)
        return json.loads(done.stdout) if done.stdout else {"error": done.stderr}

    def entries(self, kind: str = "kernel") -> list[pathlib.Path]:
        listing = json.loads(self.tool("jit-cache", "ls", "--json", f"--kind={kind}").stdout)
        return [self.cache / "v1" / entry["path"] for entry in listing["entries"]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    _, rest = parser.parse_known_args(namespace=options)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
