// WeightStore.cpp: SHA-256 by libcrypto, which uses the CPU's instructions for it.
#include "frameworks/onnx/WeightStore.h"

#include "llvm/ADT/StringExtras.h"

#include <openssl/sha.h>

namespace kiln::onnx {

std::string WeightStore::add(llvm::ArrayRef<char> bytes, std::shared_ptr<const void> owner) {
  uint8_t hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), hash);
  std::string digest = llvm::toHex(hash, /*LowerCase=*/true);
  if (digests.insert(digest).second)
    weights.emplace_back(digest, jit::WeightData{bytes, std::move(owner)});
  return digest;
}

} // namespace kiln::onnx
