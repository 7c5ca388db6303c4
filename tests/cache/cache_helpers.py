# cache_helpers.py: what test_folders.py needs of the system and of ONNX's format.
"""A filter that notices file locks, ONNX models made and renamed, a program in a terminal, damage. Standard library only."""

import ctypes
import os
import pathlib
import platform
import pty
import random
import struct
import subprocess


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


def run_in_terminal(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and what the program wrote to the terminal that its standard error is."""
    mine, its = pty.openpty()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its, env=environment)
    os.close(its)
    text = b""
    try:
        while part := os.read(mine, 4096):
            text += part
    except OSError:  # EIO: the child has closed its side
        pass
    os.close(mine)
    return child.wait(), text.decode()


def vandalize(folder: pathlib.Path, chance: random.Random) -> str:
    """One act of damage to a cache folder; says which."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink() and "preflight" not in path.parts)
    if not files:
        return "nothing to damage"
    path, other = chance.choice(files), chance.choice(files)
    data = bytearray(path.read_bytes())
    act = chance.choice(["flip", "truncate", "grow", "empty", "noise", "delete", "exchange", "copy", "link", "folder", "mode", "zero", "clock"])
    if act == "flip" and data:
        for _ in range(chance.randint(1, 8)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
    elif act == "truncate":
        path.write_bytes(data[: chance.randrange(len(data) + 1)])
    elif act == "grow":
        path.write_bytes(data + chance.randbytes(chance.randint(1, 5000)))
    elif act == "empty":
        path.write_bytes(b"")
    elif act == "noise":
        path.write_bytes(chance.randbytes(len(data)))
    elif act == "zero" and data:
        begin = chance.randrange(len(data))
        data[begin : begin + 512] = bytes(len(data[begin : begin + 512]))
        path.write_bytes(data)
    elif act == "exchange":
        theirs = other.read_bytes()
        other.write_bytes(data)
        path.write_bytes(theirs)
    elif act == "copy":
        other.write_bytes(data)
    elif act == "mode":
        path.chmod(chance.choice([0o000, 0o444, 0o666, 0o777]))
    elif act == "clock":
        os.utime(path, (chance.choice([0, 2**33]),) * 2)
    else:
        path.unlink()
        if act == "link":
            path.symlink_to(chance.choice([other, "/etc/passwd", "/dev/zero", "nowhere", path.name]))
        elif act == "folder":
            path.mkdir()
    return f"{act} {path.relative_to(folder)} ({other.relative_to(folder)})"


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


def fields_of(message: bytes) -> list[tuple[int, bytes | int, bytes]]:
    """The fields of a protobuf message: number, value, all its bytes."""

    def varint(at: int) -> tuple[int, int]:
        number = shift = 0
        while True:
            byte = message[at]
            number, shift, at = number | (byte & 127) << shift, shift + 7, at + 1
            if byte < 128:
                return number, at

    fields, at = [], 0
    while at < len(message):
        begin = at
        tag, at = varint(at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(at)
        else:
            size, at = {1: (8, at), 5: (4, at)}.get(kind) or varint(at)
            value, at = message[at : at + size], at + size
        fields.append((tag >> 3, value, message[begin:at]))
    return fields


def renamed_model(model: bytes, names: str) -> bytes:
    """The ONNX model with other names for the graph, its nodes and the values between them; it has no subgraphs."""
    graph = next(value for number, value, _ in fields_of(model) if number == 7)
    nodes = [fields_of(value) for number, value, _ in fields_of(graph) if number == 1]
    ports = {field[1] for number, value, _ in fields_of(graph) if number in (11, 12) for field in fields_of(value) if field[0] == 1}
    inner = {value for node in nodes for number, value, _ in node if number == 2} - ports

    def rename(name: bytes) -> bytes:
        return names.encode() + name if name in inner else name

    def node_again(node: list) -> bytes:
        return b"".join(proto(number, rename(value)) if number in (1, 2) else proto(3, names) if number == 3 else raw
                        for number, value, raw in node)

    parts = iter(nodes)
    body = b"".join(proto(1, node_again(next(parts))) if number == 1 else proto(2, names) if number == 2 else raw
                    for number, _, raw in fields_of(graph) if number != 13)  # declared types of inner values may be absent
    return b"".join(proto(7, body) if number == 7 else raw for number, _, raw in fields_of(model))
