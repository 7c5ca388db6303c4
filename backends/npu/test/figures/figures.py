# figures.py: simulated cycles of the reference kernels beside what the machine bounds them by; kept in figures.json.
"""usage: figures.py BUILD [--check|--write|--assumed] [--only TEXT]. Cycles are the software device's (KILN_NPU_MODE=estimate).

Without a flag the table is printed. --check fails where cycles differ from figures.json or lie under a goal; --write records
them and the tables of docs/npu-figures.md and docs/npu.md; --assumed measures each assumed figure at half and at one and a half times its
value (long) and records that table, too."""

import argparse
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[3]
RECORD = FOLDER / "figures.json"
PAGE = ROOT / "docs/npu-figures.md"
MANUAL = ROOT / "docs/npu.md"
BYTES = {"f16": 2, "f32": 4}
GOALS = {"gemm_4096": 85, "gemm_1024": 60, "bert_attention_out": 55, "bert_up": 55, "bert_down": 55, "add_4mi": 85, "softmax": 85,
         "layer_norm": 85, "flash_attention": 53}  # per cent of the peak or of the bound
OPEN = FOLDER / "open.txt"  # goals that are not reached yet, one name a line
SENSITIVE = ["gemm_4096", "gemm_1024", "bert_up", "conv_256_256_3_1_14", "softmax", "flash_attention"]


@dataclasses.dataclass(frozen=True)
class Chip:
    """What Target.def says of it."""
    cores: int
    gigahertz: float
    ddr: int  # bytes a cycle and core
    macs: int = 4096  # f16, a cycle and core
    name: str = "910b"
    lanes: int = 256  # f16, a cycle and core: two vector units

    def tflops(self, flops: int, cycles: float) -> float:
        return flops / cycles * self.gigahertz / 1e3


CHIP = Chip(24, 1.8, 32)  # 910B
OTHERS = {"910a.mlir": Chip(32, 1.0, 37, name="910a", lanes=128)}  # files of kernels for other chips
# Kernels of which hardware's TFLOP/s are published, and by whom.
PUBLISHED = {"flash_attention": (189.5, "910B2, flash attention f16"), "gemm_910a": (216, "910A, cube f16 (AIBench): 4096 x 4096 x 4096"),
             "chain_910a": (3.39, "910A, vector f16 (AIBench): 48 ops on 8 Mi elements")}
HELD_OUT = {"heldout_gemm_910a": "910A, held out: 3000 x 2560 x 1900", "heldout_conv_910a": "910A, held out: 3 x 3 of 192 channels on 28 x 28",
            "heldout_chain_910a": "910A, held out: 20 ops on 3 M elements"}


@dataclasses.dataclass
class Figure:
    file: str
    name: str
    operation: str
    macs: int  # of the cube
    bytes: int  # of operands and results, each once
    times: int = 1
    elements: int = 0  # computed by vector ops, each once

    @property
    def chip(self) -> Chip:
        return OTHERS.get(self.file, CHIP)

    @property
    def is_cube(self) -> bool:
        return self.macs > 0

    @property
    def flops(self) -> int:
        return 2 * self.macs if self.is_cube else self.elements

    def cube_cycles(self) -> float:
        return self.macs / self.chip.macs / self.chip.cores

    def memory_cycles(self) -> float:
        return self.bytes / self.chip.ddr / self.chip.cores

    def bound(self) -> float:
        return max(self.cube_cycles(), self.memory_cycles())

    def peak(self) -> float:
        """Cycles at the peak of the units, or at that of the memory."""
        return max(self.bound(), 0 if self.is_cube else self.elements / self.chip.lanes / self.chip.cores)


def extents(text: str) -> list[int]:
    return [int(part) for part in text.split("x")[:-1]]


def tensor_bytes(text: str) -> int:
    return math.prod(extents(text)) * BYTES[text.split("x")[-1]]


