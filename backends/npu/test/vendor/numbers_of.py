# numbers_of.py: what the vendor's module computes for a kernel, beside the reference of the kernel's ops.
"""Runs every block of the planned module on random inputs; npu-judge-kernel knows how far each element may be off."""

import pathlib
import re
import subprocess
import tempfile

import numpy as np
from final_module import machine_of
from kernels import Kernel

NUMPY = {"f16": np.float16, "f32": np.float32, "i1": np.bool_, "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "ui16": np.uint16,
         "i32": np.int32, "ui32": np.uint32, "i64": np.int64}


def signature(kernel: Kernel) -> tuple[list[tuple], list[tuple]] | None:
    """Extents and element of each input and each result; nothing if an extent is dynamic or numpy lacks a type."""
    found = re.search(r"kiln\.signature = \((.*?)\) -> (\(.*?\)|tensor<.*?>)[,}]", kernel.tiles)
    sides = []
    for side in found.groups():
        tensors = []
        for extents, element in re.findall(r"tensor<((?:[\d?]+x)*)(\w+)>", side):
            if "?" in extents or element not in NUMPY:
                return None
            tensors.append(([int(n) for n in extents.split("x") if n], element))
        if len(tensors) != len(re.findall(r"tensor<", side)) or re.sub(r"tensor<.*?>|[(), ]", "", side):
            return None
        sides.append(tensors)
    return sides[0], sides[1]


def random_input(extents: list[int], element: str, random: np.random.Generator) -> np.ndarray:
    if element == "i1":
        return random.integers(0, 2, extents).astype(np.bool_)
    if element.startswith(("i", "ui")):
        return random.integers(0 if element.startswith("ui") else -5, 6, extents).astype(NUMPY[element])
    return random.uniform(-2, 2, extents).astype(NUMPY[element])


def difference(build: pathlib.Path, kernel: Kernel, module: str, seed: int) -> str:
    """"" if all results are those of the kernel's ops."""
    inputs, outputs = signature(kernel)
    random = np.random.default_rng(seed)
    given = [random_input(*tensor, random) for tensor in inputs]
    # Biases that models have in f16 come as f32: none has more digits.
    for number in re.findall(r"kiln\.convert %arg(\d+) \{kiln\.layout\} : tensor<[\dx]+xf32> to tensor<[\dx]+xf16>", kernel.source):
        given[int(number)] = given[int(number)].astype(np.float16).astype(np.float32)
    results = [np.zeros(extents, NUMPY[element]) for extents, element in outputs]
    arguments = [(np.ascontiguousarray(array), list(array.shape)) for array in [*given, *results]]
    machine = machine_of(module)
    for block in range(int(re.search(r"npu\.blocks = (\d+)", kernel.tiles)[1])):
        machine.run(arguments, block)
    results = [array.reshape(extents) for (array, _), (extents, _) in zip(arguments[len(given):], outputs, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)
        model = re.sub(r"\bkiln\.yield\b", "return", kernel.source.replace("kiln.kernel @", "func.func @"))
        (base / "kernel.mlir").write_text(model)
        np.savez(base / "inputs.npz", **{f"input{i}": array for i, array in enumerate(given)})
        np.savez(base / "got.npz", **{f"output{i}": array for i, array in enumerate(results)})
        done = subprocess.run([str(build / "tests/bin/npu-judge-kernel"), str(base / "kernel.mlir"), kernel.name,
                               str(base / "inputs.npz"), str(base / "got.npz")], capture_output=True, text=True)
        return "" if done.returncode == 0 else (done.stdout or done.stderr).strip()
