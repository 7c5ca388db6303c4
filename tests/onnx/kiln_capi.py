# kiln_capi.py: libkiln_runtime's C API for Python tests, through ctypes and numpy.
"""Loads models and runs them in this process: `Session("host").load(path).run([array, ...])`.

One Session is one opened device with its caches, so that many small models cost milliseconds each. Needs numpy and
ml_dtypes (which `onnx` depends on). For one thread."""

import ctypes
import pathlib

import ml_dtypes
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEFAULT_BUILD = ROOT / "build"

MAX_RANK = 16
UNIMPLEMENTED = 12

# KilnDType by number; the narrow types are unpacked to a byte an element for numpy.
DTYPES = {1: numpy.float16, 2: ml_dtypes.bfloat16, 3: numpy.float32, 4: numpy.float64, 5: numpy.bool_, 6: numpy.int8,
          7: numpy.int16, 8: numpy.int32, 9: numpy.int64, 10: numpy.uint8, 11: numpy.uint16, 12: numpy.uint32,
          13: numpy.uint64, 14: ml_dtypes.float8_e4m3fn, 15: ml_dtypes.float8_e5m2, 16: ml_dtypes.int4, 17: ml_dtypes.uint4}
NUMBERS = {numpy.dtype(dtype): number for number, dtype in DTYPES.items()}
PACKED = (16, 17)


class Str(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]

    @staticmethod
    def of(text: str) -> "Str":
        data = text.encode()
        return Str(data, len(data))

    def text(self) -> str:
        return ctypes.string_at(self.data, self.size).decode(errors="replace") if self.size else ""


class SessionOptions(ctypes.Structure):  # up to memory_limit_bytes: later fields keep their defaults
    _fields_ = [("struct_size", ctypes.c_size_t), ("device", Str), ("threads", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("memory_limit_bytes", ctypes.c_uint64)]


class Tensor(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", Str), ("dtype", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                ("dims", ctypes.c_int64 * MAX_RANK), ("strides", ctypes.c_int64 * MAX_RANK), ("data", ctypes.c_void_p),
                ("data_bytes", ctypes.c_uint64), ("buffer", ctypes.c_void_p), ("buffer_offset", ctypes.c_uint64)]


class PortInfo(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", Str), ("dtype", ctypes.c_uint32), ("rank", ctypes.c_uint32),
                ("dims", ctypes.c_int64 * MAX_RANK), ("dim_names", Str * MAX_RANK)]


class RunOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("timeout_ns", ctypes.c_uint64), ("precompile", ctypes.c_uint32),
                ("profile", ctypes.c_uint32), ("asynchronous", ctypes.c_uint32), ("reserved", ctypes.c_uint32)]


