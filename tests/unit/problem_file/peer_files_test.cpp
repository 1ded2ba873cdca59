// Problems of Siconos' test suite. The environment variable PAWL_PROBLEMS names their folder.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <pawl/problem/delassus.h>
#include <pawl/problem_file.h>
#include <pawl/problem_file/fclib.h>

namespace pawl::internal {
namespace {

/// Files of the given folders.
std::vector<std::filesystem::path> peer_files(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> files;
  const char* all = std::getenv("PAWL_PROBLEMS");
  if (all == nullptr) return files;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(all) / folder)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string test_name(const std::filesystem::path& path) {
  std::string name = path.parent_path().stem().string() + "_" + path.filename().string();
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

using PeerFiles = testing::TestWithParam<std::filesystem::path>;
class PeerKinds : public PeerFiles {};
class PeerContacts : public PeerFiles {};
class PeerSolutions : public PeerFiles {};

TEST_P(PeerKinds, AreThoseOfTheirFoldersWithoutAHint) {
  const std::string folder = GetParam().parent_path().filename().string();
  const ProblemKind wanted = folder == "lcp"    ? ProblemKind::lcp
                             : folder == "mlcp" ? ProblemKind::mixed_lcp
                                                : ProblemKind::contact;
  const Problem problem = read_problem(GetParam().string());
  EXPECT_EQ(to_string(kind_of(problem)), to_string(wanted));
}

TEST_P(PeerContacts, HaveWholeBlocks) {
  const StoredContactProblem stored = read_contact_problem(GetParam().string());
  const ContactProblem& problem = stored.problem;
  EXPECT_EQ(problem.blocks(), problem.contacts);
  ASSERT_EQ(problem.b.size(), static_cast<std::size_t>(problem.rows()));
  ASSERT_EQ(problem.friction.size(), static_cast<std::size_t>(problem.contacts));
  BlockMatrix delassus;
  DelassusScratch scratch;
  if (problem.primal()) compute_delassus(problem, delassus, scratch);
  const BlockMatrix& W = problem.primal() ? delassus : problem.W;
  ASSERT_EQ(W.size(), problem.rows());
  for (int i = 0; i < W.blocks(); ++i) {
    const auto* block = W.find(i, i);
    ASSERT_NE(block, nullptr) << "contact " << i;
    EXPECT_GT(W.values[block->offset], 0) << "contact " << i;
  }
}

TEST_P(PeerSolutions, AreOfTheSizeOfTheirProblems) {
  const StoredContactProblem stored = read_contact_problem(GetParam().string());
  const FclibSolution solution = read_fclib_solution(GetParam().string());
  EXPECT_EQ(solution.u.size(), static_cast<std::size_t>(stored.problem.rows()));
  EXPECT_EQ(solution.r.size(), static_cast<std::size_t>(stored.problem.rows()));
  EXPECT_EQ(solution.v.size(), stored.problem.motion.v_free.size());
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PeerKinds);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PeerContacts);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PeerSolutions);
const auto kName = [](const auto& file) { return test_name(file.param); };
INSTANTIATE_TEST_SUITE_P(Peer, PeerKinds,
                         testing::ValuesIn(peer_files({"lcp", "mlcp", "fc2d", "fc3d", "fclib"})), kName);
INSTANTIATE_TEST_SUITE_P(Peer, PeerContacts, testing::ValuesIn(peer_files({"fc2d", "fc3d", "fclib"})), kName);
INSTANTIATE_TEST_SUITE_P(Peer, PeerSolutions, testing::ValuesIn(peer_files({"fclib"})), kName);

}  // namespace
}  // namespace pawl::internal
