# memory.py: a core's memories and views of them, as the vendor's modules address them.
"""Bytes, so that buffers which the planner lets share an address really do."""

import re
from dataclasses import dataclass

import numpy as np

SIZES = {"ub": 192 << 10, "cbuf": 512 << 10, "cc": 128 << 10}
DTYPES = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "ui16": np.uint16,
          "i32": np.int32, "ui32": np.uint32, "i64": np.int64, "ui64": np.uint64, "i1": np.bool_}
DYNAMIC = -(1 << 63)


def to_bf16(values: np.ndarray) -> np.ndarray:
    """The upper halves of f32, rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), rounded)


@dataclass
class Memory:
    name: str  # "ub", "cbuf", "cc", "gm"
    data: np.ndarray  # bytes


@dataclass
class View:
    memory: Memory
    element: str
    start: int  # byte of the buffer's first element; of i1: bits are counted from it
    offset: int  # in elements
    sizes: list[int]
    strides: list[int]  # in elements

    def indices(self) -> np.ndarray:
        """The element numbers from `start`."""
        index = np.full(self.sizes, self.offset, np.int64)
        for axis, (size, stride) in enumerate(zip(self.sizes, self.strides, strict=True)):
            index += (np.arange(size) * stride).reshape([-1 if i == axis else 1 for i in range(len(self.sizes))])
        return index

    def array(self) -> np.ndarray:
        """The elements in place; not for i1."""
        dtype = np.dtype(DTYPES[self.element])
        return np.ndarray(self.sizes, dtype, self.memory.data, self.start + self.offset * dtype.itemsize,
                          [stride * dtype.itemsize for stride in self.strides])

    def read(self) -> np.ndarray:
        """A copy to compute with: floats as f32."""
        if self.element == "i1" and self.memory.name != "gm":
            index = self.indices()
            return (self.memory.data[self.start + (index >> 3)] >> (index & 7).astype(np.uint8) & 1).astype(bool)
        values = self.array()
        if self.element == "bf16":
            return (values.astype(np.uint32) << 16).view(np.float32)
        return values.astype(np.float32) if self.element == "f16" else values.copy()

    def write(self, values) -> None:
        values = np.broadcast_to(values, self.sizes)
        if self.element == "i1" and self.memory.name != "gm":
            index = self.indices().ravel()
            bits = values.astype(bool).ravel()
            np.bitwise_and.at(self.memory.data, self.start + (index >> 3), ~(1 << (index & 7)).astype(np.uint8))
            np.bitwise_or.at(self.memory.data, self.start + (index >> 3), (bits << (index & 7)).astype(np.uint8))
        elif self.element == "bf16":
            self.array()[...] = to_bf16(values)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                self.array()[...] = values.astype(DTYPES[self.element])

    def ranges(self) -> list[tuple[int, int]]:
        """The bytes that it covers, as [begin, end) in rising order."""
        if 0 in self.sizes:
            return []
        if self.element == "i1" and self.memory.name != "gm":
            index = self.indices().ravel()
            return [(self.start + int(index.min() >> 3), self.start + int(index.max() >> 3) + 1)]
        size = np.dtype(DTYPES[self.element]).itemsize
        starts, run = np.array([self.start + self.offset * size]), size
        axes = sorted(zip(self.strides, self.sizes, strict=True))  # the innermost first
        while axes and (axes[0][1] == 1 or axes[0][0] * size == run):
            run *= axes.pop(0)[1]
        for stride, count in axes:
            starts = (starts[:, None] + np.arange(count) * stride * size).ravel()
        return [(int(start), int(start) + run) for start in np.unique(starts)]


MEMREF = re.compile(r"memref<((?:[\d?]+x)*)(\w+)(?:, strided<\[([^\]]*)\](?:, offset: ([\d?]+))?>)?(?:, #hivm\.address_space<(\w+)>)?>")


def parse_memref(text: str) -> tuple[list[int], str, list[int], int, str]:
    """Sizes, element, strides, offset, space; DYNAMIC for `?`."""
    match = MEMREF.fullmatch(text.strip())
    if not match:
        raise ValueError(f"no memref: {text}")
    number = lambda word: DYNAMIC if word == "?" else int(word)  # noqa: E731
    sizes = [number(word) for word in match[1].split("x") if word]
    if match[3] is not None:
        strides = [number(word.strip()) for word in match[3].split(",") if word.strip()]
    else:
        strides = [1] * len(sizes)
        for axis in range(len(sizes) - 2, -1, -1):
            strides[axis] = DYNAMIC if DYNAMIC in (strides[axis + 1], sizes[axis + 1]) else strides[axis + 1] * sizes[axis + 1]
    return sizes, match[2], strides, number(match[4]) if match[4] else 0, match[5] or "gm"
