# vendor_tests.py: five kinds of test with the vendor's compiler as the judge. docs/npu.md has the results.
"""usage: vendor_tests.py accept|numbers|plan|import BUILD

accept    every kernel of tests/kernels: accepted, planned within the memories, each call with a body in the library
numbers   results of the vendor's planned modules against the reference of the kernels' ops
plan      executed flags and barriers and peak bytes of ours beside theirs; fails where ours get worse than recorded
import    their planned and synchronised modules on our device's pipes: clean, and caught where a flag is missing
KILN_TEST_FULL=1: all kernels instead of a sample; KILN_TEST_WRITE_REFERENCE=1: plan records its figures."""

import collections
import importlib.util
import itertools
import os
import pathlib
import random
import re
import sys

import ascendnpu
from kernels import SEED, Kernel, collect

ROOT = pathlib.Path(__file__).resolve().parents[4]
# Kernels that have no form in HIVM or no body in the library, by a part of what is said of them, and why that is no mistake of ours.
EXCLUDED = {
    "leaves no room for the sort of HIVM": "its vsort sorts a whole row with room for six; ours merges runs of up to 4096 in place",
    "'npu.workspace_buffer' has no form": "sorts of rows that UB does not hold, of unknown length or of 64 bits: runs in the workspace, which "
                                          "no op of the vendor's sorts or merges",
    "filters that lie packed in L1": "filters of a part of the channels, kept in L1: mmadL1 takes whole buffers only",
    "whose images share fractals": "small images joined in one tile: our im2col matrix in L1 begins where an image does",
    "'memref.alloc' op error: read before first write": "sorts of rows of one element: it aligns what a view of one column has, not what "
                                                        "the whole buffer's other uses have",
}
MOST_EXCLUDED = 0.04  # of all kernels
SAMPLED_FILES, SAMPLED_NUMBERS = 6, 40
# Those of which `numbers` must have executed a kernel.
NEEDED_TEMPLATES = ("attention", "conv", "depthwise", "elementwise", "matmul", "movement", "reduction", "rows")


def is_full() -> bool:
    return os.environ.get("KILN_TEST_FULL") == "1"


def test_files() -> list[pathlib.Path]:
    """All kernel tests; in a sample always the same ones, and those of the backend."""
    files = sorted((ROOT / "tests/kernels").glob("*.mlir")) + sorted((ROOT / "tests/kernels/ops").glob("*.mlir"))
    if not is_full():
        files = random.Random(SEED).sample(files, SAMPLED_FILES)
    return sorted((ROOT / "backends/npu/test/kernels").glob("*.mlir")) + files


def exclusion(refusal: str) -> str | None:
    return next((why for what, why in EXCLUDED.items() if what in refusal), None)


def accept(build: pathlib.Path, vendor: ascendnpu.Vendor) -> int:
    kernels = collect(build, test_files())
    counts, failures = collections.Counter(), []
    for kernel in kernels:
        if kernel.refusal:
            counts[kernel.refusal] += 1
            if not exclusion(kernel.refusal):
                failures.append(f"{kernel.file}: {kernel.name}: {kernel.refusal}")
            continue
        verdict = vendor.compile(kernel.hivm)
        counts["accepted"] += verdict.accepted
        if not verdict.accepted and exclusion(verdict.reason):
            counts[verdict.reason] += 1
        elif not verdict.accepted:
            failures.append(f"{kernel.file}: {kernel.name}: {verdict.reason}")
    for refusal, count in sorted(counts.items()):
        why = exclusion(refusal)
        print(f"{count:5} {refusal}{' (' + why + ')' if why else ''}")
    if is_full():
        failures += [f"no kernel needs the exclusion '{what}'" for what in EXCLUDED if not any(what in refusal for refusal in counts)]
    share = 1 - counts["accepted"] / max(1, len(kernels))
    print(f"{counts['accepted']} of {len(kernels)} kernels accepted and linkable, {share:.1%} excluded, {len(failures)} failures")
    print(*failures, sep="\n")
    if share > MOST_EXCLUDED:
        print(f"{share:.1%} of the kernels are excluded; {MOST_EXCLUDED:.1%} may be")
    return 1 if failures or not kernels or share > MOST_EXCLUDED else 0