def macs_of(operation: str, types: list[str]) -> int:
    shapes, result = [extents(text) for text in types], extents(types[-1])
    if operation == "matmul":
        return math.prod(result) * shapes[0][-1]
    if operation == "conv":
        return math.prod(result) * math.prod(shapes[1][1:])
    if operation == "attention":
        q, k, v = shapes[:3]
        return math.prod(q[:3]) * k[2] * (q[3] + v[3])
    return 0


def figures() -> list[Figure]:
    found = []
    for file in sorted(FOLDER.glob("*.mlir")):
        for part in file.read_text(encoding="utf-8").split("func.func @")[1:]:
            head = part.split("{", 1)[0] if "attributes" not in part.split("\n", 1)[0] else part.split("attributes", 1)[0]
            types = re.findall(r"tensor<([\dx]+x\w+)>", head)
            times = re.search(r"times = (\d+)", part)
            operation = re.search(r"kiln\.(\w+)", part)[1]
            size = sum(map(tensor_bytes, types))
            if steps := re.search(r"strides \[(\d+), (\d+)\]", part):  # between single elements nothing is read
                if extents(types[1])[2:] == [1, 1]:
                    size -= tensor_bytes(types[0]) * (1 - 1 / int(steps[1]) / int(steps[2]))
            found.append(Figure(file.name, part.split("(", 1)[0], operation, macs_of(operation, types), int(size),
                                int(times[1]) if times else 1, math.prod(extents(types[-1])) * part.count("= kiln.")))
    return found


def measure(build: pathlib.Path, figure: Figure, assume: str = "") -> int:
    """Cycles of one run; of a convolution without the change of layout, which in a model the next one takes back."""
    environment = {**os.environ, "KILN_CACHE": "off", "KILN_NPU_MODE": "estimate", "KILN_NPU_CHIP": figure.chip.name, "KILN_NPU_ASSUME": assume}
    done = subprocess.run([str(build / "bin/jit-run"), str(FOLDER / figure.file), "--function", figure.name, "--device", "npu", "--profile",
                           "--json"], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"error: {figure.name}: {done.stderr.strip()}")
    launches = json.loads(done.stdout)["launches"]
    if figure.operation == "conv":
        launches = [launch for launch in launches if launch["name"].startswith("conv_")]
    return sum(launch["cycles"] for launch in launches)


def measure_all(build: pathlib.Path, of: list[Figure], assume: str = "") -> dict[str, int]:
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip([figure.name for figure in of], pool.map(lambda figure: measure(build, figure, assume), of)))


def share(figure: Figure, cycles: int) -> float:
    """Per cent of the cube's peak, or, of what has no product, of the time that its bytes need."""
    return 100 * (figure.cube_cycles() if figure.is_cube else figure.bound()) / cycles


def resnet(of: list[Figure], cycles: dict[str, int]) -> tuple[float, float]:
    """ResNet-50's convolutions: per cent of the peak over all the time, and each layer's weighted by its work."""
    layers = [figure for figure in of if figure.file == "resnet50.mlir"]
    work = sum(figure.times * figure.cube_cycles() for figure in layers)
    time = sum(figure.times * cycles[figure.name] for figure in layers)
    weighted = sum(figure.times * figure.cube_cycles() * share(figure, cycles[figure.name]) for figure in layers)
    return 100 * work / time, weighted / work


def table(of: list[Figure], cycles: dict[str, int]) -> list[str]:
    lines = ["| kernel | cycles | cube alone | memory alone | of the cube's peak | of the bound |", "|---|---|---|---|---|---|"]
    for figure in of:
        count = cycles[figure.name]
        cube = f"{figure.cube_cycles():.0f} | " if figure.is_cube else "– | "
        peak = f"{share(figure, count):.1f} % | " if figure.is_cube else "– | "
        lines.append(f"| {figure.name} | {count} | {cube}{figure.memory_cycles():.0f} | {peak}{100 * figure.bound() / count:.1f} % |")
    return lines


