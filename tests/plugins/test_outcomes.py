#!/usr/bin/env python3
# test_outcomes.py: every deliberately bad backend as a user meets it: what jit-info says, and that others go on.
"""The rows of outcomes.json are made in a folder of their own and shown to jit-info; docs/reference/bad-plugins.md is
written from the same rows.

usage: test_outcomes.py --build DIR --autoload-tests PROGRAM    run every row
       test_outcomes.py --write | --check                       write or compare the page"""

import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/reference/bad-plugins.md"
ROWS = json.loads((HERE / "outcomes.json").read_text(encoding="utf-8"))

Row = dict[str, object]


def page() -> str:
    lines = [
        "# What becomes of bad backends",
        "",
        "<!-- Written by tests/plugins/test_outcomes.py --write from tests/plugins/outcomes.json; do not edit. -->",
        "",
        "Each row is a test: the backend is made, `jit-info` is asked, and a sound backend beside it must go on. `STATE` is what",
        "`jit-info backends --load` shows; the text is what `jit-info explain NAME` says.",
        "",
        "| backend | state | what is said |",
        "|---|---|---|",
    ]
    for row in ROWS:
        says = str(row["says"]).replace("|", "\\|")
        said = "" if not says else says if "test" in row else f"`{says}`"
        if "warns" in row:
            said = f"warning: `{row['warns']}`"
        lines.append(f"| {row['case']} | `{row['state']}` | {said} |")
    return "\n".join(lines) + "\n"


def pointer_parent(manifest: object, pointer: str) -> tuple[object, object]:
    parts = [int(part) if part.isdigit() else part for part in pointer.split("/")[1:]]
    for part in parts[:-1]:
        manifest = manifest[part]  # type: ignore[index]
    return manifest, parts[-1]


# What a row's "make" does to its folder, beyond copying and editing.
def shadowed(folder: pathlib.Path, name: str) -> None:
    shutil.copy(folder / f"{name}.kiln.json", folder / f"{name}-again.kiln.json")


def twin(folder: pathlib.Path, name: str) -> None:
    manifest = json.loads((folder / f"{name}.kiln.json").read_text())
    manifest["name"] = "twin"
    manifest["devices"] = [{"type": "twin"}]
    (folder / "twin.kiln.json").write_text(json.dumps(manifest))


def library(folder: pathlib.Path, name: str) -> pathlib.Path:
    return folder / f"libkiln_{name}.so"


def no_library(folder: pathlib.Path, name: str) -> None:
    library(folder, name).unlink()


def text_library(folder: pathlib.Path, name: str) -> None:
    library(folder, name).write_text("INPUT(libother.so)\n")


def cut_library(folder: pathlib.Path, name: str) -> None:
    library(folder, name).write_bytes(library(folder, name).read_bytes()[:100])


def symlink_loop(folder: pathlib.Path, name: str) -> None:
    no_library(folder, name)
    (folder / "loop").symlink_to(library(folder, name).name)
    library(folder, name).symlink_to("loop")


def bad(folder: pathlib.Path) -> pathlib.Path:
    return folder / "bad.kiln.json"


def fifo_library(folder: pathlib.Path, name: str) -> None:
    no_library(folder, name)
    os.mkfifo(library(folder, name))


def folder_library(folder: pathlib.Path, name: str) -> None:
    no_library(folder, name)
    library(folder, name).mkdir()


def empty_library(folder: pathlib.Path, name: str) -> None:
    library(folder, name).write_bytes(b"")


def change(folder: pathlib.Path, name: str, edit: Callable[[dict[str, Any]], None]) -> None:
    path = folder / f"{name}.kiln.json"
    manifest = json.loads(path.read_text())
    edit(manifest)
    path.write_text(json.dumps(manifest))


def long_default(folder: pathlib.Path, name: str) -> None:
    option = {"type": "string", "default": "x" * 500_000, "help": "h"}
    change(folder, name, lambda manifest: manifest["options"].update(text=option))


def many_devices(folder: pathlib.Path, name: str) -> None:
    change(folder, name, lambda manifest: manifest["devices"].extend({"type": f"d{i}"} for i in range(20_000)))


def deep(folder: pathlib.Path, _: str) -> None:
    bad(folder).write_text("[" * 100_000)


