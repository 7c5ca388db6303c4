#!/usr/bin/env python3
# test_foo.py: a stranger's backend from its sources to its users: built against an installed Kiln, found in each way.
"""usage: test_foo.py --kiln BUILD_OF_KILN --cxx CXX --cc CC --work DIR: installs Kiln below DIR, builds foo there, tries it."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
RESULT = "[1.0, 3.0, 5.0, 7.0]"
CLAMP = """func.func @f(%x: f32, %low: f32, %high: f32) -> f32 {
  %m = arith.minimumf %x, %high : f32
  %y = arith.maximumf %m, %low : f32
  return %y : f32
}
"""
F64 = """func.func @main(%x: tensor<4xf64>) -> tensor<4xf64> {
  %y = kiln.exp %x : tensor<4xf64>
  return %y : tensor<4xf64>
}
"""


def run(*command: object, expect: int = 0, **kwargs: object) -> str:
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, **kwargs)  # type: ignore[call-overload]
    if result.returncode != expect:
        print(f"$ {' '.join(map(str, command))}\n{result.stdout[-6000:]}{result.stderr[-6000:]}")
        sys.exit(f"exit {result.returncode}; expected {expect}")
    return result.stdout + result.stderr


def check(condition: bool, what: str) -> None:
    if not condition:
        sys.exit(f"test_foo: {what}")


# The passes of the reference lowering, which only backends that use it register: a function, what it becomes (a line is a
# pattern), what it must not touch.
REFERENCE_PASSES = {
    "kiln-reference-record-signature": (
        "kiln.kernel @k(%x: tensor<4xui8>) -> tensor<4xui8> {\n  kiln.yield %x : tensor<4xui8>\n}\n"
        "func.func @f(%x: tensor<4xui8>) {\n  return\n}",
        [r"kiln.kernel @k.* attributes \{kiln.signature = \(tensor<4xui8>\) -> tensor<4xui8>\}", r"func.func @f\(%\w+: tensor<4xui8>\) \{"],
    ),
    "kiln-reference-protect-inputs": (
        "func.func @k(%x: tensor<4xf32>, %n: index, %m: memref<4xf32>) attributes {kiln.kernel} {\n  return\n}",
        [r"%\w+: tensor<4xf32> \{bufferization.writable = false\}, %\w+: index, %\w+: memref<4xf32>\)"],
    ),
    "kiln-reference-copies-to-loops": (
        "func.func @k(%a: memref<4x8xf32, strided<[16, 1]>>, %b: memref<4x8xf32>, %c: f32, %i: index) {\n"
        "  memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>\n"
        "  memref.store %c, %b[%i, %i] : memref<4x8xf32>\n  return\n}",
        [r"linalg.generic .*iterator_types = \[.parallel., .parallel.\].*ins\(%arg0 .*outs\(%arg1 ", r"linalg.yield %in : f32",
         r"memref.store %arg2, %arg1\[%arg3, %arg3\]"],
    ),
    "kiln-reference-expand-math": (
        "func.func @k(%x: f32) -> (f32, f32) {\n  %y = math.rsqrt %x : f32\n  %z = math.exp %x : f32\n"
        "  return %y, %z : f32, f32\n}",
        [r"%\[?\w+ = arith.constant 1", r"%\w+ = math.sqrt %arg0 : f32", r"arith.divf %\w+, %\w+ : f32", r"math.exp %arg0 : f32"],
    ),
    "kiln-reference-entry-point": (
        "func.func @k(%x: memref<?xf32>, %n: index, %o: memref<?x4xf32>) attributes {kiln.kernel} {\n  return\n}\n"
        "func.func @helper(%x: memref<?xf32>) {\n  return\n}",
        [r"func.func @k\(%arg0: !llvm.ptr, %arg1: !llvm.ptr\) attributes \{kiln.kernel\}", r"call @k_body\(",
         r"func.func private @k_body\(%arg0: memref<\?xf32>, %arg1: index, %arg2: memref<\?x4xf32>\) \{",
         r"func.func @helper\(%arg0: memref<\?xf32>\) \{"],
    ),
}


class Foo:
    """One installation of Kiln and one build of foo."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.work: pathlib.Path = arguments.work
        self.prefix = self.work / "prefix"
        self.source = self.work / "foo"
        self.backends = self.source / "build/lib/kiln/backends.d"
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("KILN_")}
        self.environment["KILN_CACHE_DIR"] = str(self.work / "cache")

    def tool(self, name: str, *words: object, expect: int = 0, **variables: str) -> str:
        return run(self.prefix / "bin" / name, *words, expect=expect, env=self.environment | variables)

    def build(self, arguments: argparse.Namespace) -> None:
        shutil.rmtree(self.work, ignore_errors=True)
        run("cmake", "--install", arguments.kiln, "--prefix", self.prefix, "--strip")
        shutil.copytree(HERE, self.source)  # nothing of Kiln's tree is near
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        run("cmake", "-S", self.source, "-B", self.source / "build", "-G", "Ninja", "-DCMAKE_UNITY_BUILD=ON",
            f"-DCMAKE_CXX_COMPILER={arguments.cxx}", f"-DCMAKE_C_COMPILER={arguments.cc}",
            f"-DKiln_DIR={self.prefix / 'lib/cmake/Kiln'}", "-DCMAKE_BUILD_TYPE=Release", *launcher)
        run("ninja", "-C", self.source / "build", "-j", "2")
        linked = run("ldd", self.backends / "libkiln_foo.so")
        check("kiln" not in linked.split("\n", 1)[0] and "LLVM" not in linked, f"the runtime tier links {linked}")

    def path(self) -> None:
        """Found through KILN_BACKEND_PATH; options, explain, the limit, the extension of host, jit-opt."""
        path = {"KILN_BACKEND_PATH": str(self.backends)}
        check(" foo:0 " in self.tool("jit-info", "devices", **path).replace("\n", " \n "), "jit-info devices has no foo:0")
        self.tool("jit-info", "validate", self.backends / "foo.kiln.json")
        explained = self.tool("jit-info", "explain", "foo-sim", **path)
        check("state        READY" in explained and "extends      after stage 'graph' of 'host'" in explained, explained)
        refused = self.tool("jit-info", "explain", "foo", expect=1, KILN_FOO_MEMORY_MIB="0", **path)
        check("KILN_FOO_MEMORY_MIB: '0' is out of range; expected 1 to 65536" in refused, refused)
        report = json.loads(self.tool("jit-info", "doctor", "--json", **path))
        mine = next(backend for backend in report["backends"] if backend["name"] == "foo")
        check(mine["state"] == "READY" and mine["trial"]["compiler"]["state"] == "READY", str(mine))

        passes = json.loads(self.tool("jit-info", "passes", "--json", **path))["passes"]
        stages = {(p["target"], p["stage"], p["pass"]) for p in passes}
        for expected in (("foo", "tensor", "foo-refuse-f64"), ("foo", "tile", "foo-form-clamp"),
                         ("foo", "lower", "foo-expand-clamp"), ("host", "graph", "foo-count-ops")):
            check(expected in stages, f"jit-info passes lacks {expected}")
        ours = [p for p in passes if p["pass"].startswith(("kiln-", "foo-"))]
        unexplained = [p["pass"] for p in ours if not p["summary"]]
        check(not unexplained, f"jit-info passes has no summary of {unexplained}")
        clamp = self.work / "clamp.mlir"
        clamp.write_text(CLAMP)
        formed = self.tool("jit-opt", clamp, "--foo-form-clamp", **path)
        check("foo.clamp %arg0 to %arg1, %arg2 : f32" in formed, formed)
        (self.work / "formed.mlir").write_text(formed)
        check("arith.maximumf" in self.tool("jit-opt", self.work / "formed.mlir", "--foo-expand-clamp", **path), "expand")

        planned = self.tool("jit-opt", self.work / "formed.mlir", "--kiln-plan-memory", **path)
        check("kiln.peak_bytes = {}" in planned, f"the passes over pipes do not know foo's machine:\n{planned}")

        broken = self.work / "broken.mlir"
        broken.write_text(CLAMP.replace("arith.minimumf %x, %high", "foo.clamp %x to %low, %x, %high"))
        said = self.tool("jit-opt", broken, expect=3, **path)
        check("broken.mlir:2:" in said, f"jit-opt does not place an error of the dialect: {said}")
        check(",foo," in self.tool("jit-opt", "--show-dialects", **path), "jit-opt lists no dialect foo")
        check(",foo," not in self.tool("jit-opt", "--show-dialects"), "foo without its folder")
        self.language_server()

        f64 = self.work / "f64.mlir"
        f64.write_text(F64)
        said = self.tool("jit-run", f64, "--device=foo", expect=3, **path)
        check("'kiln.exp' on f64, which the device foo has not" in said and "kiln.yield" not in said, said)
        check("f64.mlir:2:" in said and "kernel:1:0" not in said, f"the model's line is not named: {said}")
        check("foo.op_count = " in self.tool("jit-run", f64, "--device=host", "--emit=graph", **path),
              "foo's pass did not run in stage graph of host")
        check("foo.op_count" not in self.tool("jit-run", f64, "--device=host", "--emit=graph"), "without foo")

    def reference_passes(self) -> None:
        """jit-opt has the passes of the reference lowering, one by one."""
        for argument, (text, expected) in REFERENCE_PASSES.items():
            source = self.work / f"{argument}.mlir"
            source.write_text(text)
            made = self.tool("jit-opt", source, f"--{argument}", KILN_BACKEND_PATH=str(self.backends))
            for pattern in expected:
                check(re.search(pattern, made) is not None, f"{argument}: no {pattern} in\n{made}")
            for gone in ("memref.copy", "math.rsqrt"):
                check(gone not in made, f"{argument}: {gone} is left in\n{made}")

    def language_server(self) -> None:
        """An editor's session: foo's op is known, its documentation is shown, an error stands at its line."""
        server = subprocess.Popen([self.prefix / "bin/jit-lsp-server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, env=self.environment | {"KILN_BACKEND_PATH": str(self.backends)})
        assert server.stdin and server.stdout
        numbers = iter(range(1, 100))

        def send(method: str, params: object, asks: bool = True) -> dict[str, Any]:
            message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
            if asks:
                message["id"] = next(numbers)
            body = json.dumps(message).encode()
            server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]
            while asks:
                if (reply := receive()).get("id") == message["id"]:
                    return reply
            return {}

        def receive() -> dict[str, Any]:
            size = 0
            while line := server.stdout.readline().strip():  # type: ignore[union-attr]
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            check(size > 0, "the language server ended")
            return json.loads(server.stdout.read(size))  # type: ignore[union-attr, no-any-return]

        def diagnostics(name: str, text: str) -> list[dict[str, Any]]:
            document = {"uri": f"file:///{name}.mlir", "languageId": "mlir", "version": 1, "text": text}
            send("textDocument/didOpen", {"textDocument": document}, asks=False)
            while (message := receive()).get("method") != "textDocument/publishDiagnostics":
                pass
            return message["params"]["diagnostics"]  # type: ignore[no-any-return]

        send("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        formed = CLAMP.replace("arith.minimumf %x, %high", "foo.clamp %x to %low, %high")
        check(diagnostics("sound", formed) == [], "the language server does not know foo.clamp")
        at = {"textDocument": {"uri": "file:///sound.mlir"}, "position": {"line": 1, "character": 10}}
        hover = json.dumps(send("textDocument/hover", at))
        check("foo.clamp" in hover, f"hovering shows {hover}")
        found = diagnostics("broken", formed.replace(" : f32\n  %y", " : i32\n  %y"))
        check(bool(found) and found[0]["range"]["start"]["line"] == 1, f"diagnostics: {found}")
        send("shutdown", None)
        send("exit", None, asks=False)
        check(server.wait(timeout=60) == 0, "the language server's exit code")

    def conformance(self) -> None:
        print(run("ctest", "--test-dir", self.source / "build", "-V", "--no-tests=error").split("conformance: ")[-1]
              .split("\n")[0])

    def wheel(self) -> None:
        """Found after pip install, by a process that hands site-packages/kiln_backends to the C API."""
        wheel = run(sys.executable, self.source / "make_wheel.py", self.backends, self.work / "dist").strip()
        venv = self.work / "venv"
        run(sys.executable, "-m", "venv", venv)
        python, library = venv / "bin/python", self.prefix / "lib/libkiln_runtime.so"
        client = [python, self.source / "kiln_client.py", library]
        check("foo:0" not in run(*client, "devices", env=self.environment), "foo is there before pip")
        run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", wheel)
        packages = next((venv / "lib").glob("python*/site-packages/kiln_backends"))
        check(not list(packages.rglob("*.py")), "the wheel has code that an import would run")
        check("foo:0" in run(*client, "devices", env=self.environment), "foo is not found in site-packages")
        check("foo:0" not in run(*client, "devices", env=self.environment | {"KILN_BACKEND_AUTOLOAD": "0"}), "autoload off")
        killed = run(*client, "kill", "foo", env=self.environment).splitlines()
        check(killed[0] == killed[3] == killed[4] == RESULT, f"results: {killed}")
        for line in killed[1:3]:
            check(line.startswith("UNAVAILABLE: ") and "device 'foo:0': its server foo-server (process " in line
                  and "was killed by SIGKILL" in line, f"after the kill: {killed}")

    def system(self) -> None:
        """Found in /usr/share/kiln/backends.d, which a mount namespace fills for this test."""
        unshare = ["unshare", "--user", "--map-root-user", "--mount"] if os.getuid() else ["unshare", "--mount"]
        if subprocess.run([*unshare, "true"], capture_output=True).returncode:
            print("/usr/share: left out: this system does not let a test make a mount namespace")
            return
        script = (f"mount -t tmpfs none /usr/share && mkdir -p /usr/share/kiln/backends.d && "
                  f"cp {self.backends}/* /usr/share/kiln/backends.d && {self.prefix}/bin/jit-info explain foo")
        said = run(*unshare, "sh", "-ec", script, env=self.environment)
        check("manifest     /usr/share/kiln/backends.d/foo.kiln.json" in said and "state        READY" in said, said)


def main() -> None:
    parser = argparse.ArgumentParser()
    for flag in ("--kiln", "--cxx", "--cc", "--work"):
        parser.add_argument(flag, required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    foo = Foo(arguments)
    foo.build(arguments)
    for part in (foo.path, foo.reference_passes, foo.wheel, foo.system, foo.conformance):
        part()
    print("foo: built, found in four places, killed and opened again")


if __name__ == "__main__":
    main()
