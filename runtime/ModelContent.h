// ModelContent.h: what a model's file and the files beside it hold, remembered by their identity.
#ifndef KILN_RUNTIME_MODELCONTENT_H
#define KILN_RUNTIME_MODELCONTENT_H

#include "runtime/cache/CacheStack.h"

namespace kiln {

/// Everything that an import of a model reads. Plain data.
struct ModelContent {
  std::string digest; // SHA-256 of the model's file
  /// Files beside it that it names, as ONNX's external data, sorted: location, SHA-256. A file that is not
  /// there, or that no importer may open, has a word in place of a digest.
  std::vector<std::pair<std::string, std::string>> files;
  /// Path and identity (device, inode, size, times) of each file when it was looked at; "": it was not there.
  std::vector<std::pair<std::string, std::string>> identities;

  /// Whether every file is still the one that was looked at.
  bool isUnchanged() const;
  /// The digest of all of it: `digest` itself where no file is named.
  std::string wholeDigest() const;
};

/// Reads what the stack does not remember; files of the last seconds are always read. NotFound; Unknown with
/// the system's reason; Unimplemented: it names files in a way that is not understood here.
Result<ModelContent> modelContent(CacheStack &stack, const std::string &path);

} // namespace kiln
#endif // KILN_RUNTIME_MODELCONTENT_H
