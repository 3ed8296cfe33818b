#include "base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <memory>

#include "base/failure.h"

namespace brokkr {

std::string sha256(std::span<const std::span<const std::byte>> parts) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  bool good = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const auto part : parts) good = good && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
  std::array<unsigned char, 32> digest{};
  if (!good || EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) != 1)
    fail("SHA-256: libcrypto failed; check its configuration");
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace brokkr
