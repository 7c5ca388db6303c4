// Npy.cpp: the header's Python literal is read by hand, archives by libzip.
// Format: numpy.lib.format, versions 1.0 to 3.0.
#include "tools/lib/Npy.h"

#include "tools/lib/ReadFile.h"

#include "kiln/kiln.h"

#include <fmt/format.h>
#include <zip.h>

#include <cstring>
#include <filesystem>
#include <memory>

namespace kiln::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int64_t kMaxExtent = int64_t{1} << 46;
constexpr size_t kMaxShownShape = 60;                   // of a shape in an error
constexpr uint64_t kMaxMemberBytes = uint64_t{1} << 36; // larger than any tensor a test machine holds

Status badNpy(const std::string &what, std::string_view why) {
  return {Code::InvalidArgument, fmt::format("{}: {}", what, why)};
}

struct TypeCode {
  std::string_view code;
  KilnDType dtype;
};
constexpr TypeCode kTypeCodes[] = {{"f2", KILN_F16}, {"f4", KILN_F32}, {"f8", KILN_F64}, {"b1", KILN_I1},
                                   {"i1", KILN_I8},  {"i2", KILN_I16}, {"i4", KILN_I32}, {"i8", KILN_I64},
                                   {"u1", KILN_U8},  {"u2", KILN_U16}, {"u4", KILN_U32}, {"u8", KILN_U64}};

/// The text after `'key':` in the header's dictionary, "" if absent.
std::string_view headerField(std::string_view header, std::string_view key) {
  size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos)
    return {};
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

/// What is wrong with the header's shape, "" if nothing.
std::string parseShape(std::string_view field, std::vector<int64_t> &dims) {
  if (field.empty())
    return "no 'shape' in the header";
  auto malformed = [&](std::string_view why) {
    return fmt::format("malformed 'shape' in the header: '{}'{}",
                       field.substr(0, std::min(field.find(')'), kMaxShownShape) + 1), why);
  };
  if (field.front() != '(')
    return malformed("; expected a tuple of extents");
  std::string_view text = field.substr(1);
  int64_t value = -1;
  for (char c : text) {
    if (c >= '0' && c <= '9') {
      value = (value < 0 ? 0 : value) * 10 + (c - '0');
      if (value > kMaxExtent)
        return malformed(fmt::format("; expected extents of at most {}", kMaxExtent));
    } else if (c == ',' || c == ')') {
      if (value >= 0)
        dims.push_back(value);
      value = -1;
      if (c == ')')
        return "";
    } else if (c != ' ' && c != 'L') {
      return malformed("; expected extents >= 0");
    }
  }
  return malformed("; expected ')'");
}

/// Copies a column-major array into row-major order.
void transposeFromFortran(HostTensor &tensor, const std::byte *source) {
  size_t width = dtypeBits(tensor.dtype) / 8, rank = tensor.dims.size();
  std::vector<int64_t> index(rank, 0);
  for (int64_t i = 0, n = tensor.elementCount(); i < n; ++i) {
    int64_t from = 0;
    for (size_t d = rank; d-- > 0;)
      from = from * tensor.dims[d] + index[d];
    std::memcpy(tensor.bytes.data() + i * width, source + from * width, width);
    for (size_t d = rank; d-- > 0 && ++index[d] == tensor.dims[d];)
      index[d] = 0;
  }
}

using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;

Result<Archive> openArchive(const std::string &path, int flags) {
  int code = 0;
  zip_t *archive = zip_open(path.c_str(), flags, &code);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    Status status(code == ZIP_ER_NOENT ? Code::NotFound : Code::InvalidArgument,
                  fmt::format("'{}' is not a readable .npz: {}", path, zip_error_strerror(&error)));
    zip_error_fini(&error);
    return status;
  }
  return Archive(archive, zip_discard);
}

} // namespace

Result<HostTensor> parseNpy(std::span<const std::byte> bytes, const std::string &what) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  if (text.size() < 10 || !text.starts_with(kMagic))
    return badNpy(what, "not a .npy file; expected it to start with \\x93NUMPY");
  unsigned major = static_cast<unsigned char>(text[6]);
  size_t lengthBytes = major == 1 ? 2 : 4;
  if (major < 1 || major > 3 || text.size() < 8 + lengthBytes)
    return badNpy(what, fmt::format(".npy version {}; expected 1 to 3", major));
  uint32_t headerLength = 0;
  std::memcpy(&headerLength, text.data() + 8, lengthBytes);
  size_t dataAt = 8 + lengthBytes + headerLength;
  if (text.size() < dataAt)
    return badNpy(what, fmt::format("header of {} bytes, the file has {}", dataAt, text.size()));
  std::string_view header = text.substr(8 + lengthBytes, headerLength);
  std::string_view descr = headerField(header, "descr");
  if (descr.size() < 5 || descr.front() != '\'')
    return badNpy(what, "no simple 'descr' in the header; structured types are not supported");
  descr = descr.substr(1, descr.find('\'', 1) - 1);
  if (descr.starts_with('>'))
    return badNpy(what, fmt::format("big-endian type '{}'; expected little-endian", descr));
  KilnDType dtype = KILN_DTYPE_INVALID;
  for (const TypeCode &known : kTypeCodes)
    if (!descr.empty() && descr.substr(1) == known.code)
      dtype = known.dtype;
  if (dtype == KILN_DTYPE_INVALID)
    return badNpy(what, fmt::format("type '{}'; expected a float, integer or boolean type", descr));
  std::vector<int64_t> dims;
  if (std::string wrong = parseShape(headerField(header, "shape"), dims); !wrong.empty())
    return badNpy(what, wrong);
  if (dims.size() > KILN_MAX_RANK)
    return badNpy(what, fmt::format("rank {}; expected at most {}", dims.size(), KILN_MAX_RANK));
  // Checked against the file before memory is taken.
  double wanted = dtypeBits(dtype) / 8;
  for (int64_t extent : dims)
    wanted *= static_cast<double>(extent);
  if (wanted != static_cast<double>(text.size() - dataAt))
    return badNpy(what, fmt::format("{} data bytes; its shape needs {}", text.size() - dataAt, wanted));
  KILN_ASSIGN_OR_RETURN(HostTensor tensor, makeTensor("", dtype, dims));
  if (headerField(header, "fortran_order").starts_with("True"))
    transposeFromFortran(tensor, bytes.data() + dataAt);
  else if (!tensor.bytes.empty())
    std::memcpy(tensor.bytes.data(), bytes.data() + dataAt, tensor.bytes.size());
  return tensor;
}

