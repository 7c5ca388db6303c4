# generic_ir.py: MLIR's generic form, read into plain objects.
"""Ops as `%0 = "dialect.op"(%a, %b) <{properties}> ({regions}) : (types) -> types`, one a line apart from regions."""

import re
from dataclasses import dataclass, field


@dataclass
class Block:
    arguments: list[str] = field(default_factory=list)
    ops: list["Op"] = field(default_factory=list)


@dataclass
class Op:
    name: str
    results: list[str]
    operands: list[str]
    attributes: str  # properties and attributes as they stand
    types: list[str]  # of operands
    result_types: list[str]
    regions: list[list[Block]] = field(default_factory=list)

    def attribute(self, key: str, pattern: str) -> str | None:
        found = re.search(rf"\b{key} = {pattern}", self.attributes)
        return found[1] if found else None


def split_top(text: str) -> list[str]:
    """Parts between commas that no bracket encloses; `->` is no bracket."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[i - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    rest = text[start:].strip()
    return parts + [rest] if rest else parts


def expand(result: str) -> list[str]:
    """`%0:2` stands for %0#0 and %0#1."""
    name, _, count = result.partition(":")
    return [f"{name}#{i}" for i in range(int(count))] if count else [name]


HEAD = re.compile(r'^\s*(?:(%[\w:, %]+?) = )?"([\w.]+)"\(([^()]*)\)(.*)$')
TYPES = re.compile(r"^(.*?)\s*:\s*\((.*)\)\s*->\s*(.*)$")


class Reader:
    def __init__(self, text: str):
        self.aliases = dict(re.findall(r"^(#\w+) = (.+)$", text, re.MULTILINE))
        self.lines = [line for line in text.splitlines() if line.strip() and not re.match(r"^(#\w+ = |// -----)", line)]
        self.at = 0

    def resolve(self, text: str) -> str:
        for name in sorted(set(re.findall(r"#\w+\b(?![.<])", text)), key=len, reverse=True):
            if name in self.aliases:
                text = re.sub(re.escape(name) + r"\b(?![.<\w])", lambda _: self.aliases[name], text)
        return text

    def op(self) -> Op:
        line = self.lines[self.at]
        match = HEAD.match(line)
        if not match:
            raise ValueError(f"no op in generic form: {line.strip()[:120]}")
        self.at += 1
        results, name, operands, tail = match.groups()
        regions = []
        while tail.rstrip().endswith("({") or tail.strip().startswith("}, {"):
            before = tail.rstrip()[:-2] if tail.rstrip().endswith("({") else ""
            region = [Block()]
            while not self.lines[self.at].strip().startswith("}"):
                text = self.lines[self.at].strip()
                if text.startswith("^"):
                    self.at += 1
                    arguments = re.findall(r"(%\w+):", text)
                    if region[-1].ops or region[-1].arguments:
                        region.append(Block())
                    region[-1].arguments = arguments
                else:
                    region[-1].ops.append(self.op())
            regions.append(region)
            tail = before + " " + self.lines[self.at].strip() if not self.lines[self.at].strip().startswith("}, {") else self.lines[self.at].strip()
            self.at += 1
            if tail.startswith("}, {"):
                continue
            tail = re.sub(r"\}\)", "", tail, count=1)
        match = TYPES.match(self.resolve(tail))
        if not match:
            raise ValueError(f"no types: {tail.strip()[:120]}")
        attributes, types, result_types = match.groups()
        result_types = result_types.strip()
        if result_types.startswith("("):
            result_types = result_types[1:result_types.rindex(")")]
        return Op(name, [r for part in (results or "").split(",") if part.strip() for r in expand(part.strip())],
                  split_top(operands), attributes, split_top(types), split_top(result_types), regions)


def read(text: str) -> Op:
    """The module of a text in generic form."""
    return Reader(text).op()
