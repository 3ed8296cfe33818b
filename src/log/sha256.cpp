#include "log/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace brokkr {
namespace {

void check(int result) {
  if (result != 1) throw std::runtime_error("SHA-256: libcrypto failed; is its configuration whole?");
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(digest); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  check(context_->digest != nullptr);
  check(EVP_DigestInit_ex(context_->digest, EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_->digest, bytes.data(), bytes.size()));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  check(EVP_DigestFinal_ex(context_->digest, bytes.data(), &length));
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace brokkr