class KilnError(Exception):
    """A KilnStatus: code and message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def make(structure, **values):
    return structure(struct_size=ctypes.sizeof(structure), **values)


class Library:
    """The functions used here; every KilnStatus is turned into a KilnError."""

    def __init__(self, build: pathlib.Path) -> None:
        self.native = ctypes.CDLL(str(build / "lib" / "libkiln_runtime.so"))
        self.native.kiln_status_code.argtypes = [ctypes.c_void_p]
        self.native.kiln_status_message.argtypes = [ctypes.c_void_p]
        self.native.kiln_status_message.restype = Str
        self.native.kiln_status_free.argtypes = [ctypes.c_void_p]
        for name in ("kiln_model_input_count", "kiln_model_output_count", "kiln_run_output_count"):
            getattr(self.native, name).restype = ctypes.c_size_t

    def __call__(self, name: str, *arguments) -> None:
        function = getattr(self.native, name)
        function.restype = ctypes.c_void_p
        status = function(*arguments)
        if not status:
            return
        error = KilnError(self.native.kiln_status_code(status), self.native.kiln_status_message(status).text())
        self.native.kiln_status_free(status)
        raise error


def pack(array: numpy.ndarray) -> numpy.ndarray:
    """Two elements to a byte, the first one low."""
    nibbles = array.reshape(-1).view(numpy.uint8) & 15
    nibbles = numpy.append(nibbles, numpy.zeros(nibbles.size % 2, numpy.uint8))
    return nibbles[0::2] | (nibbles[1::2] << 4)


def unpack(data: numpy.ndarray, count: int, dtype: numpy.dtype) -> numpy.ndarray:
    nibbles = numpy.stack([data & 15, data >> 4], axis=1).reshape(-1)[:count]
    if dtype == ml_dtypes.int4:
        nibbles = (nibbles ^ 8).view(numpy.int8) - 8
    return nibbles.astype(dtype)


class Model:
    """A loaded model; lives as long as its session."""

    def __init__(self, session: "Session", path: str) -> None:
        self.session, self.lib = session, session.lib
        self.handle = ctypes.c_void_p()
        self.lib("kiln_model_load_file", session.instance, Str.of(path), None, ctypes.byref(self.handle))

    def __del__(self) -> None:
        if self.handle:
            self.lib.native.kiln_model_release(self.handle)

    def input_names(self) -> list[str]:
        names = []
        for index in range(self.lib.native.kiln_model_input_count(self.handle)):
            info = make(PortInfo)
            self.lib("kiln_model_input", self.handle, ctypes.c_size_t(index), ctypes.byref(info))
            names.append(info.name.text())
        return names

    def run(self, inputs: dict[str, numpy.ndarray], timeout_s: float = 0) -> list[numpy.ndarray]:
        """The outputs, in the model's order, for inputs by name."""
        tensors = (Tensor * max(1, len(inputs)))()
        alive = []
        for tensor, (name, array) in zip(tensors, inputs.items()):
            if array.dtype not in NUMBERS or array.ndim > MAX_RANK:
                raise TypeError(f"input '{name}': a {array.dtype} of rank {array.ndim} is no tensor of Kiln's")
            number = NUMBERS[array.dtype]
            data = pack(array) if number in PACKED else numpy.ascontiguousarray(array)
            alive.append(data)
            tensor.struct_size, tensor.name = ctypes.sizeof(Tensor), Str.of(name)
            tensor.dtype, tensor.rank, tensor.dims[:array.ndim] = number, array.ndim, array.shape
            tensor.data, tensor.data_bytes = data.ctypes.data, data.nbytes
        options, run = make(RunOptions, timeout_ns=int(timeout_s * 1e9)), ctypes.c_void_p()
        self.lib("kiln_session_run", self.session.handle, self.handle, tensors, ctypes.c_size_t(len(inputs)),
                 ctypes.byref(options), ctypes.byref(run))
        try:
            return [self.output(run, index) for index in range(self.lib.native.kiln_run_output_count(run))]
        finally:
            self.lib.native.kiln_run_release(run)

    def output(self, run: ctypes.c_void_p, index: int) -> numpy.ndarray:
        tensor = make(Tensor)
        self.lib("kiln_run_output", run, ctypes.c_size_t(index), ctypes.byref(tensor))
        shape, dtype = tuple(tensor.dims[:tensor.rank]), numpy.dtype(DTYPES[tensor.dtype])
        count = int(numpy.prod(shape, dtype=numpy.int64))
        data = numpy.frombuffer(ctypes.string_at(tensor.data, tensor.data_bytes) if count else b"", numpy.uint8)
        flat = unpack(data, count, dtype) if tensor.dtype in PACKED else data[: count * dtype.itemsize].view(dtype)
        return flat.reshape(shape)


class Session:
    """A device opened in an instance of its own."""

    def __init__(self, device: str = "host", threads: int = 1, build: pathlib.Path = DEFAULT_BUILD) -> None:
        self.lib, self.instance, self.handle = Library(build), ctypes.c_void_p(), ctypes.c_void_p()
        self.options = make(SessionOptions, device=Str.of(device), threads=threads)
        self.lib("kiln_instance_create", None, ctypes.byref(self.instance))
        self.open()

    def open(self) -> None:
        self.lib("kiln_session_open", self.instance, ctypes.byref(self.options), ctypes.byref(self.handle))

    def load(self, path) -> Model:
        return Model(self, str(path))

    def heal(self) -> None:
        """After a run that failed: the queue may be poisoned."""
        self.lib("kiln_session_reset", self.handle)