std::string formatNpy(const HostTensor &tensor) {
  const TypeCode *code = nullptr;
  for (const TypeCode &known : kTypeCodes)
    if (known.dtype == tensor.dtype)
      code = &known;
  if (!code) {
    HostTensor wide = makeTensor(tensor.name, KILN_F32, tensor.dims).value();
    for (int64_t i = 0, n = tensor.elementCount(); i < n; ++i)
      wide.setElement(i, tensor.element(i));
    return formatNpy(wide);
  }
  std::string shape;
  for (int64_t extent : tensor.dims)
    shape += fmt::format("{},", extent);
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   dtypeBits(tensor.dtype) == 8 ? '|' : '<', code->code, shape);
  size_t padded = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(padded - 11, ' ');
  header += '\n';
  uint16_t length = static_cast<uint16_t>(header.size());
  std::string file(kMagic);
  file += '\x01';
  file += '\0';
  file.append(reinterpret_cast<const char *>(&length), 2);
  file += header;
  file.append(reinterpret_cast<const char *>(tensor.bytes.data()), tensor.bytes.size());
  return file;
}

Result<HostTensor> readNpy(const std::string &path) {
  KILN_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFile(path));
  KILN_ASSIGN_OR_RETURN(HostTensor tensor, parseNpy(bytes, fmt::format("'{}'", path)));
  tensor.name = std::filesystem::path(path).stem().string();
  return tensor;
}

Result<std::vector<HostTensor>> readNpz(const std::string &path) {
  KILN_ASSIGN_OR_RETURN(Archive archive, openArchive(path, ZIP_RDONLY));
  std::vector<HostTensor> tensors;
  for (zip_int64_t i = 0, n = zip_get_num_entries(archive.get(), 0); i < n; ++i) {
    zip_stat_t stat;
    if (zip_stat_index(archive.get(), i, 0, &stat) != 0 || !(stat.valid & ZIP_STAT_NAME) ||
        !(stat.valid & ZIP_STAT_SIZE))
      return badNpy(path, fmt::format("member {}: {}", i, zip_strerror(archive.get())));
    std::string what = fmt::format("'{}', member '{}'", path, stat.name);
    if (stat.size > kMaxMemberBytes)
      return badNpy(what, fmt::format("{} bytes is too large", stat.size));
    std::unique_ptr<zip_file_t, decltype(&zip_fclose)> member(zip_fopen_index(archive.get(), i, 0),
                                                              zip_fclose);
    if (!member)
      return badNpy(what, zip_strerror(archive.get()));
    // Read in steps: a member that lies about its size costs no more memory than it has bytes.
    std::vector<std::byte> bytes;
    constexpr size_t kStep = size_t{1} << 20;
    for (zip_int64_t got = 1; got > 0;) {
      size_t have = bytes.size();
      bytes.resize(have + kStep);
      got = zip_fread(member.get(), bytes.data() + have, kStep);
      if (got < 0)
        return badNpy(what, "damaged: its compressed data or checksum is wrong");
      bytes.resize(have + static_cast<size_t>(got));
    }
    KILN_ASSIGN_OR_RETURN(HostTensor tensor, parseNpy(bytes, what));
    tensor.name = stat.name;
    if (tensor.name.ends_with(".npy"))
      tensor.name.resize(tensor.name.size() - 4);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Status writeNpz(const std::string &path, std::span<const HostTensor> tensors) {
  if (std::error_code error; std::filesystem::is_directory(path, error))
    return {Code::InvalidArgument, fmt::format("'{}' is a folder; expected a file to write", path)};
  KILN_ASSIGN_OR_RETURN(Archive archive, openArchive(path, ZIP_CREATE | ZIP_TRUNCATE));
  std::vector<std::string> files; // libzip reads them at close
  files.reserve(tensors.size());
  for (const HostTensor &tensor : tensors) {
    files.push_back(formatNpy(tensor));
    zip_source_t *source = zip_source_buffer(archive.get(), files.back().data(), files.back().size(), 0);
    std::string member = tensor.name + ".npy";
    if (!source || zip_file_add(archive.get(), member.c_str(), source, ZIP_FL_ENC_UTF_8) < 0) {
      zip_source_free(source);
      return badNpy(path, fmt::format("cannot add '{}': {}", member, zip_strerror(archive.get())));
    }
  }
  if (zip_close(archive.get()) != 0)
    return {Code::Unavailable, fmt::format("cannot write '{}': {}", path, zip_strerror(archive.get()))};
  archive.release();
  return {};
}

} // namespace kiln::tools
