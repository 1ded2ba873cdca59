// Contact problems of Siconos' test suite. The environment variable PAWL_PROBLEMS names their folder.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include <pawl/linalg/block_matrix.h>
#include <pawl/problem/delassus.h>
#include <pawl/problem_file.h>
#include <pawl/solver.h>

namespace pawl::internal {
namespace contact_files_test {

std::vector<std::filesystem::path> contact_files() {
  std::vector<std::filesystem::path> files;
  const char* all = std::getenv("PAWL_PROBLEMS");
  if (all == nullptr) return files;
  for (const char* folder : {"fc2d", "fc3d", "fclib"}) {
    if (!std::filesystem::is_directory(std::filesystem::path(all) / folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(all) / folder)) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// Siconos' error ‖p - P_K(p - (u + μ‖u_t‖ n))‖ / max(‖q‖, ‖p‖, ‖u‖), computed from W, q and μ alone; +∞
/// instead of NaN.
double peer_error(const ContactProblem& problem, const std::vector<double>& p) {
  BlockMatrix made;
  DelassusScratch scratch;
  if (problem.primal()) compute_delassus(problem, made, scratch);
  std::vector<double> u = problem.b;
  multiply_add(problem.primal() ? made : problem.W, p, u);
  double defect = 0, q_q = 0, p_p = 0, u_u = 0;
  for (int c = 0; c < problem.contacts; ++c) {
    const int n = problem.begin[c], end = problem.begin[c + 1];
    const double mu = problem.friction[c].mu, zeta = problem.zeta[c];
    double u_t = 0, z_t = 0;
    for (int r = n + 1; r < end; ++r) {
      u_t += u[r] * u[r];
      z_t += (p[r] - u[r]) * (p[r] - u[r]);
    }
    u_t = std::sqrt(u_t);
    z_t = std::sqrt(z_t);
    const double z_n = p[n] - (u[n] + zeta + mu * u_t);
    // Nearest point of the cone ‖z_t‖ ≤ μ z_n: z itself, the apex, or on the boundary.
    double nearest_n = z_n, nearest_t = z_t;
    if (z_t > mu * z_n) {
      nearest_n = std::max((z_n + mu * z_t) / (1 + mu * mu), 0.0);
      nearest_t = mu * nearest_n;
    }
    defect += (p[n] - nearest_n) * (p[n] - nearest_n);
    for (int r = n + 1; r < end; ++r) {
      const double nearest = z_t > 0 ? (p[r] - u[r]) * (nearest_t / z_t) : 0;
      defect += (p[r] - nearest) * (p[r] - nearest);
    }
    for (int r = n; r < end; ++r) {
      const double shift = r == n ? zeta : 0;
      q_q += (problem.b[r] + shift) * (problem.b[r] + shift);
      p_p += p[r] * p[r];
      u_u += (u[r] + shift) * (u[r] + shift);
    }
  }
  const double size = std::max({q_q, p_p, u_u});
  const double error = size > 0 ? std::sqrt(defect / size) : std::sqrt(defect);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

class ContactFiles : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ContactFiles, AreSolvedFromAColdStart) {
  const StoredContactProblem stored = read_contact_problem(GetParam().string());
  const Solution solution = solve(stored.problem);
  EXPECT_EQ(to_string(solution.status), "certified") << solution.reason;
  EXPECT_LE(solution.residual.natural_map, 1e-8);
  EXPECT_LE(solution.residual.cone_map, 1e-8);
  EXPECT_LE(peer_error(stored.problem, solution.p), 1e-8);
}

TEST_P(ContactFiles, AreNotCertifiedByAMethodAloneWhereThePeersErrorDisagrees) {
  const StoredContactProblem stored = read_contact_problem(GetParam().string());
  for (const SolveMethod method :
       {SolveMethod::gauss_seidel, SolveMethod::newton, SolveMethod::interior_point, SolveMethod::admm}) {
    SolveOptions options;
    options.method = method;
    options.gauss_seidel.max_sweeps = 500;
    options.admm.max_iterations = 500;
    const Solution solution = solve(stored.problem, options);
    const double error = peer_error(stored.problem, solution.p);
    if (solution.status == Status::certified) {
      EXPECT_LE(error, 1e-8) << to_string(method);
    }
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ContactFiles);
INSTANTIATE_TEST_SUITE_P(Peer, ContactFiles, testing::ValuesIn(contact_files()), [](const auto& file) {
  std::string name = file.param.parent_path().stem().string() + "_" + file.param.filename().string();
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace contact_files_test
}  // namespace pawl::internal
