// Problems of the peer's test suite, where the environment says in PAWL_PROBLEMS which folder they are in.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <pawl/solve/lemke.h>

#include "lcp_oracle.h"

namespace pawl {
namespace {

std::vector<std::filesystem::path> lcp_files() {
  std::vector<std::filesystem::path> files;
  if (const char* folder = std::getenv("PAWL_PROBLEMS")) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "lcp")) {
      if (entry.path().extension() == ".dat") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// n, storage (0: dense), rows, columns, rows and columns again, M column by column, q; comment.
Lcp read_lcp(const std::filesystem::path& path) {
  std::ifstream in(path);
  Lcp lcp;
  int storage = -1, rows = 0, columns = 0;
  in >> lcp.n >> storage >> rows >> columns >> rows >> columns;
  EXPECT_EQ(storage, 0) << "only dense matrices are read here";
  lcp.M.resize(lcp.n * lcp.n);
  lcp.q.resize(lcp.n);
  for (int j = 0; j < lcp.n; ++j) {
    for (int i = 0; i < lcp.n; ++i) in >> lcp.M[i * lcp.n + j];
  }
  for (double& x : lcp.q) in >> x;
  EXPECT_TRUE(in) << path;
  return lcp;
}

class LemkeFiles : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(LemkeFiles, AreSolvedOrEndOnARay) {
  const Lcp lcp = read_lcp(GetParam());
  Lemke lemke;
  const LemkeResult result = lemke.solve(lcp);
  const bool ray_is_known = GetParam().stem() == "lcp_CPS_3";
  EXPECT_EQ(to_string(result.outcome), ray_is_known ? "ray" : "solved");
  if (result.outcome == LemkeOutcome::solved) {
    EXPECT_LE(lcp_error(lcp, lemke.z()), 1e-12);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LemkeFiles);
INSTANTIATE_TEST_SUITE_P(Peer, LemkeFiles, testing::ValuesIn(lcp_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace pawl
