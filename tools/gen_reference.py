#!/usr/bin/env python3
# gen_reference.py: writes docs/reference/ops.md and passes.md from the .td files.
"""Usage: gen_reference.py [--check]. With --check: writes nothing; exit code 1 if a page is not up to date."""

import difflib
import sys

import ods

REFERENCE = ods.ROOT / "docs/reference"
# The families in reading order, with the files that hold them; one that is missing here is an error.
FAMILIES = [
    ("Elementwise: mathematics", "KilnMath.td"),
    ("Elementwise: activations", "KilnActivation.td"),
    ("Elementwise: two operands", "KilnBinary.td"),
    ("Elementwise: compare, select, convert", "KilnSelect.td"),
    ("Contraction", "KilnContraction.td"),
    ("Quantization", "KilnQuantization.td"),
    ("Reduction", "KilnReduction.td"),
    ("Normalization", "KilnNormalization.td"),
    ("Attention", "KilnAttention.td"),
    ("Shape", "KilnShape.td"),
    ("Resize", "KilnResize.td"),
    ("Indexing", "KilnIndexing.td"),
    ("Recurrence", "KilnRecurrence.td"),
    ("Random", "KilnRandom.td"),
    ("Programs", "KilnProgram.td"),
]
NOTE = "<!-- Written by tools/dev docs from {}; do not edit. -->"


def rows(kind: str, values: list[tuple[str, str]]) -> list[str]:
    return [f"| {kind} | `{name}` | {constraint.replace('|', chr(92) + '|')} |" for name, constraint in values]


def op_section(op: ods.Op) -> list[str]:
    table = rows("operand", op.operands) + rows("attribute", op.attributes) + rows("result", op.results)
    lines = [f"### {op.name}", "", f"*{op.summary}*", "", op.description, ""]
    if table:
        lines += ["| | name | type |", "|---|---|---|", *table, ""]
    return lines


def ops_page() -> str:
    ops = ods.ops()
    if strangers := {op.file for op in ops} - {file for _, file in FAMILIES}:
        raise SystemExit(f"gen_reference.py: error: FAMILIES has no title for {', '.join(sorted(strangers))}")
    lines = ["# The ops of the kiln dialect", "", NOTE.format("dialects/include/kiln/IR/*.td"), ""]
    lines += ["Tensors are values; extents may be dynamic (`?`); `uiN` is unsigned, `iN` signed, `i1` boolean. Broadcasting",
              "follows numpy. (C1), (C2) … are what an op's verifier checks, under these labels.", ""]
    for title, file in FAMILIES:
        names = [f"[{op.name}](#{op.name})" for op in ops if op.file == file]
        lines += [f"- **{title}**: " + " · ".join(names)]
    lines += [""]
    for title, file in FAMILIES:
        lines += [f"## {title}", ""]
        for op in ops:
            if op.file == file:
                lines += op_section(op)
    return "\n".join(lines).rstrip() + "\n"


def passes_page() -> str:
    passes = ods.passes()
    lines = ["# Passes", "", NOTE.format("every Passes.td"), ""]
    lines += ["All of them run in `jit-opt`; `jit-opt --kiln-counters` shows what they counted.", ""]
    lines += [f"- [{p.argument}](#{p.argument}): {p.summary}" for p in passes] + [""]
    for p in passes:
        lines += [f"## {p.argument}", "", f"*{p.summary}* (`{p.file}`)", "", p.description, ""]
        if p.options:
            lines += ["| option | default | |", "|---|---|---|"]
            lines += [f"| `{flag}` | {default and f'`{default}`'} | {text} |" for flag, default, text in p.options] + [""]
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    stale = 0
    for name, text in (("ops.md", ops_page()), ("passes.md", passes_page())):
        page = REFERENCE / name
        old = page.read_text(encoding="utf-8") if page.exists() else ""
        if old == text:
            continue
        if "--check" in sys.argv[1:]:
            stale = 1
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), str(page), "generated"))
            print(f"gen_reference.py: error: {page.relative_to(ods.ROOT)} is not up to date; run tools/dev docs", file=sys.stderr)
        else:
            REFERENCE.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())
