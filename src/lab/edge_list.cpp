// SNAP's edge lists, plain or compressed with gzip (RFC 1952; the stream inside by stb_image's decoder).
#include <stb/stb_image.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "lab/graph.h"
#include "scene/file_io.h"

namespace brokkr::lab {
namespace {

constexpr uint64_t kMaxFileBytes = uint64_t(1) << 31;

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw std::runtime_error(name + ": " + what);
}

uint32_t crc32(const char* bytes, size_t size) {
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1u) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  uint32_t crc = ~0u;
  for (size_t i = 0; i < size; ++i) crc = table[(crc ^ uint8_t(bytes[i])) & 0xffu] ^ (crc >> 8);
  return ~crc;
}

std::string decompress(const std::string& file, const std::string& name) {
  const auto byte = [&](size_t i) { return uint32_t(uint8_t(file[i])); };
  const auto word = [&](size_t i) { return byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24; };
  constexpr const char* kBroken = "is not a whole gzip file; download it again, or unpack it with gunzip";
  if (file.size() < 18 || byte(2) != 8) fail(name, kBroken);
  size_t at = 10;
  const uint32_t flags = byte(3);
  if ((flags & 4u) != 0) at += 2 + byte(10) + (byte(11) << 8);
  for (const uint32_t text : {8u, 16u}) {  // name, comment: to their zero byte
    if ((flags & text) == 0) continue;
    while (at < file.size() && file[at] != 0) ++at;
    ++at;
  }
  if ((flags & 2u) != 0) at += 2;
  if (at + 8 >= file.size()) fail(name, kBroken);
  int size = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      stbi_zlib_decode_noheader_malloc(file.data() + at, int(file.size() - at - 8), &size), std::free);
  if (text == nullptr || size < 0 || uint32_t(size) != word(file.size() - 4) ||
      crc32(text.get(), size_t(size)) != word(file.size() - 8)) {
    fail(name, kBroken);
  }
  return std::string(text.get(), size_t(size));
}

// Two whole numbers with white space around them. False: something else.
bool parse_edge(const char* p, const char* end, uint64_t (&ends)[2]) {
  const auto skip = [&] {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
  };
  for (uint64_t& number : ends) {
    skip();
    const auto [after, error] = std::from_chars(p, end, number);
    if (error != std::errc() || (after < end && *after != ' ' && *after != '\t' && *after != '\r')) return false;
    p = after;
  }
  skip();
  return p == end;
}

}  // namespace

Graph parse_edge_list(const std::string& text, const std::string& name) {
  std::vector<std::pair<uint64_t, uint64_t>> list;
  size_t line = 0;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t first = text.find_first_not_of(" \t\r", begin);
    if (first < end && text[first] != '#') {
      uint64_t ends[2];
      if (!parse_edge(text.data() + begin, text.data() + end, ends)) {
        fail(name + ":" + std::to_string(line + 1), "expected two node numbers, as in \"12 345\", or a # comment");
      }
      if (list.size() >= kMaxGraphEdges) fail(name, "more than 2^30 edges");
      list.emplace_back(ends[0], ends[1]);
    }
    begin = end + 1;
  }
  if (list.empty()) fail(name, "holds no edges; expected lines of two node numbers");
  std::vector<uint64_t> number;
  number.reserve(list.size() * 2);
  for (const auto& [from, to] : list) {
    number.push_back(from);
    number.push_back(to);
  }
  std::sort(number.begin(), number.end());
  number.erase(std::unique(number.begin(), number.end()), number.end());
  if (number.size() > kMaxGraphNodes) fail(name, "more than 2^27 nodes");
  const auto node_of = [&](uint64_t n) {
    return uint32_t(std::lower_bound(number.begin(), number.end(), n) - number.begin());
  };
  Graph graph;
  graph.name = name;
  const size_t nodes = number.size();
  graph.first_edge.assign(nodes + 1, 0);
  graph.in_degree.assign(nodes, 0);
  std::sort(list.begin(), list.end());
  for (const auto& [from, to] : list) {
    ++graph.first_edge[node_of(from) + 1];
    graph.target.push_back(node_of(to));
    ++graph.in_degree[graph.target.back()];
  }
  std::partial_sum(graph.first_edge.begin(), graph.first_edge.end(), graph.first_edge.begin());
  return graph;
}

Graph read_edge_list(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path, kMaxFileBytes - 1);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.size() >= 2 && uint8_t(text[0]) == 0x1f && uint8_t(text[1]) == 0x8b) text = decompress(text, path.string());
  Graph graph = parse_edge_list(text, path.string());
  graph.name = path.stem().stem().string();
  return graph;
}

}  // namespace brokkr::lab
