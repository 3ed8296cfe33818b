// AES and MD5, compared with OpenSSL; DNA matching.
#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "simt/programs.h"

namespace brokkr::simt {
namespace {

using Bytes = std::vector<uint8_t>;

uint32_t product(uint32_t a, uint32_t b) {  // in AES's finite field
  uint32_t p = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) p ^= a;
    a = (a << 1 ^ ((a & 0x80) != 0 ? 0x1b : 0)) & 255;
  }
  return p;
}

// The S-box by definition: an inverse and an affine map [Nist01, 5.1.1].
Bytes make_sbox() {
  Bytes s(256);
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t inverse = 0;
    for (uint32_t i = 1; i < 256 && byte != 0 && inverse == 0; ++i) inverse = product(byte, i) == 1 ? i : 0;
    uint32_t r = 0x63;
    for (uint32_t turn = 0; turn < 5; ++turn) r ^= (inverse << turn | inverse >> (8 - turn)) & 255;
    s[byte] = uint8_t(r);
  }
  return s;
}

Bytes expand_key(const Bytes& key, const Bytes& sbox) {
  Bytes keys = key;
  uint32_t round = 1;
  while (keys.size() < 176) {
    uint8_t word[4];
    std::copy(keys.end() - 4, keys.end(), word);
    if (keys.size() % 16 == 0) {
      std::rotate(word, word + 1, word + 4);
      for (uint8_t& b : word) b = sbox[b];
      word[0] = uint8_t(word[0] ^ round);
      round = product(round, 2);
    }
    for (const uint8_t b : word) keys.push_back(uint8_t(keys[keys.size() - 16] ^ b));
  }
  return keys;
}

Bytes aes_of_cpu(const Bytes& key, const Bytes& in) {
  Bytes out(in.size() + 16);
  int count = 0;
  EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(context, EVP_aes_128_ecb(), nullptr, key.data(), nullptr);
  EVP_CIPHER_CTX_set_padding(context, 0);
  EVP_EncryptUpdate(context, out.data(), &count, in.data(), int(in.size()));
  EVP_CIPHER_CTX_free(context);
  out.resize(size_t(count));
  return out;
}

std::vector<uint32_t> md5_of_cpu(const uint32_t* words, uint32_t count) {
  std::vector<uint32_t> hash(4);
  EVP_Digest(words, size_t(count) * 4, reinterpret_cast<unsigned char*>(hash.data()), nullptr, EVP_md5(), nullptr);
  return hash;
}

// The longest prefix of a query that occurs in the text, by exhaustive search.
uint32_t longest_match(const std::string& text, const std::string& query) {
  size_t best = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    size_t n = 0;
    while (n < query.size() && at + n < text.size() && text[at + n] == query[n]) ++n;
    best = std::max(best, n);
  }
  return uint32_t(best);
}

}  // namespace

void run_aes(Runner& runner, const ProgramSize& size) {
  const uint32_t count = 2048 * size.scale;
  Numbers numbers(6);
  Bytes key(16), in(count * 16);
  for (uint8_t& b : key) b = uint8_t(numbers.next());
  for (uint8_t& b : in) b = uint8_t(numbers.next());
  const Bytes sbox = make_sbox();
  uint8_t* const out = runner.buffer<uint8_t>(in.size());
  runner.launch("aes", {count / 256}, {256}, runner.buffer(sbox), runner.buffer(expand_key(key, sbox)),
                runner.buffer(in), out, count);
  if (!runner.was_stopped()) expect_same("aes", out, aes_of_cpu(key, in));
}

void run_storage(Runner& runner, const ProgramSize& size) {
  const uint32_t count = 1024 * size.scale, words = 32;
  Numbers numbers(7);
  std::vector<uint32_t> data(count * words), sines(64), expected;
  for (uint32_t& word : data) word = numbers.next();
  for (uint32_t i = 0; i < 64; ++i) sines[i] = uint32_t(std::floor(std::fabs(std::sin(double(i + 1))) * 0x1p32));
  for (uint32_t i = 0; i < count; ++i) {
    const std::vector<uint32_t> hash = md5_of_cpu(&data[i * words], words);
    expected.insert(expected.end(), hash.begin(), hash.end());
  }
  uint32_t* const hashes = runner.buffer<uint32_t>(count * 4);
  runner.launch("storage", {count / 128}, {128}, runner.buffer(data), words, runner.buffer(sines), hashes, count);
  if (!runner.was_stopped()) expect_same("sto", hashes, expected);
}

// Queries are pieces of the text with some letters changed, of several lengths.
void run_match(Runner& runner, const ProgramSize& size) {
  const uint32_t length = 8192, count = 1024 * size.scale;
  Numbers numbers(8);
  std::string text(length, ' '), queries;
  for (char& c : text) c = "ACGT"[numbers.below(4)];
  std::vector<uint32_t> suffixes(length), begins{0}, expected;
  std::iota(suffixes.begin(), suffixes.end(), 0u);
  std::sort(suffixes.begin(), suffixes.end(), [&](uint32_t a, uint32_t b) {
    return std::string_view(text).substr(a) < std::string_view(text).substr(b);
  });
  for (uint32_t i = 0; i < count; ++i) {
    std::string query = text.substr(numbers.below(length - 64), 8 + numbers.below(40));
    for (char& c : query) c = numbers.below(24) == 0 ? "ACGT"[numbers.below(4)] : c;
    if (i < 256) expected.push_back(longest_match(text, query));  // exhaustive search is slow
    queries += query;
    begins.push_back(uint32_t(queries.size()));
  }
  uint32_t *const lengths = runner.buffer<uint32_t>(count), *const places = runner.buffer<uint32_t>(count);
  runner.launch("match", {count / 128}, {128}, runner.buffer(std::vector<char>(text.begin(), text.end())), length,
                runner.buffer(suffixes), runner.buffer(std::vector<char>(queries.begin(), queries.end())),
                runner.buffer(begins), lengths, places, count);
  if (runner.was_stopped()) return;
  expect_same("mum", lengths, expected);
  for (uint32_t i = 0; i < count; ++i) {
    if (text.compare(places[i], lengths[i], queries, begins[i], lengths[i]) != 0)
      fail("mum: query {} does not match where it was found", i);
  }
}

}  // namespace brokkr::simt