def huge(folder: pathlib.Path, _: str) -> None:
    bad(folder).write_text("{" + " " * (1 << 20) + "}")


def latin1(folder: pathlib.Path, _: str) -> None:
    bad(folder).write_bytes(b'{"name": "caf\xe9"}')


def nul_behind(folder: pathlib.Path, _: str) -> None:
    bad(folder).write_bytes(b'{"manifest": 1}\0\0')


def socket_file(folder: pathlib.Path, _: str) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(bad(folder)))


def device_file(folder: pathlib.Path, _: str) -> None:
    bad(folder).symlink_to("/dev/zero")


def unreadable(folder: pathlib.Path, _: str) -> None:
    bad(folder).write_text("{}")
    bad(folder).chmod(0)


def fifo(folder: pathlib.Path, _: str) -> None:
    os.mkfifo(bad(folder))


def folder(where: pathlib.Path, _: str) -> None:
    bad(where).mkdir()


def dangling(folder: pathlib.Path, _: str) -> None:
    bad(folder).symlink_to("nowhere")


def ten_thousand(folder: pathlib.Path, _: str) -> None:
    for i in range(10_000):
        manifest = {"manifest": 1, "name": f"x{i}", "version": "1", "library": "libx.so",
                    "devices": [{"type": f"x{i}", "kind": "software", "probe": {"file": "/nowhere"}}]}
        (folder / f"x{i}.kiln.json").write_text(json.dumps(manifest))


MAKERS = {maker.__name__: maker for maker in (shadowed, twin, no_library, text_library, cut_library, symlink_loop, fifo_library, folder_library,
                                              empty_library, long_default, many_devices, nul_behind, socket_file,
                                              device_file, unreadable, deep, huge,
                                              latin1, fifo, folder, dangling, ten_thousand)}


