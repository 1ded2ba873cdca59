#include <pawl/problem/problem_file.h>

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <pawl/base/error.h>

#include "folder.h"
#include "random.h"

namespace pawl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ProblemFile : public testing::Test {
 protected:
  std::string path(const std::string& name = "problem.json") const { return folder_ / name; }

  void put(const std::string& text) const { folder_.write("problem.json", text); }
  std::string text() const { return folder_.read("problem.json"); }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  }

  /// What the reader says of the file with `what` once replaced; "" if it takes it.
  std::string complaint_with(const std::string& what, const std::string& replacement) {
    const std::string good = text();
    const auto at = good.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    put(std::string(good).replace(at, what.size(), replacement));
    const std::string complaint = this->complaint();
    put(good);
    return complaint;
  }
  std::string complaint() const {
    try {
      read_problem(path());
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

 private:
  test::Folder folder_;
};

/// Numbers with all their digits, in magnitudes from the smallest to the largest.
ContactProblem random_problem(Random& random, int dim, const FrictionPolygon* polygon) {
  ContactProblem problem;
  problem.dim = dim;
  problem.contacts = random.integer(0, 4);
  const auto number = [&random] { return (random.integer(0, 1) ? 1 : -1) * random.magnitude(1e-300, 1e300); };
  for (int i = 0; i < problem.rows() * problem.rows(); ++i) problem.W.push_back(number());
  for (int i = 0; i < problem.rows(); ++i) problem.b.push_back(number());
  for (int c = 0; c < problem.contacts; ++c) {
    problem.zeta.push_back(number());
    problem.friction.push_back({random.magnitude(1e-9, 1e9), random.integer(0, 1) ? polygon : nullptr});
  }
  return problem;
}

TEST_F(ProblemFile, ReadsBackEveryBit) {
  Random random(1);
  const FrictionPolygon flat({{1.0 / 3, 0}, {-std::sqrt(2.0), 0}});
  const FrictionPolygon round({{1, 1.0 / 3}, {-1, 0.1}, {std::sqrt(2.0), -1e-3}, {0.3, -1}});
  for (int trial = 0; trial < 200; ++trial) {
    const int dim = random.integer(2, 3);
    const FrictionPolygon& polygon = dim == 2 ? flat : round;
    const ContactProblem problem = random_problem(random, dim, &polygon);
    write_problem(path(), problem);
    const StoredProblem stored = read_problem(path());
    EXPECT_EQ(stored.problem.dim, problem.dim);
    EXPECT_EQ(stored.problem.contacts, problem.contacts);
    EXPECT_EQ(stored.problem.W, problem.W);
    EXPECT_EQ(stored.problem.b, problem.b);
    EXPECT_EQ(stored.problem.zeta, problem.zeta);
    ASSERT_EQ(stored.problem.friction.size(), problem.friction.size());
    for (int c = 0; c < problem.contacts; ++c) {
      EXPECT_EQ(stored.problem.friction[c].mu, problem.friction[c].mu);
      const FrictionPolygon* read = stored.problem.friction[c].polygon;
      ASSERT_EQ(read == nullptr, problem.friction[c].polygon == nullptr);
      if (read != nullptr) {
        EXPECT_EQ(read->directions(), polygon.directions());
      }
    }
  }
}

TEST_F(ProblemFile, KeepsSignedZerosAndTheSmallestNumbers) {
  ContactProblem problem;
  problem.dim = 2;
  problem.contacts = 1;
  problem.W = {std::numeric_limits<double>::denorm_min(), -0.0, 0.1, std::numeric_limits<double>::max()};
  problem.b = {-0.0, std::nextafter(1.0, 2.0)};
  problem.zeta = {0};
  problem.friction = {{}};
  write_problem(path(), problem);
  const ContactProblem read = read_problem(path()).problem;
  EXPECT_EQ(read.W, problem.W);
  EXPECT_EQ(read.b, problem.b);
  EXPECT_TRUE(std::signbit(read.W[1]));
  EXPECT_TRUE(std::signbit(read.b[0]));
}

TEST_F(ProblemFile, PolygonsOutliveAMoveOfTheStoredProblem) {
  ContactProblem problem;
  problem.contacts = 2;
  problem.W.assign(36, 0.0);
  problem.b.assign(6, 0.0);
  problem.zeta.assign(2, 0.0);
  const FrictionPolygon four = FrictionPolygon::regular(4), eight = FrictionPolygon::regular(8);
  problem.friction = {{1, &four}, {1, &eight}};
  write_problem(path(), problem);
  StoredProblem first = read_problem(path());
  const StoredProblem second = std::move(first);
  EXPECT_EQ(second.problem.friction[0].polygon->directions(), four.directions());
  EXPECT_EQ(second.problem.friction[1].polygon->directions(), eight.directions());
}

class ProblemFileErrors : public ProblemFile {
 protected:
  ProblemFileErrors() {
    ContactProblem problem;
    problem.dim = 2;
    problem.contacts = 2;
    problem.W = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16.5};
    problem.b = {0.125, 0.25, 0.375, 0.5};
    problem.zeta = {-1.5, -2.5};
    problem.friction = {{0.75, &interval_}, {}};
    write_problem(path(), problem);
  }
  FrictionPolygon interval_ = FrictionPolygon::regular(2);
};

