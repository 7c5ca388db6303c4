#!/usr/bin/env python3
# kiln_client.py: a Python process that embeds libkiln_runtime by ctypes, as a framework's binding would.
"""usage: kiln_client.py LIBKILN_RUNTIME COMMAND [DEVICE]

devices   prints the devices, searching site-packages/kiln_backends of this Python
run       runs y = x * 2 + 1 on DEVICE and prints the result
kill      the same, then kills the server of the device foo, synchronises, and runs on host: prints the error and the result"""

import ctypes
import os
import pathlib
import signal
import sys
import sysconfig
import time

Text = "module { func.func @main(%x: tensor<4xf32>, %a: tensor<f32>, %b: tensor<f32>) -> tensor<4xf32> {\n" \
       "  %m = kiln.mul %x, %a : tensor<4xf32>, tensor<f32> -> tensor<4xf32>\n" \
       "  %y = kiln.add %m, %b : tensor<4xf32>, tensor<f32> -> tensor<4xf32>\n" \
       "  return %y : tensor<4xf32> } }\n"
F32, MAX_RANK, FOREVER = 3, 16, 2**64 - 1


class Str(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


def to_str(text: str) -> Str:
    data = text.encode()
    return Str(data, len(data))


def view(text: Str) -> str:
    return ctypes.string_at(text.data, text.size).decode()


def sized(name: str, fields: list[tuple[str, object]]) -> type[ctypes.Structure]:
    return type(name, (ctypes.Structure,), {"_fields_": [("struct_size", ctypes.c_size_t), *fields]})


InstanceOptions = sized("InstanceOptions", [
    ("backend_dirs", ctypes.POINTER(Str)), ("backend_dir_count", ctypes.c_size_t), ("autoload", ctypes.c_uint32),
    ("reserved", ctypes.c_uint32), ("package_dirs", ctypes.POINTER(Str)), ("package_dir_count", ctypes.c_size_t)])
SessionOptions = sized("SessionOptions", [("device", Str), ("threads", ctypes.c_uint32), ("reserved", ctypes.c_uint32)])
ModelOptions = sized("ModelOptions", [("format", Str), ("function", Str), ("name", Str)])
RunOptions = sized("RunOptions", [("timeout_ns", ctypes.c_uint64)])
Tensor = sized("Tensor", [
    ("name", Str), ("dtype", ctypes.c_uint32), ("rank", ctypes.c_uint32), ("dims", ctypes.c_int64 * MAX_RANK),
    ("strides", ctypes.c_int64 * MAX_RANK), ("data", ctypes.c_void_p), ("data_bytes", ctypes.c_uint64),
    ("buffer", ctypes.c_void_p), ("buffer_offset", ctypes.c_uint64)])
DeviceEntry = sized("DeviceEntry", [("name", Str), ("backend", Str)])
Visit = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(DeviceEntry))


def new(kind: type[ctypes.Structure], **values: object) -> ctypes.Structure:
    return kind(struct_size=ctypes.sizeof(kind), **values)


class Kiln:
    """One instance of the runtime; functions raise RuntimeError with Kiln's message."""

    def __init__(self, library: str) -> None:
        self.lib = ctypes.CDLL(library)
        self.lib.kiln_status_message.restype = Str
        self.lib.kiln_status_message.argtypes = self.lib.kiln_status_free.argtypes = [ctypes.c_void_p]
        self.lib.kiln_code_name.restype = ctypes.c_char_p
        folder = pathlib.Path(sysconfig.get_paths()["purelib"]) / "kiln_backends"
        folders = (Str * 1)(to_str(str(folder)))
        self.instance = ctypes.c_void_p()
        self.call("instance_create", ctypes.byref(new(InstanceOptions, package_dirs=folders, package_dir_count=1)),
                  ctypes.byref(self.instance))

    def call(self, name: str, *arguments: object) -> None:
        function = getattr(self.lib, f"kiln_{name}")
        function.restype = ctypes.c_void_p
        if status := function(*arguments):
            code = self.lib.kiln_code_name(self.lib.kiln_status_code(ctypes.c_void_p(status))).decode()
            message = view(self.lib.kiln_status_message(status))
            self.lib.kiln_status_free(status)
            raise RuntimeError(f"{code}: {message}")

    def devices(self) -> list[str]:
        names: list[str] = []
        visit = Visit(lambda _, entry: names.append(view(entry.contents.name)))
        self.call("instance_devices", self.instance, visit, None)
        return names

    def session(self, device: str) -> ctypes.c_void_p:
        session = ctypes.c_void_p()
        self.call("session_open", self.instance, ctypes.byref(new(SessionOptions, device=to_str(device))),
                  ctypes.byref(session))
        return session

    def run(self, session: ctypes.c_void_p) -> list[float]:
        model, run = ctypes.c_void_p(), ctypes.c_void_p()
        text = Text.encode()
        self.call("model_load_memory", self.instance, text, ctypes.c_size_t(len(text)),
                  ctypes.byref(new(ModelOptions, format=to_str("mlir"))), ctypes.byref(model))
        arrays = [(ctypes.c_float * 4)(0, 1, 2, 3), (ctypes.c_float * 1)(2), (ctypes.c_float * 1)(1)]
        inputs = (Tensor * 3)()
        for tensor, array, rank in zip(inputs, arrays, (1, 0, 0)):
            tensor.struct_size, tensor.dtype, tensor.rank = ctypes.sizeof(Tensor), F32, rank
            tensor.dims[0] = 4 if rank else 0
            tensor.data, tensor.data_bytes = ctypes.cast(array, ctypes.c_void_p), ctypes.sizeof(array)
        self.call("session_run", session, model, inputs, ctypes.c_size_t(3), ctypes.byref(new(RunOptions)),
                  ctypes.byref(run))
        output = new(Tensor)
        self.call("run_output", run, ctypes.c_size_t(0), ctypes.byref(output))
        return list((ctypes.c_float * 4).from_address(output.data))

    def synchronize(self, session: ctypes.c_void_p) -> None:
        self.call("session_synchronize", session, ctypes.c_uint64(FOREVER))


def children(name: str) -> list[int]:
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command, rest = (folder / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        if command == name and int(rest.split()[1]) == os.getpid():
            found.append(int(folder.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:  # reaped
        return False


def kill(pid: int) -> None:
    """Kills the process and waits until it is dead."""
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while is_alive(pid):
        if time.monotonic() > deadline:
            raise RuntimeError(f"process {pid} outlives SIGKILL by 10 s")
        time.sleep(0.001)


def main() -> None:
    kiln = Kiln(sys.argv[1])
    if sys.argv[2] == "devices":
        print(*kiln.devices())
        return
    session = kiln.session(sys.argv[3])
    print(kiln.run(session))
    if sys.argv[2] != "kill":
        return
    for pid in children("foo-server"):
        kill(pid)
    for attempt in (kiln.synchronize, kiln.run):
        try:
            attempt(session)
            print("no error")
        except RuntimeError as error:
            print(error)
    print(kiln.run(kiln.session("host")))
    print(kiln.run(kiln.session("foo")))  # a device opened anew has a server of its own


if __name__ == "__main__":
    main()
