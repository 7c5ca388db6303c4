#!/usr/bin/env python3
# demo.py: runs two real models with jit-run on each device there is and says in words what they found.
"""Reads a picture of a text line and names the type of a file of this repository; standard library only."""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ROOT / "tests" / "models"


def read_f32(archive: pathlib.Path) -> tuple[list[int], list[float]]:
    """The first array of an .npz that jit-run wrote: its shape and its values, row-major."""
    with zipfile.ZipFile(archive) as members:
        data = members.read(members.namelist()[0])
    (header_length,) = struct.unpack_from("<H", data, 8)
    header = data[10 : 10 + header_length].decode()
    shape = [int(extent) for extent in header.split("(")[1].split(")")[0].split(",") if extent.strip()]
    body = data[10 + header_length :]
    return shape, list(struct.unpack(f"<{len(body) // 4}f", body))


def draw(shape: list[int], values: list[float]) -> str:
    """A picture (1 x 3 x height x width) in Braille dots, half as wide and high: what is darker than the middle."""
    height, width = shape[2] // 2, shape[3] // 2
    grey = [sum(values[(2 * y + j) * shape[3] + 2 * x + i] for j in (0, 1) for i in (0, 1)) for y in range(height) for x in range(width)]
    middle = (min(grey) + max(grey)) / 2
    dots = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a cell, 4 high and 2 wide

    def cell(x: int, y: int) -> str:
        return chr(0x2800 + sum(dots[j][i] for j in range(4) for i in (0, 1) if grey[(y + j) * width + x + i] < middle))

    lines = ["".join(cell(x, y) for x in range(0, width - 1, 2)).rstrip("\u2800") for y in range(0, height - 3, 4)]
    return "\n".join("  " + line for line in lines if line)


def write_i32(path: pathlib.Path, shape: tuple[int, ...], values: list[int]) -> None:
    """An .npy of 32-bit integers."""
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}i", *values))


def largest(values: list[float]) -> int:
    return max(range(len(values)), key=values.__getitem__)


class Refused(Exception):
    """What jit-run said of a model that the device's backend does not compile."""


def run(jit_run: str, device: str, model: str, *flags: str) -> tuple[list[int], list[float], dict]:
    """Runs a model; returns its first output and jit-run's measurements. Raises Refused."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "output.npz"
        command = [jit_run, str(MODELS / model / "model.onnx"), "--device", device, "--output", str(output), "--json", *flags]
        # Software devices that can look for faults in every instruction need not here.
        environment = {"KILN_NPU_MODE": "fast", **os.environ}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            compiles = subprocess.run([*command, "--compile-only"], capture_output=True, text=True, env=environment)
            if compiles.returncode == 3:
                raise Refused(done.stderr.strip().removeprefix("jit-run: error: "))
            sys.exit(f"demo: error: {' '.join(command)}\n{done.stderr}")
        return *read_f32(output), json.loads(done.stdout)


def read_picture(jit_run: str, device: str) -> str:
    """The text that the recognizer sees: CTC drops repeats and class 0; the last class is a space."""
    shape, scores, times = run(jit_run, device, "ppocr4-rec", "--inputs", str(MODELS / "ppocr4-rec" / "inputs.npz"))
    letters = ["", *(MODELS / "ppocr4-rec" / "labels.txt").read_text(encoding="utf-8").split("\n")[: shape[2] - 2], " "]
    best = [largest(scores[column * shape[2] : (column + 1) * shape[2]]) for column in range(shape[1])]
    text = "".join(letters[c] for c, before in zip(best, [0, *best]) if c != before)
    return f'the picture says "{text.strip()}" (first run {times["first_ms"]:.0f} ms)'


def name_file_type(jit_run: str, device: str, file: pathlib.Path) -> str:
    """The model looks at the first and the last 1024 bytes, 256 where there are none."""
    content = file.read_bytes()
    head, tail = content[:4096].lstrip()[:1024], content[-4096:].rstrip()[-1024:]
    tokens = [*head, *[256] * (1024 - len(head)), *[256] * (1024 - len(tail)), *tail]
    with tempfile.TemporaryDirectory() as folder:
        array = pathlib.Path(folder) / "bytes.npy"
        write_i32(array, (1, 2048), tokens)
        _, scores, times = run(jit_run, device, "magika", "--input", f"bytes=@{array}")
    labels = (MODELS / "magika" / "labels.txt").read_text().split("\n")
    best = largest(scores)
    return (f"{file.relative_to(ROOT)} is of type \"{labels[best]}\", {scores[best]:.0%} sure "
            f"(first run {times['first_ms']:.0f} ms)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jit-run", default=str(ROOT / "build" / "bin" / "jit-run"))
    jit_run = parser.parse_args().jit_run
    print("A picture:")
    print(draw(*read_f32(MODELS / "ppocr4-rec" / "inputs.npz")))
    listed = subprocess.run([jit_run, "--list-devices", "--json"], capture_output=True, text=True, check=True)
    complete = 0
    for device in json.loads(listed.stdout)["devices"]:
        print(f"\n{device['name']}: {device['description']}")
        if not device["computes"]:
            print("  measures overhead only, computes nothing")
            continue
        try:
            print(f"  {read_picture(jit_run, device['name'])}")
            for file in ("tools/demo.py", "CMakeLists.txt", "jit/CMakeLists.txt"):
                print(f"  {name_file_type(jit_run, device['name'], ROOT / file)}")
            complete += 1
        except Refused as refusal:
            print(f"  does not run these models yet: {refusal}")
    if not complete:
        sys.exit("demo: error: no device ran both models")


if __name__ == "__main__":
    main()