TEST_F(ProblemFileErrors, NameTheFileWhereverItIsCutOff) {
  const std::string whole = text();
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {  // the last character is a line feed
    put(whole.substr(0, length));
    EXPECT_THAT(complaint(), StartsWith(path() + ": ")) << "cut to " << length << " characters";
  }
  put(whole);
  EXPECT_EQ(complaint(), "");
}

TEST_F(ProblemFileErrors, NameTheEntryThatIsWrong) {
  EXPECT_THAT(complaint_with("pawl-contact-problem", "fclib"),
              AllOf(StartsWith(path()), HasSubstr("format")));
  EXPECT_THAT(complaint_with("\"version\":1", "\"version\":2"), HasSubstr("version"));
  EXPECT_THAT(complaint_with("\"dim\":2", "\"dim\":4"), HasSubstr("dim must be a whole number from 2 to 3"));
  EXPECT_THAT(complaint_with("\"dim\":2", "\"dim\":2.0"), HasSubstr("dim"));
  EXPECT_THAT(complaint_with("\"dim\":2", "\"dim\":18446744073709551615"), HasSubstr("dim"));
  EXPECT_THAT(complaint_with("\"contacts\":2", "\"contacts\":-1"), HasSubstr("contacts"));
  EXPECT_THAT(complaint_with("\"contacts\":2", "\"contacts\":3"), HasSubstr("b must be a list of 6 numbers"));
  EXPECT_THAT(complaint_with("0.375,", ""), HasSubstr("b must be a list of 4 numbers"));
  EXPECT_THAT(complaint_with("0.375", "\"0.375\""), HasSubstr("b[2] must be a finite number"));
  EXPECT_THAT(complaint_with("0.375", "null"), HasSubstr("b[2] must be a finite number"));
  EXPECT_THAT(complaint_with("-1.5,", ""), HasSubstr("zeta must be a list of 2 numbers"));
  EXPECT_THAT(complaint_with("16.5", "null"), HasSubstr("W[3][3] must be a finite number"));
  EXPECT_THAT(complaint_with(",16.5", ""), HasSubstr("W[3] must be a list of 4 numbers"));
  EXPECT_THAT(complaint_with(",[13.0,14.0,15.0,16.5]", ""), HasSubstr("W must have 4 rows"));
  EXPECT_THAT(complaint_with("\"W\"", "\"V\""), HasSubstr("W must have 4 rows"));
  EXPECT_THAT(complaint_with("\"mu\":0.75", "\"mu\":-0.75"), HasSubstr("friction[0].mu"));
  EXPECT_THAT(complaint_with("\"mu\":0.75", "\"mu\":null"), HasSubstr("friction[0].mu"));
  EXPECT_THAT(complaint_with("{\"mu\":0.0}", "[0.0]"), HasSubstr("friction[1].mu"));
  EXPECT_THAT(complaint_with(",{\"mu\":0.0}", ""), HasSubstr("friction must have 2 entries"));
  EXPECT_THAT(complaint_with("[-1.0,0.0]", "[2.0,0.0]"), HasSubstr("friction[0].directions"));
  EXPECT_THAT(complaint_with("[-1.0,0.0]", "-1.0"), HasSubstr("friction[0].directions"));
  EXPECT_THAT(complaint_with("[[1.0,0.0],[-1.0,0.0]]", "{}"), HasSubstr("friction[0].directions"));
  EXPECT_THAT(complaint_with("0.375", "1e999"), StartsWith(path()));
  put("[]");
  EXPECT_THAT(complaint(), HasSubstr("format"));
}

TEST_F(ProblemFileErrors, RefuseDirectionsOutOfThePlaneOfAPlanarProblem) {
  EXPECT_THAT(complaint_with("[[1.0,0.0],[-1.0,0.0]]", "[[1.0,0.5],[-1.0,0.5],[0.0,-1.0]]"),
              HasSubstr("friction[0].directions"));
}

TEST_F(ProblemFileErrors, ProblemsWithNumbersThatAreNotFiniteAreWrittenButNotRead) {
  StoredProblem stored = read_problem(path());
  stored.problem.b[1] = std::nan("");
  write_problem(path(), stored.problem);
  EXPECT_THAT(complaint(), HasSubstr("b[1] must be a finite number"));
}

TEST_F(ProblemFileErrors, SayThatAFileCannotBeOpened) {
  std::filesystem::remove(path());
  EXPECT_THAT(complaint(), StartsWith(path() + ": can't be opened"));
}

TEST_F(ProblemFileErrors, SayThatAFileCannotBeWrittenAndLeaveNothingBehind) {
  const StoredProblem stored = read_problem(path());
  const auto complaint_about = [&stored](const std::string& target) -> std::string {
    try {
      write_problem(target, stored.problem);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const std::string in_no_folder = path("missing/problem.json");
  EXPECT_THAT(complaint_about(in_no_folder), StartsWith(in_no_folder));
  std::filesystem::create_directory(path("folder"));
  EXPECT_THAT(complaint_about(path("folder")), StartsWith(path("folder") + ": "));
  EXPECT_EQ(files(), 2);  // the good file and the folder
  EXPECT_EQ(complaint(), "");
}

}  // namespace
}  // namespace pawl
