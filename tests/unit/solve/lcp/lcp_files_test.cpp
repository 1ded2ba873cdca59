// Problems of Siconos' test suite. The environment variable PAWL_PROBLEMS names their folder.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <pawl/lcp.h>
#include <pawl/solve/lcp/lemke.h>

#include "unit/solve/lcp/lcp_oracle.h"

namespace pawl::internal {
namespace lcp_files_test {

std::vector<std::filesystem::path> files_in(const char* kind) {
  std::vector<std::filesystem::path> files;
  if (const char* folder = std::getenv("PAWL_PROBLEMS")) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / kind)) {
      if (entry.path().extension() == ".dat") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// Storage (0: dense), rows, columns, rows and columns repeated, M column-major; then q.
template <class Problem>
void read_matrix_and_q(std::istream& in, Problem& lcp) {
  int storage = -1, rows = 0, columns = 0;
  in >> storage >> rows >> columns >> rows >> columns;
  EXPECT_EQ(storage, 0) << "only dense matrices are read here";
  lcp.M.resize(lcp.n * lcp.n);
  lcp.q.resize(lcp.n);
  for (int j = 0; j < lcp.n; ++j) {
    for (int i = 0; i < lcp.n; ++i) in >> lcp.M[i * lcp.n + j];
  }
  for (double& x : lcp.q) in >> x;
}

/// n, matrix, q; comment.
Lcp read_lcp(const std::filesystem::path& path) {
  std::ifstream in(path);
  Lcp lcp;
  in >> lcp.n;
  read_matrix_and_q(in, lcp);
  EXPECT_TRUE(in) << path;
  return lcp;
}

/// Flags of the two forms, numbers of free and complementary rows, block ends and a flag each, matrix, q.
MixedLcp read_mixed_lcp(const std::filesystem::path& path) {
  std::ifstream in(path);
  MixedLcp lcp;
  bool has_matrix = false, has_blocks = false;
  int free = 0, complementary = 0;
  in >> has_matrix >> has_blocks >> free >> complementary;
  EXPECT_TRUE(has_matrix);
  lcp.n = free + complementary;
  std::vector<int> ends(1, -1);
  in >> ends[0];
  while (in && ends.back() < lcp.n) in >> ends.emplace_back();
  lcp.free.resize(lcp.n);
  for (std::size_t block = 1; block < ends.size(); ++block) {
    bool is_complementary = false;
    in >> is_complementary;
    std::fill(lcp.free.begin() + ends[block - 1], lcp.free.begin() + ends[block], !is_complementary);
  }
  read_matrix_and_q(in, lcp);
  EXPECT_TRUE(in) << path;
  return lcp;
}

class LcpFiles : public testing::TestWithParam<std::filesystem::path> {};
class MixedLcpFiles : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(LcpFiles, LemkeSolvesThemOrEndsOnARay) {
  const Lcp lcp = read_lcp(GetParam());
  Lemke lemke;
  const LemkeResult result = lemke.solve(lcp);
  const bool ray_is_known = GetParam().stem() == "lcp_CPS_3";
  EXPECT_EQ(to_string(result.outcome), ray_is_known ? "ray" : "solved");
  if (result.outcome == LemkeOutcome::solved) {
    EXPECT_LE(residual_of(lcp, lemke.z()), 1e-12);
  }
}

template <class Problem>
void expect_certified(const Problem& lcp, const LcpOptions& options = {}) {
  LcpSolver solver;
  LcpSolution solution;
  solver.solve(lcp, options, {}, solution);
  EXPECT_EQ(to_string(solution.status), "certified") << solution.reason;
  EXPECT_LE(residual_of(lcp, solution.z), 1e-12);
}

TEST_P(LcpFiles, AreSolvedToTwelveDigits) {
  expect_certified(read_lcp(GetParam()));
}

TEST_P(MixedLcpFiles, AreSolvedToTwelveDigits) {
  expect_certified(read_mixed_lcp(GetParam()));
}

TEST_P(MixedLcpFiles, AreSolvedWithoutEnumeration) {
  expect_certified(read_mixed_lcp(GetParam()), {.max_enumerated_rows = 0});
}

const auto name_of_file = [](const auto& file) { return file.param.stem().string(); };
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LcpFiles);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MixedLcpFiles);
INSTANTIATE_TEST_SUITE_P(Peer, LcpFiles, testing::ValuesIn(files_in("lcp")), name_of_file);
INSTANTIATE_TEST_SUITE_P(Peer, MixedLcpFiles, testing::ValuesIn(files_in("mlcp")), name_of_file);

}  // namespace lcp_files_test
}  // namespace pawl::internal