class Suite:
    """Runs rows against one build; counts what does not hold."""

    def __init__(self, build: pathlib.Path, work: pathlib.Path) -> None:
        self.build, self.work, self.failures = build, work, 0
        self.good = work / "sound"
        shutil.copytree(build / "tests/plugins/good", self.good)
        # The sound backend beside each bad one: under another name than the copies that rows make.
        manifest = json.loads((build / "tests/plugins/calls_back/calls_back.kiln.json").read_text())
        shutil.rmtree(self.good)
        self.good.mkdir()
        (self.good / "calls_back.kiln.json").write_text(json.dumps(manifest))
        shutil.copy(build / "tests/plugins/calls_back/libkiln_calls_back.so", self.good)

    def expect(self, row: Row, condition: bool, what: str) -> None:
        if not condition:
            self.failures += 1
            print(f"{row['case']}: {what}")

    def jit_info(self, row: Row, folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("KILN_")}
        environment |= {"KILN_BACKEND_PATH": f"{folder}:{self.good}", "KILN_CACHE_DIR": str(self.work / "cache"),
                        **row.get("env", {})}  # type: ignore[dict-item]
        return subprocess.run([self.build / "bin/jit-info", *words], capture_output=True, text=True, errors="replace",
                              env=environment, timeout=120)

    def make(self, row: Row, folder: pathlib.Path) -> str:
        """Makes the row's backend; gives its name."""
        name = str(row.get("plugin", "bad"))
        folder.mkdir()
        if "plugin" in row:
            shutil.copytree(self.build / "tests/plugins" / name, folder, dirs_exist_ok=True)
            path = folder / f"{name}.kiln.json"
            manifest = json.loads(path.read_text())
            for pointer, value in row.get("set", {}).items():  # type: ignore[union-attr]
                parent, key = pointer_parent(manifest, pointer)
                parent[key] = value  # type: ignore[index]
            for pointer in row.get("remove", []):  # type: ignore[union-attr]
                parent, key = pointer_parent(manifest, pointer)
                del parent[key]  # type: ignore[attr-defined]
            text = json.dumps(manifest)
            for key in ("replace", "raw"):
                if key in row:
                    before, after = row[key]  # type: ignore[misc]
                    self.expect(row, before in text, f"'{before}' is not in the manifest")
                    text = text.replace(before, after)
            path.write_text(text)
            if "patch" in row:
                before, after = (part.encode() for part in row["patch"])  # type: ignore[union-attr]
                library(folder, name).write_bytes(library(folder, name).read_bytes().replace(before, after))
        if "text" in row:
            bad(folder).write_text(str(row["text"]), encoding="utf-8")
        if "make" in row:
            MAKERS[str(row["make"])](folder, name)
        return str(row.get("name", name))

    def run(self, row: Row) -> None:
        folder = self.work / f"case-{ROWS.index(row)}"
        name = self.make(row, folder)
        if row.get("set", {}).get("/name"):  # type: ignore[union-attr]
            name = "good"  # a manifest that cannot be read goes by its file
        says, state = str(row["says"]), str(row["state"])

        if row.get("make") == "unreadable" and os.access(bad(folder), os.R_OK):
            print(f"{row['case']}: left out: this user may read any file")
            return
        listed = self.jit_info(row, folder, "backends", "--load", "--json")
        self.expect(row, listed.returncode == 0, f"jit-info backends: exit {listed.returncode}: {listed.stderr[-500:]}")
        backends = json.loads(listed.stdout or '{"backends": []}')["backends"]
        mine = [backend for backend in backends if backend["name"] == name and backend["state"] == state]
        self.expect(row, bool(mine), f"no backend '{name}' in state {state}: "
                    f"{[(b['name'], b['state'], b['reason']) for b in backends if b['name'] in (name, 'calls_back')]}")
        sound = [backend["state"] for backend in backends if backend["name"] == "calls_back"]
        self.expect(row, sound == ["READY"], f"the sound backend is {sound}")

        if "warns" in row:
            asked = self.jit_info(row, folder, str(row["ask"])) if "ask" in row else listed
            self.expect(row, asked.returncode == 0 and str(row["warns"]) in asked.stderr + asked.stdout,
                        f"exit {asked.returncode}; '{row['warns']}' is not in:\n{asked.stderr}")
        if row.get("compile"):  # the fault is the compiler tier's: asked for by what needs passes
            passes = self.jit_info(row, folder, "passes")
            self.expect(row, passes.returncode == 0 and says in passes.stderr, passes.stderr)
            explained = self.jit_info(row, folder, "explain", name)
            self.expect(row, explained.returncode == 1 and says in explained.stdout, explained.stdout)
            return
        if state == "SHADOWED":
            self.expect(row, says in mine[0]["reason"] if mine else False, "no reason")
            return
        explained = self.jit_info(row, folder, "explain", name)
        if state == "ABSENT":  # may be compiled for: explain loads it
            self.expect(row, mine and says in mine[0]["reason"], f"reason: {mine}")
            return
        self.expect(row, explained.returncode == (0 if state == "READY" else 1),
                    f"jit-info explain: exit {explained.returncode}")
        self.expect(row, says in explained.stdout, f"'{says}' is not in:\n{explained.stdout}")
        self.expect(row, str(folder) in explained.stdout and "/etc/kiln/backends.d" in explained.stdout,
                    "explain does not name the folders that were searched")
        for variable, value in row.get("env", {}).items():  # type: ignore[union-attr]
            if variable.startswith("KILN_BACKENDS"):
                self.expect(row, f"{variable}={value}" in explained.stdout, f"explain does not name {variable}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--autoload-tests", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.write:
        PAGE.write_text(page(), encoding="utf-8")
        return
    if PAGE.read_text(encoding="utf-8") != page():
        sys.exit(f"{PAGE} is not up to date; run tests/plugins/test_outcomes.py --write")
    if arguments.check:
        return
    listed = subprocess.run([arguments.autoload_tests, "--gtest_list_tests"], capture_output=True, text=True, check=True)
    suite_name, tests = "", set()
    for line in listed.stdout.splitlines():
        if line.startswith(" "):
            tests.add(suite_name + line.split()[0])
        else:
            suite_name = line.split()[0]
    with tempfile.TemporaryDirectory(prefix="kiln-plugins-") as work:
        suite = Suite(arguments.build, pathlib.Path(work))
        for row in ROWS:
            if "test" in row:
                suite.expect(row, row["test"] in tests, f"there is no test {row['test']}")
            else:
                suite.run(row)
    if suite.failures:
        sys.exit(f"{suite.failures} expectations do not hold")
    print(f"{len(ROWS)} backends came out as the table says")


if __name__ == "__main__":
    main()
