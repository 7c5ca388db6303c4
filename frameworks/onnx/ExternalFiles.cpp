// ExternalFiles.cpp: checks external_data entries before any file is opened: their text, then where symbolic
// links lead.
#include "frameworks/onnx/ExternalFiles.h"

#include "frameworks/onnx/Errors.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
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

/// The folder of `path`, "." if it names none.
StringRef folderOf(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder;
}

bool isBelow(StringRef path, StringRef folder) {
  return path.consume_front(folder) && (folder.ends_with("/") || path.starts_with("/"));
}

/// Replaces `path` by what it is once links are followed. It must lie below the model's folder, or below that
/// of the file which the model is a link to: download caches keep both as links into one folder. What cannot
/// be resolved stays as it is, for opening it to say why.
Status followLinks(StringRef location, StringRef modelPath, llvm::SmallString<256> &path) {
  llvm::SmallString<256> real, folder, model;
  if (llvm::sys::fs::real_path(path, real))
    return {};
  bool isInside =
      (!llvm::sys::fs::real_path(folderOf(modelPath), folder) && isBelow(real, folder)) ||
      (!llvm::sys::fs::real_path(modelPath, model) && isBelow(real, llvm::sys::path::parent_path(model)));
  if (!isInside)
    return invalid("external data location '{0}' is a link that leaves the model's folder, to '{1}'",
                   location, real);
  path = real;
  return {};
}

} // namespace

Result<std::shared_ptr<const MappedFile>> ExternalFiles::open(StringRef location) {
  auto [it, isNew] = files.try_emplace(location);
  if (isNew) {
    llvm::SmallString<256> path(llvm::sys::path::parent_path(modelPath));
    llvm::sys::path::append(path, location);
    if (Status status = followLinks(location, modelPath, path); !status.ok()) {
      files.erase(it);
      return status;
    }
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
