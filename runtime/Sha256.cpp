// Sha256.cpp: the EVP interface, which uses the SHA instructions where the CPU has them.
#include "runtime/Sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <new>

namespace kiln {

Sha256::Sha256() : context(EVP_MD_CTX_new(), [](void *c) { EVP_MD_CTX_free(static_cast<EVP_MD_CTX *>(c)); }) {
  if (!context || EVP_DigestInit_ex(static_cast<EVP_MD_CTX *>(context.get()), EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc(); // the only way that either fails
}

void Sha256::update(ByteSpan bytes) {
  EVP_DigestUpdate(static_cast<EVP_MD_CTX *>(context.get()), bytes.data(), bytes.size());
}

std::string Sha256::finish() {
  unsigned char digest[kHexDigits / 2];
  EVP_DigestFinal_ex(static_cast<EVP_MD_CTX *>(context.get()), digest, nullptr);
  std::string hex;
  hex.reserve(kHexDigits);
  for (unsigned char byte : digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

std::string Sha256::of(ByteSpan bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

std::string Sha256::of(std::string_view text) {
  Sha256 digest;
  digest.update(text);
  return digest.finish();
}

bool Sha256::isHexDigest(std::string_view text) {
  return text.size() == kHexDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

} // namespace kiln
