// ExternalFiles.cpp: checks external_data entries before any file is opened.
#include "frameworks/onnx/ExternalFiles.h"

#include "frameworks/onnx/Errors.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using llvm::StringRef;

namespace kiln::onnx {
namespace {

Status checkLocation(StringRef location) {
  if (location.empty())
    return invalid("external data without a 'location'");
  if (llvm::sys::path::is_absolute(location) || location.contains('\\'))
    return invalid(
        "external data location '{0}' is not allowed; expected a relative path below the model's folder",
        location);
  for (StringRef component :
       llvm::make_range(llvm::sys::path::begin(location), llvm::sys::path::end(location)))
    if (component == "..")
      return invalid("external data location '{0}' leaves the model's folder; '..' is not allowed", location);
  if (location.contains('\0'))
    return invalid("external data location '{0}' holds a null byte",
                   location.take_until([](char c) { return !c; }));
  return {};
}

} // namespace

Result<std::shared_ptr<const MappedFile>> ExternalFiles::open(StringRef location) {
  auto [it, isNew] = files.try_emplace(location);
  if (isNew) {
    llvm::SmallString<256> path(llvm::sys::path::parent_path(modelPath));
    llvm::sys::path::append(path, location);
    Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path.str().str());
    if (!file.ok()) {
      files.erase(it);
      return Status(Code::InvalidArgument, "external data: " + file.status().message());
    }
    it->second = *std::move(file);
  }
  return it->second;
}

Result<ExternalFiles::Range> ExternalFiles::read(const TensorProto &tensor) {
  StringRef location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const StringStringEntryProto &entry : tensor.external_data()) {
    StringRef value = entry.value();
    if (entry.key() == "location") {
      location = value;
    } else if (entry.key() == "offset") {
      if (value.getAsInteger(10, offset))
        return invalid("external data offset '{0}' is not a number; expected bytes >= 0", value);
    } else if (entry.key() == "length") {
      uint64_t number = 0;
      if (value.getAsInteger(10, number))
        return invalid("external data length '{0}' is not a number; expected bytes >= 0", value);
      length = number;
    }
  }
  KILN_RETURN_IF_ERROR(checkLocation(location));
  if (modelPath.empty())
    return invalid("external data '{0}' of a model that did not come from a file", location);
  KILN_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, open(location));
  uint64_t size = file->bytes().size();
  if (offset > size || length.value_or(0) > size - offset)
    return invalid("external data '{0}': offset {1}, length {2} reach past the end of the file, {3} bytes",
                   location, offset, length ? std::to_string(*length) : "to the end", size);
  return Range{file->bytes().slice(offset, length.value_or(size - offset)), file};
}

} // namespace kiln::onnx
