// NpyTarget.cpp: the tools' readers of .npy, .npz and ONNX's .pb tensors, on the same bytes.
#include "tests/fuzz/Target.h"
#include "tools/lib/Npy.h"
#include "tools/lib/TensorProto.h"

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

using namespace kiln::tools;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const std::byte> bytes(reinterpret_cast<const std::byte *>(data), size);
  (void)parseTensorProto(bytes, "input");
  if (size < 2 || data[0] != 'P' || data[1] != 'K') {
    (void)parseNpy(bytes, "input");
    return 0;
  }
  int file = memfd_create("input", MFD_CLOEXEC); // libzip reads files only
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size))
    return 0;
  (void)readNpz(fmt::format("/proc/self/fd/{}", file));
  close(file);
  return 0;
}

std::string kiln::fuzz::mutate(const std::string &bytes, Random &random) {
  return mutateBytes(bytes, random);
}
