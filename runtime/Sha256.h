// Sha256.h: SHA-256 by libcrypto, for content digests and keys.
#ifndef KILN_RUNTIME_SHA256_H
#define KILN_RUNTIME_SHA256_H

#include "runtime/Bytes.h"

#include <string>
#include <string_view>

namespace kiln {

/// One running digest. Not thread-safe; movable.
class Sha256 {
public:
  static constexpr size_t kHexDigits = 64;

  Sha256();
  void update(ByteSpan bytes);
  void update(std::string_view text) {
    update(ByteSpan(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
  }
  /// Ends the digest: 64 lower-case hex digits. Call once.
  std::string finish();

  static std::string of(ByteSpan bytes);
  static std::string of(std::string_view text);
  /// 64 characters of [0-9a-f].
  static bool isHexDigest(std::string_view text);

private:
  std::shared_ptr<void> context; // EVP_MD_CTX
};

} // namespace kiln
#endif // KILN_RUNTIME_SHA256_H
