# stages_page.py: writes docs/npu-stages.md: how a softmax and a product travel through the passes.
"""usage: stages_page.py BUILD --write|--check. The IR is what jit-run prints for backends/npu/test/stages.mlir."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCE = ROOT / "backends/npu/test/stages.mlir"
PAGE = ROOT / "docs/npu-stages.md"
WIDTH = 140
# What each stage does here; of asm, so many lines are shown.
STAGES = {
    "form": "Ops are fused into kernels; what follows a product and is not free on the way out of L0C is a kernel of its own.",
    "tile": "A kernel becomes a loop over tiles, which the cores take in turn. Buffers have a memory, no address yet.",
    "buffer": "Buffers that two pipes share in a loop get copies, all get addresses by their lifetimes: `npu.buffer ADDRESS, ADDRESS at SLOT`.",
    "lower": "Flags and barriers order what conflicts; `kiln-verify-sync` proves that nothing is missing.",
    "asm": "Instructions, as `jit-objdump` prints the object's.",
}
ASM_LINES = 24
INTRODUCTION = """<!-- Written by backends/npu/test/stages_page.py from jit-run's output; `ctest -R npu-stages-page` compares. -->
# How kernels travel through the npu's passes

Two kernels of `backends/npu/test/stages.mlir` after each stage, as `jit-run backends/npu/test/stages.mlir --function NAME
--device=npu --emit=STAGE` prints them. [stages.md](stages.md) says what the stages are for, [reference/passes.md](reference/passes.md)
describes the passes, [npu.md](npu.md) the machine. Long lines end in `...`.
"""


def emit(build: pathlib.Path, function: str, stage: str) -> list[str]:
    done = subprocess.run([str(build / "bin/jit-run"), str(SOURCE), "--function", function, "--device", "npu", "--emit", stage],
                          capture_output=True, text=True, env={**os.environ, "KILN_CACHE": "off", "KILN_NPU_CHIP": "910b"})
    if done.returncode:
        raise SystemExit(f"error: {function}, stage {stage}: {done.stderr}")
    text = re.sub(r"_[0-9a-f]{16}\b", "", done.stdout)  # keys change with every commit
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if stage == "asm" and len(lines) > ASM_LINES:
        lines = [*lines[:ASM_LINES], "..."]
    return [line if len(line) <= WIDTH else line[: WIDTH - 4].rstrip() + " ..." for line in lines]


def page(build: pathlib.Path) -> str:
    parts = [INTRODUCTION]
    for function in re.findall(r"^func\.func @(\w+)", SOURCE.read_text(encoding="utf-8"), re.MULTILINE):
        parts.append(f"## {function}\n")
        for stage, what in STAGES.items():
            language = "asm" if stage == "asm" else "mlir"
            parts += [f"### After {stage}" if stage != "asm" else "### The object", f"{what}\n", f"```{language}", *emit(build, function, stage),
                      "```\n"]
    return "\n".join(parts).rstrip() + "\n"


def main() -> int:
    build, how = pathlib.Path(sys.argv[1]), sys.argv[2]
    text = page(build)
    if how == "--write":
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print(f"error: {PAGE.name} is not what jit-run prints; write it again: {pathlib.Path(__file__).name} BUILD --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
