# cache_helpers.py: what test_cache.py needs of the system and of ONNX's format.
"""A filter that notices file locks, and a model with weights in a file beside it. Standard library only."""

import ctypes
import platform
import struct


def kill_on_file_locks() -> None:
    """In a child before exec: a seccomp filter that ends the process, and those it starts, when it locks a file."""
    flock, fcntl = {"x86_64": (73, 72), "aarch64": (32, 25)}[platform.machine()]
    load, equal, leave = 0x20, 0x15, 0x06  # a word of the call's data; jump if equal; return
    allow, kill = 0x7FFF0000, 0x80000000
    commands = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
    code = [(load, 0, 0, 0), (equal, len(commands) + 3, 0, flock), (equal, 0, len(commands) + 1, fcntl), (load, 0, 0, 24)]
    code += [(equal, len(commands) - i, 0, command) for i, command in enumerate(commands)]
    code += [(leave, 0, 0, allow), (leave, 0, 0, kill)]
    filters = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *one) for one in code))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(code), ctypes.addressof(filters)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.byref(program), 0, 0) != 0:  # no new privileges; seccomp
        raise OSError(ctypes.get_errno(), "no seccomp filter")


def proto(field: int, value: bytes | str | int) -> bytes:
    """One field of a protobuf message."""

    def varint(number: int) -> bytes:
        return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)

    if isinstance(value, int):
        return varint(field << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def external_model(location: str) -> bytes:
    """y = x * w as ONNX; w: 4 floats in a file beside the model."""

    def port(name: str) -> bytes:
        shape = proto(1, proto(1, 4))
        return proto(1, name) + proto(2, proto(1, proto(1, 1) + proto(2, shape)))

    weight = proto(1, 4) + proto(2, 1) + proto(8, "w") + proto(13, proto(1, "location") + proto(2, location)) + proto(14, 1)
    node = proto(1, "x") + proto(1, "w") + proto(2, "y") + proto(4, "Mul")
    graph = proto(1, node) + proto(2, "g") + proto(5, weight) + proto(11, port("x")) + proto(12, port("y"))
    return proto(1, 8) + proto(7, graph) + proto(8, proto(1, "") + proto(2, 17))
