// SNAP's edge lists, plain or compressed with gzip.
#include <zlib.h>

#include <algorithm>
#include <charconv>
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

std::string decompress(std::string& file, const std::string& name) {
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(file.data());
  stream.avail_in = uInt(file.size());
  std::string text;
  int state = inflateInit2(&stream, 16 + MAX_WBITS);  // gzip's header and checksum
  while (state == Z_OK) {
    const size_t done = text.size();
    text.resize(done + std::clamp<size_t>(done, size_t(1) << 20, size_t(1) << 30));
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + done);
    stream.avail_out = uInt(text.size() - done);
    state = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || stream.avail_in != 0)
    fail(name, "is not a whole gzip file; download it again, or unpack it with gunzip");
  return text;
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
