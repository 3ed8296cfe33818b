#include "lab/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "lab/plans.h"

namespace brokkr::lab {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_edge_list(text, "list.txt");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(EdgeList, ReadsWhatSnapWrites) {
  const Graph g = parse_edge_list(
      "# Directed graph (each unordered pair of nodes is saved once): p2p-Gnutella31.txt\r\n"
      "# Nodes: 4 Edges: 4\r\n# FromNodeId\tToNodeId\r\n0\t10\r\n0\t7\r\n\r\n10 7\n  99999999999\t0",
      "list.txt");
  ASSERT_EQ(g.nodes(), 4u);  // 0, 7, 10, 99999999999
  EXPECT_EQ(g.first_edge, (std::vector<uint32_t>{0, 2, 2, 3, 4}));
  EXPECT_EQ(g.target, (std::vector<uint32_t>{1, 2, 1, 0}));
  EXPECT_EQ(g.in_degree, (std::vector<uint32_t>{1, 2, 1, 0}));
}

TEST(EdgeList, NamesTheLineThatIsWrong) {
  EXPECT_NE(error_of("# c\n1 2\n1 x\n").find("list.txt:3:"), std::string::npos);
  EXPECT_NE(error_of("1\n").find("list.txt:1:"), std::string::npos);
  EXPECT_NE(error_of("1 2 3\n").find("list.txt:1:"), std::string::npos);
  EXPECT_NE(error_of("1 -2\n").find("list.txt:1:"), std::string::npos);
  EXPECT_NE(error_of("1 99999999999999999999999\n").find("list.txt:1:"), std::string::npos);
  EXPECT_NE(error_of("# nothing\n").find("no edges"), std::string::npos);
  EXPECT_NE(error_of("").find("no edges"), std::string::npos);
}

TEST(EdgeList, ReadsAFileAsItIsDownloaded) {
  const auto folder = std::filesystem::path(testing::TempDir());
  const auto plain = folder / "brokkr-edges.txt", packed = folder / "brokkr-edges.txt.gz";
  std::ofstream(plain) << "# test\n1\t2\n2\t3\n3\t1\n";
  const Graph from_text = read_edge_list(plain);
  EXPECT_EQ(from_text.edges(), 3u);
  if (std::system(("gzip -kf '" + plain.string() + "'").c_str()) != 0) GTEST_SKIP() << "no gzip here";
  const Graph from_gzip = read_edge_list(packed);
  EXPECT_EQ(from_gzip.target, from_text.target);
  EXPECT_EQ(from_gzip.name, "brokkr-edges");
  // An incomplete download, and one with a wrong byte.
  const auto size = std::filesystem::file_size(packed);
  for (const auto at : {size - 6, size / 2}) {
    std::fstream file(packed, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(std::streamoff(at));
    const int byte = file.get();
    file.seekp(std::streamoff(at));
    file.put(char(byte ^ 0x55));
    file.close();
    EXPECT_THROW(read_edge_list(packed), std::runtime_error);
  }
  std::filesystem::resize_file(packed, size - 9);
  EXPECT_THROW(read_edge_list(packed), std::runtime_error);
  EXPECT_THROW(read_edge_list(folder / "there-is-none.txt"), std::runtime_error);
}

TEST(PowerLawGraph, IsTheSameForASeedAndHasHeavyTails) {
  const Graph a = make_power_law_graph(20000, 60000, 7), b = make_power_law_graph(20000, 60000, 7),
              c = make_power_law_graph(20000, 60000, 8);
  EXPECT_EQ(a.target, b.target);
  EXPECT_NE(a.target, c.target);
  EXPECT_EQ(a.nodes(), 20000u);
  EXPECT_EQ(a.edges(), 60000u);
  EXPECT_EQ(std::accumulate(a.in_degree.begin(), a.in_degree.end(), 0u), 60000u);
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < a.nodes(); ++i) {
    out.push_back(a.first_edge[i + 1] - a.first_edge[i]);
    for (uint32_t e = a.first_edge[i]; e < a.first_edge[i + 1]; ++e) {
      ASSERT_NE(a.target[e], i);
      if (e > a.first_edge[i]) {
        ASSERT_LT(a.target[e - 1], a.target[e]);
      }
    }
  }
  // Hill's estimate of the exponent over the largest 2 %: near 1 + 1 / 0.5 and 1 + 1 / 0.75.
  const auto exponent = [](std::vector<uint32_t> degree) {
    std::sort(degree.rbegin(), degree.rend());
    const size_t k = degree.size() / 50;
    double sum = 0;
    for (size_t i = 0; i < k; ++i) sum += std::log(double(degree[i]) / double(degree[k]));
    return 1 + double(k) / sum;
  };
  EXPECT_NEAR(exponent(out), 3.0, 0.35);
  EXPECT_NEAR(exponent(a.in_degree), 2.33, 0.25);
}

TEST(PowerLawGraph, RefusesWhatCannotBe) {
  EXPECT_THROW(make_power_law_graph(1, 0, 1), std::invalid_argument);
  EXPECT_THROW(make_power_law_graph(10, 90, 1), std::invalid_argument);
  EXPECT_THROW(make_power_law_graph(1000, 16001, 1), std::invalid_argument);
}

// The definition in double precision.
std::vector<double> page_rank(const Graph& graph, uint32_t iterations) {
  const uint32_t n = graph.nodes();
  std::vector<double> rank(n, 1.0 / n);
  for (uint32_t k = 0; k < iterations; ++k) {
    std::vector<double> next(n, 0.15 / n);
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t begin = graph.first_edge[i], end = graph.first_edge[i + 1];
      for (uint32_t e = begin; e < end; ++e) next[graph.target[e]] += 0.85 * rank[i] / (end - begin);
    }
    rank = next;
  }
  return rank;
}

TEST(PageRank, KnownRanks) {
  const auto ranks = [](const char* edges, uint32_t iterations) {
    std::vector<double> all;
    for (const uint64_t rank : page_rank_fixed(parse_edge_list(edges, "graph"), iterations))
      all.push_back(double(rank) / double(kRankOne));
    return all;
  };
  // A ring: every node keeps 1/n. A star: the centre collects the rank.
  for (const double rank : ranks("0 1\n1 2\n2 0\n", 8)) EXPECT_NEAR(rank, 1.0 / 3, 1e-12);
  const auto star = ranks("1 0\n2 0\n3 0\n", 2);
  EXPECT_NEAR(star[0], 0.15 / 4 + 0.85 * 3 * (0.15 / 4), 1e-12);
  EXPECT_NEAR(star[1], 0.15 / 4, 1e-12);
}

TEST(PageRank, FixedPointAgreesWithDouble) {
  const Graph g = make_power_law_graph(5000, 20000, 3);
  const auto exact = page_rank(g, 8);
  const auto fixed = page_rank_fixed(g, 8);
  for (uint32_t i = 0; i < g.nodes(); ++i) {
    ASSERT_NEAR(double(fixed[i]) / double(kRankOne) / exact[i], 1.0, 1e-9) << "node " << i;
  }
}

}  // namespace
}  // namespace brokkr::lab