def template_of(kernel: Kernel) -> str:
    found = re.search(r'kiln\.template = "([^"]+)"', kernel.tiles)
    return found[1] if found else "none"


def sampled(kernels: list[Kernel]) -> list[Kernel]:
    """SAMPLED_NUMBERS of them, of every template as many as of the others as far as there are; always the same ones."""
    groups: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        groups.setdefault(template_of(kernel), []).append(kernel)
    shuffled = [random.Random(SEED).sample(groups[name], len(groups[name])) for name in sorted(groups)]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*shuffled))
    return [kernel for kernel in turns if kernel][:SAMPLED_NUMBERS]


# What is put in the place of what, to see that a wrong op is seen.
WRONG = {"vadd": "vsub", "vmul": "vadd", "vexp": "vabs", "vreduce <max>": "vreduce <min>", "mmadL1 {b_transpose}": "mmadL1"}


def numbers(build: pathlib.Path, vendor: ascendnpu.Vendor) -> int:
    from numbers_of import difference, signature

    def problem_of(kernel: Kernel, hivm: str, seed: int) -> str:
        verdict = vendor.compile(hivm, generic=True)
        return difference(build, kernel, verdict.module, seed) if verdict.accepted else verdict.reason

    kernels = [kernel for kernel in collect(build, test_files()) if kernel.hivm and signature(kernel)]
    if not is_full():
        kernels = sampled(kernels)
    failures, right = [], []
    for number, kernel in enumerate(kernels):
        problem = problem_of(kernel, kernel.hivm, number)
        if problem:
            failures.append(f"{kernel.file}: {kernel.name}: {problem}")
        else:
            right.append((number, kernel))
    counts = collections.Counter(template_of(kernel) for _, kernel in right)
    print(f"{len(right)} of {len(kernels)} kernels give the reference's results: "
          + ", ".join(f"{count} {template}" for template, count in sorted(counts.items())))
    failures += [f"no kernel of template {template} was executed" for template in NEEDED_TEMPLATES if not counts[template]]
    # The judge sees a wrong op: in one of the first kernels that have it and are right.
    caught = set()
    for op, other in WRONG.items():
        having = [(number, kernel) for number, kernel in right if f"hivm.hir.{op} " in kernel.hivm]
        for number, kernel in having[:5]:
            try:
                seen = problem_of(kernel, kernel.hivm.replace(f"hivm.hir.{op} ", f"hivm.hir.{other} ", 1), number)
            except ValueError as problem:  # extents that do not go together
                seen = str(problem)
            if seen:
                caught.add(op)
                break
        if having and op not in caught:
            failures.append(f"'{other}' in the place of '{op}' was not seen in any of {len(having[:5])} kernels")
    print(f"caught when exchanged in the text: {', '.join(sorted(caught))}")
    if not {"vadd", "vmul", "mmadL1 {b_transpose}"} <= caught:
        failures.append("no kernel had vadd, vmul or a transposed product to exchange")
    print(*failures, sep="\n")
    return 1 if failures or not kernels else 0


def need_numpy(build: pathlib.Path) -> None:
    """Starts over in the environment of `tools/dev setup` if this interpreter lacks numpy."""
    if importlib.util.find_spec("numpy") is not None:
        return
    home = build / "vendor-venv"
    if pathlib.Path(sys.prefix) == home or not (home / "bin/python").exists():
        raise SystemExit("error: numpy is missing; `tools/dev setup` installs it with the vendor's compiler")
    os.execv(home / "bin/python", [str(home / "bin/python"), *sys.argv])


def main() -> int:
    tests = {"accept": accept, "numbers": numbers, "plan": plan, "import": import_}
    if len(sys.argv) != 3 or sys.argv[1] not in tests:
        raise SystemExit(__doc__)
    build = pathlib.Path(sys.argv[2])
    vendor = ascendnpu.find(build)
    need_numpy(build)
    return tests[sys.argv[1]](build, vendor)


def plan(build: pathlib.Path, vendor: ascendnpu.Vendor) -> int:
    from plan_and_sync import compare
    return compare(build, vendor)


def import_(build: pathlib.Path, vendor: ascendnpu.Vendor) -> int:
    from plan_and_sync import check_imports
    return check_imports(build, vendor)


if __name__ == "__main__":
    sys.exit(main())