def calibration(of: list[Figure], cycles: dict[str, int]) -> list[str]:
    """TFLOP/s of hardware, as published, of the software device and of the machine's bound."""
    lines = ["| anchor | published | simulated | bound |", "|---|---|---|---|"]
    for figure in of:
        if figure.name in PUBLISHED or figure.name in HELD_OUT:
            published, what = PUBLISHED.get(figure.name) or ("–", HELD_OUT[figure.name])
            simulated, bound = (figure.chip.tflops(figure.flops, count) for count in (cycles[figure.name], figure.peak()))
            lines.append(f"| {what} | {published} | {simulated:.4g} | {bound:.4g} |")
    return lines


def sensitivity(build: pathlib.Path, of: list[Figure]) -> list[str]:
    """Cycles at half and at one and a half times each assumed figure, in per cent of those at the table's."""
    of = [figure for figure in of if figure.name in SENSITIVE]
    text = subprocess.run([str(build / "bin/jit-info"), "explain", "npu"], capture_output=True, text=True, check=True).stdout
    base = measure_all(build, of)
    lines = ["| assumed figure | value | " + " | ".join(figure.name for figure in of) + " |", "|---|---|" + "---|" * len(of)]
    for name, value in re.findall(r"^(\w+)\s+(\d+)\s.*\sassumed\s", text, re.MULTILINE):
        cells = []
        sides = []
        for factor in (0.5, 1.5):
            changed = max(1, round(int(value) * factor))
            sides.append(measure_all(build, of, f"{name}={changed}") if changed != int(value) else base)
        for figure in of:
            moves = [100 * (side[figure.name] / base[figure.name] - 1) for side in sides]
            cells.append("–" if all(abs(move) < 0.05 for move in moves) else " / ".join(f"{move:+.1f}" for move in moves))
        lines.append(f"| {name} | {value} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


def replace(marker: str, lines: list[str], page: pathlib.Path = PAGE) -> None:
    begin, end = f"<!-- {marker} -->", f"<!-- end of {marker} -->"
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(begin)
    page.write_text(before + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1], encoding="utf-8")


def failures(of: list[Figure], cycles: dict[str, int], whole: float) -> list[str]:
    recorded, still_open = json.loads(RECORD.read_text(encoding="utf-8")), OPEN.read_text(encoding="utf-8").split()
    wrong = [f"{figure.name}: {cycles[figure.name]} cycles; figures.json says {recorded.get(figure.name)} (--write records them)"
             for figure in of if cycles[figure.name] != recorded.get(figure.name)]
    shares = {figure.name: share(figure, cycles[figure.name]) for figure in of if figure.name in GOALS}
    goals = [(name, shares[name], GOALS[name]) for name in shares] + [("resnet50", whole, 60)]
    wrong += [f"{name}: {value:.1f} %; the goal is {goal}" for name, value, goal in goals if value < goal and name not in still_open]
    wrong += [f"{name}: {value:.1f} % reaches its goal; take it out of {OPEN.name}" for name, value, goal in goals
              if value >= goal and name in still_open]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="measure the kernels whose names hold this")
    for flag in ("check", "write", "assumed"):
        parser.add_argument("--" + flag, action="store_true")
    arguments = parser.parse_args()
    everything = figures()
    of = [figure for figure in everything if arguments.only in figure.name]
    if arguments.assumed:
        replace("assumed", sensitivity(arguments.build, everything))
        return 0
    cycles = measure_all(arguments.build, of)
    lines = table([figure for figure in of if figure.file not in ("heldout.mlir", *OTHERS)], cycles)
    heldout = table([figure for figure in of if figure.file == "heldout.mlir"], cycles)
    anchors = calibration(of, cycles)
    print("\n".join([*lines, "", *heldout, "", *anchors]))
    if arguments.only:
        return 0
    total, weighted = resnet(of, cycles)
    summary = f"ResNet-50's convolutions: {total:.1f} % of the cube's peak over their time, {weighted:.1f} % weighted by work."
    print(summary)
    if arguments.write:
        RECORD.write_text(json.dumps(cycles, indent=1) + "\n", encoding="utf-8")
        replace("figures", [*lines, "", summary])
        replace("heldout", heldout)
        replace("calibration", anchors, MANUAL)
    wrong = failures(of, cycles, weighted) if arguments.check else []
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
