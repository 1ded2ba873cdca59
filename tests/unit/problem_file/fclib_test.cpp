#include <pawl/problem_file/fclib.h>

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include <pawl/error.h>
#include <pawl/hdf5/hdf5_file.h>
#include <pawl/linalg/block_matrix.h>
#include <pawl/problem/delassus.h>
#include <pawl/problem_file.h>

#include "complaint.h"
#include "folder.h"
#include "sample_problems.h"

namespace pawl::internal {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Doubles = std::vector<double>;
using Integers = std::vector<int>;

/// Writes datasets by hand, valid or not.
class Fclib : public testing::Test {
 protected:
  std::string path() const { return folder_ / "problem.hdf5"; }

  template <class T>
  void put(const std::string& name, const std::vector<T>& values, bool square = false) const {
    const h5::SilenceErrors quiet;
    const h5::Handle file(std::filesystem::exists(path())
                              ? H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT)
                              : H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    if (h5::has_link(file, name)) H5Ldelete(file, name.c_str(), H5P_DEFAULT);
    const h5::Handle creation(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(creation, 1);
    const hsize_t shape[] = {values.size(), 1};
    const h5::Handle space(H5Screate_simple(square ? 2 : 1, shape, nullptr));
    const hid_t type = std::is_same_v<T, double>      ? H5T_NATIVE_DOUBLE
                       : std::is_same_v<T, long long> ? H5T_NATIVE_LLONG
                                                      : H5T_NATIVE_INT;
    const h5::Handle dataset(H5Dcreate2(file, name.c_str(), type, space, creation, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_GE(dataset, 0) << name;
    ASSERT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
  }
  void remove(const std::string& name) const {
    const h5::Handle file(H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  }
  void put_matrix(const std::string& name, int m, int n, int nz, const Integers& p, const Integers& i,
                  const Doubles& x) const {
    put(name + "/m", Integers{m});
    put(name + "/n", Integers{n});
    put(name + "/nz", Integers{nz});
    put(name + "/nzmax", Integers{static_cast<int>(x.size())});
    put(name + "/p", p);
    put(name + "/i", i);
    put(name + "/x", x);
  }
  /// One planar contact with W = [1 2; 3 4] in compressed columns, and a bilateral row.
  void put_local() const {
    put("fclib_local/spacedim", Integers{2});
    put_matrix("fclib_local/W", 2, 2, -1, {0, 2, 4}, {0, 1, 0, 1}, {1, 3, 2, 4});
    put_matrix("fclib_local/V", 2, 1, 2, {0, 0}, {0, 1}, {5, 6});
    put_matrix("fclib_local/R", 1, 1, 1, {0}, {0}, {7});
    put("fclib_local/vectors/q", Doubles{-1, -2});
    put("fclib_local/vectors/s", Doubles{-3});
    put("fclib_local/vectors/mu", Doubles{0.5});
  }
  /// Three dofs, the last two coupled, and one planar contact.
  void put_global() const {
    put("fclib_global/spacedim", Integers{2});
    put_matrix("fclib_global/M", 3, 3, 5, {0, 1, 2, 1, 2}, {0, 1, 1, 2, 2}, {2, 4, 1, 1, 3});
    put_matrix("fclib_global/H", 3, 2, -2, {0, 1, 2, 3}, {0, 1, 0}, {1, 1, -1});
    put("fclib_global/vectors/f", Doubles{2, 5, 4});
    put("fclib_global/vectors/w", Doubles{0.5, 0});
    put("fclib_global/vectors/mu", Doubles{0.5});
  }
  ContactProblem read() const { return read_contact_problem(path()).problem; }
  std::string complaint() const {
    try {
      read_contact_problem(path());
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }
  std::string bytes() const { return folder_.read("problem.hdf5"); }
  void put_bytes(const std::string& bytes) const { folder_.write("problem.hdf5", bytes); }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  }

 private:
  test::Folder folder_;
};

Doubles values(const BlockMatrix& A, int i, int j) {
  const auto* block = A.find(i, j);
  if (block == nullptr) return {};
  const auto first = A.values.begin() + static_cast<std::ptrdiff_t>(block->offset);
  return {first, first + A.size_of(i) * A.size_of(j)};
}

TEST_F(Fclib, HasBilateralRowsBesideTheContactsOfALocalProblem) {
  put_local();
  const ContactProblem problem = read();
  EXPECT_EQ(problem.contacts, 1);
  EXPECT_THAT(problem.begin, ElementsAre(0, 2, 3));
  EXPECT_THAT(problem.b, ElementsAre(-1, -2, -3));
  EXPECT_THAT(values(problem.W, 0, 0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(problem.W, 0, 1), ElementsAre(5, 6));
  EXPECT_THAT(values(problem.W, 1, 0), ElementsAre(5, 6));
  EXPECT_THAT(values(problem.W, 1, 1), ElementsAre(7));
  EXPECT_EQ(problem.friction[0].mu, 0.5);
}

TEST_F(Fclib, HasTheSameMatrixInEveryForm) {
  put_local();
  const Doubles by_columns = values(read().W, 0, 0);
  put_matrix("fclib_local/W", 2, 2, -2, {0, 2, 4}, {0, 1, 0, 1}, {1, 2, 3, 4});
  EXPECT_EQ(values(read().W, 0, 0), by_columns);
  put_matrix("fclib_local/W", 2, 2, 5, {0, 1, 0, 1, 0, 9}, {0, 0, 1, 1, 0, 9}, {0.25, 2, 3, 4, 0.75, 9});
  EXPECT_EQ(values(read().W, 0, 0), by_columns)
      << "triplets at one place are summed, those beyond nz are not read";
}

TEST_F(Fclib, HasBlocksOfMassInAGlobalProblem) {
  put_global();
  const ContactProblem problem = read();
  ASSERT_TRUE(problem.primal());
  ASSERT_EQ(problem.motion.mass_blocks.size(), 2u);
  EXPECT_EQ(problem.motion.mass_blocks[1].begin, 1);
  EXPECT_EQ(problem.motion.mass_blocks[1].size, 2);
  EXPECT_THAT(problem.motion.mass, ElementsAre(2, 4, 1, 1, 3));
  EXPECT_THAT(problem.motion.v_free, testing::Each(testing::DoubleEq(1)));
  EXPECT_THAT(problem.motion.jacobian, ElementsAre(1, 0, 0, -1, 1, 0));
  EXPECT_THAT(problem.b, ElementsAre(testing::DoubleEq(0.5), testing::DoubleEq(1))) << "Hᵀ v_free + w";
}

TEST_F(Fclib, KnowsBilateralRowsOfAGlobalProblem) {
  put_global();
  put_matrix("fclib_global/G", 3, 2, 2, {0, 1}, {0, 2}, {1, 1});
  put("fclib_global/vectors/b", Doubles{10, 20});
  const ContactProblem problem = read();
  EXPECT_THAT(problem.begin, ElementsAre(0, 2, 3, 4)) << "rows of different bodies are blocks of their own";
  EXPECT_THAT(problem.b, ElementsAre(testing::DoubleEq(0.5), testing::DoubleEq(1), testing::DoubleEq(11),
                                     testing::DoubleEq(21)));
}

/// Arbitrary impulses for solutions.
Doubles some(std::size_t size) {
  Doubles x;
  for (std::size_t i = 0; i < size; ++i) x.push_back(std::sin(1.0 + static_cast<double>(i)));
  return x;
}

Doubles velocity_by(const ContactProblem& problem, const Doubles& p) {
  Doubles u = problem.b;
  BlockMatrix W = problem.W;
  DelassusScratch scratch;
  if (problem.primal()) compute_delassus(problem, W, scratch);
  multiply_add(W, p, u);
  for (int c = 0; c < problem.contacts; ++c) u[problem.begin[c]] += problem.zeta[c];
  return u;
}

TEST_F(Fclib, MovesAlikeWrittenInAnyForm) {
  for (const int d : {2, 3}) {
    const ContactProblem problem = test::primal_problem(d);
    const Doubles p = some(problem.rows()), u = velocity_by(problem, p);
    write_fclib_local(path(), problem);
    const ContactProblem local = read();
    write_fclib_global(path(), problem);
    const ContactProblem global = read();
    write_fclib_local(path(), test::delassus_problem(d));
    const ContactProblem delassus_form = read();
    EXPECT_FALSE(local.primal());
    EXPECT_TRUE(global.primal());
    for (const ContactProblem* again : {&local, &global, &delassus_form}) {
      EXPECT_EQ(again->contacts, 2);
      EXPECT_EQ(again->friction[1].mu, 0.7);
      EXPECT_THAT(velocity_by(*again, p), testing::Pointwise(testing::DoubleNear(1e-12), u));
    }
    EXPECT_EQ(delassus_form.W.values, local.W.values);
  }
}

TEST_F(Fclib, HasTheDatasetsOfFclibItself) {
  write_fclib_local(path(), test::delassus_problem(3), {"title", "what it is", ""});
  const h5::Handle file(H5Fopen(path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  for (const char* name :
       {"spacedim", "W/nzmax", "W/m", "W/n", "W/nz", "W/p", "W/i", "W/x", "V/x", "R/x", "vectors/q",
        "vectors/mu", "vectors/s", "info/title", "info/description", "info/math_info"}) {
    EXPECT_TRUE(h5::has_link(file, std::string("fclib_local/") + name)) << name;
  }
}

TEST_F(Fclib, TakesASolutionInThePlaceOfAnother) {
  const ContactProblem problem = test::primal_problem(3);
  write_fclib_global(path(), problem);
  const Doubles p = some(problem.rows()), u = some(problem.rows()), v = some(5);
  write_fclib_solution(path(), problem, Doubles(p.size(), 0.0), u, v);
  write_fclib_solution(path(), problem, p, u, v);
  const FclibSolution solution = read_fclib_solution(path());
  EXPECT_EQ(solution.r, Doubles(p.begin(), p.begin() + 6));
  EXPECT_EQ(solution.lambda, Doubles(p.begin() + 6, p.end()));
  EXPECT_EQ(solution.v, v);
  EXPECT_EQ(solution.u[0], u[0] - 0.5) << "FCLIB's u has ζ in it";
  EXPECT_EQ(solution.u[1], u[1]);
  EXPECT_EQ(complaint(), "") << "the problem is still there";
  EXPECT_EQ(files(), 1);
}

TEST_F(Fclib, IsLeftAsItWasWhereASolutionCannotBeWritten) {
  put_local();
  const std::string before = bytes();
  const ContactProblem other = test::delassus_problem(2);
  try {
    write_fclib_solution(path(), other, other.b, other.b, {});
    ADD_FAILURE() << "it was written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds a problem of 1 contacts, and the answer is to one of 2"));
  }
  EXPECT_EQ(bytes(), before);
  EXPECT_EQ(files(), 1);
}

TEST_F(Fclib, IsNotWrittenForContactsItCannotHold) {
  const auto complaint_about = [this](const ContactProblem& problem) -> std::string {
    try {
      write_fclib_local(path(), problem);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  ContactProblem problem = test::delassus_problem(3);
  problem.friction[1].radii = {1, 1, 5};
  EXPECT_EQ(complaint_about(problem), "") << "there is no spin";
  std::filesystem::remove(path());
  problem.friction[1].radii = {1, 2, 1};
  EXPECT_THAT(complaint_about(problem),
              AllOf(StartsWith(path()), HasSubstr("contact 1 is an ellipsoid whose radii")));
  const FrictionPolyhedron polygon = FrictionPolyhedron::regular(4);
  problem.friction[1] = {FrictionKind::polyhedron, 0.5, {1, 1, 1}, &polygon};
  EXPECT_THAT(complaint_about(problem), HasSubstr("contact 1 is a polyhedron"));
  problem = test::delassus_problem(3);
  problem.begin = {0, 3, 7, 8, 9};
  EXPECT_THAT(complaint_about(problem), HasSubstr("contact 1 has 4 rows"));
  problem = test::delassus_problem(2);
  problem.W.values[problem.W.find(2, 0)->offset] += 1;
  EXPECT_THAT(complaint_about(problem), HasSubstr("W(0, 4) and its transpose differ"));
  try {
    write_fclib_global(path(), test::delassus_problem(2));
    ADD_FAILURE() << "it was written";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has no M"));
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(Fclib, ComplainsAboutEveryDatasetThatIsMissing) {
  for (const char* name : {"spacedim", "W", "W/m", "W/n", "W/nz", "W/p", "W/i", "W/x", "vectors", "vectors/q",
                           "vectors/mu", "vectors/s", "V", "R", "R/x"}) {
    put_local();
    remove(std::string("fclib_local/") + name);
    EXPECT_THAT(complaint(), AllOf(StartsWith(path() + ": "), HasSubstr("/fclib_local"))) << name;
    std::filesystem::remove(path());
  }
  for (const char* name : {"spacedim", "M", "H", "H/p", "vectors/f", "vectors/w", "vectors/mu"}) {
    put_global();
    remove(std::string("fclib_global/") + name);
    EXPECT_THAT(complaint(), AllOf(StartsWith(path() + ": "), HasSubstr(name))) << name;
    std::filesystem::remove(path());
  }
}

TEST_F(Fclib, ComplainsAboutNumbersThatAreWrong) {
  const auto with = [this](const std::string& name, const auto& values_) {
    put_local();
    put(name, values_);
    const std::string said = complaint();
    std::filesystem::remove(path());
    return said;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(with("fclib_local/W/x", Doubles{1, 2, nan, 4}),
              HasSubstr("/fclib_local/W/x[2] must be finite, not nan"));
  EXPECT_THAT(with("fclib_local/vectors/q", Doubles{1, INFINITY}),
              HasSubstr("vectors/q[1] must be finite, not inf"));
  EXPECT_THAT(with("fclib_local/vectors/q", Doubles{1, 2, 3}),
              HasSubstr("vectors/q has 3 numbers; it must have 2"));
  EXPECT_THAT(with("fclib_local/vectors/mu", Doubles{-0.5}),
              HasSubstr("vectors/mu[0] must be at least 0, not -0.5"));
  EXPECT_THAT(with("fclib_local/vectors/mu", Integers{1}), HasSubstr("vectors/mu has the wrong type"));
  EXPECT_THAT(with("fclib_local/spacedim", Integers{4}), HasSubstr("spacedim must be from 2 to 3, not 4"));
  EXPECT_THAT(with("fclib_local/spacedim", Integers{2, 2}),
              HasSubstr("spacedim has 2 numbers; it must have 1"));
  EXPECT_THAT(with("fclib_local/spacedim", Doubles{2}), HasSubstr("spacedim has the wrong type"));
  EXPECT_THAT(with("fclib_local/W/nz", Integers{-3}), HasSubstr("W/nz must be from -2"));
  EXPECT_THAT(with("fclib_local/W/m", std::vector<long long>{1LL << 40}), HasSubstr("W/m must be from 0"));
  EXPECT_THAT(with("fclib_local/W/m", Integers{1000000000}),
              HasSubstr("W is 1000000000 × 2; it must be 2 × 2"));
  EXPECT_THAT(with("fclib_local/W/n", Integers{1000000000}),
              HasSubstr("W/p has 3 numbers; it must have 1000000001"));
  EXPECT_THAT(with("fclib_local/W/i", Integers{0, 1, 0, 2}),
              HasSubstr("W/i[3] must be from 0 to 1 (FCLIB counts from 0), not 2"));
  EXPECT_THAT(with("fclib_local/W/i", Integers{0, 1, 0}), HasSubstr("W/i has 3 numbers; it must have 4"));
  EXPECT_THAT(with("fclib_local/W/p", Integers{0, 3, 2}), HasSubstr("W/p[2] must be from 3"));
  EXPECT_THAT(with("fclib_local/W/p", Integers{1, 2, 4}), HasSubstr("W/p[0] must be from 0 to 0"));
  EXPECT_THAT(with("fclib_local/V/nz", Integers{3}), HasSubstr("V/p has 2 numbers; it must have 3"));
  EXPECT_THAT(with("fclib_local/V/p", Integers{0, -1}), HasSubstr("V/p[1] must be from 0 to 0"));
  put_local();
  put("fclib_local/vectors/q", Doubles{1, 2}, true);
  EXPECT_THAT(complaint(), HasSubstr("vectors/q has the wrong shape"));
}

TEST_F(Fclib, ComplainsAboutMassesThatNoBodyHas) {
  put_global();
  put("fclib_global/M/x", Doubles{2, 4, 1, 1, -3});
  EXPECT_THAT(complaint(), HasSubstr("/fclib_global/M must be positive definite; its rows 1 to 2 are not"));
  put("fclib_global/M/x", Doubles{2, 4, 1, 2, 3});
  EXPECT_THAT(complaint(), HasSubstr("M must be symmetric: its entry (2, 1) is 2 and (1, 2) is 1"));
}

TEST_F(Fclib, ComplainsAboutHdf5WithoutAProblem) {
  put("something/else", Integers{1});
  EXPECT_THAT(complaint(), HasSubstr("must have a group /fclib_local or /fclib_global"));
  put("fclib_local", Integers{1});
  EXPECT_THAT(complaint(), StartsWith(path() + ": "));
  try {
    read_fclib_solution(path());
    ADD_FAILURE() << "there is none";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/solution/u is missing"));
  }
}

TEST_F(Fclib, DoesNotBelieveAShapeTheFileCannotHold) {
  put_local();
  {
    const h5::Handle file(H5Fopen(path().c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    H5Ldelete(file, "fclib_local/vectors/q", H5P_DEFAULT);
    const hsize_t shape = 1'000'000'000'000;
    const h5::Handle space(H5Screate_simple(1, &shape, nullptr));
    const h5::Handle dataset(H5Dcreate2(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                                        H5P_DEFAULT, H5P_DEFAULT));  // nothing is written
  }
  EXPECT_THAT(complaint(),
              HasSubstr("vectors/q claims 1000000000000 numbers, but the file does not hold them"));
}

TEST_F(Fclib, ComplainsWhereverTheFileIsCutOff) {
  put_local();
  const std::string whole = bytes();
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    put_bytes(whole.substr(0, length));
    EXPECT_THAT(complaint(), StartsWith(path() + ":")) << "cut to " << length;
  }
}

TEST(ProblemFile, ComplainsAboutFilesThatAreNoProblems) {
  const test::Folder folder;
  const auto complaint_about = [](const std::string& path) -> std::string {
    try {
      read_problem(path);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint_about(folder.path().string()), folder.path().string() + ": is a folder, not a file");
  EXPECT_EQ(complaint_about(folder / "none"), (folder / "none") + ": can't be opened");
  folder.write("empty", "");
  EXPECT_EQ(complaint_about(folder / "empty"), (folder / "empty") + ": is empty");
  folder.write("lcp", "1 0 1 1 1 1 2 -1");
  try {
    read_contact_problem(folder / "lcp");
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds a problem of kind lcp, not contact"));
  }
}

}  // namespace
}  // namespace pawl::internal
