#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <pawl/error.h>
#include <pawl/problem/delassus.h>
#include <pawl/problem_file.h>

#include "complaint.h"
#include "folder.h"
#include "sample_problems.h"
#include "unit/problem/random.h"

namespace pawl::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class JsonProblem : public testing::Test {
 protected:
  std::string path(const std::string& name = "problem.json") const { return folder_ / name; }
  std::string text() const { return folder_.read("problem.json"); }
  StoredContactProblem again(const ContactProblem& problem) const {
    write_problem(path(), problem);
    return read_contact_problem(path());
  }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  }

 private:
  test::Folder folder_;
};

void expect_equal(const BlockMatrix& a, const BlockMatrix& b) {
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.row, b.row);
  EXPECT_EQ(a.values, b.values);
  ASSERT_EQ(a.entries.size(), b.entries.size());
  for (std::size_t k = 0; k < a.entries.size(); ++k) {
    EXPECT_EQ(a.entries[k].column, b.entries[k].column);
    EXPECT_EQ(a.entries[k].offset, b.entries[k].offset);
  }
}

void expect_equal(const PrimalData& a, const PrimalData& b) {
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.factor, b.factor);
  EXPECT_EQ(a.jacobian, b.jacobian);
  EXPECT_EQ(a.v_free, b.v_free);
  EXPECT_EQ(a.shift, b.shift);
  ASSERT_EQ(a.mass_blocks.size(), b.mass_blocks.size());
  for (std::size_t k = 0; k < a.mass_blocks.size(); ++k) {
    EXPECT_EQ(a.mass_blocks[k].begin, b.mass_blocks[k].begin);
    EXPECT_EQ(a.mass_blocks[k].size, b.mass_blocks[k].size);
    EXPECT_EQ(a.mass_blocks[k].offset, b.mass_blocks[k].offset);
  }
  ASSERT_EQ(a.jacobian_blocks.size(), b.jacobian_blocks.size());
  for (std::size_t k = 0; k < a.jacobian_blocks.size(); ++k) {
    EXPECT_EQ(a.jacobian_blocks[k].block, b.jacobian_blocks[k].block);
    EXPECT_EQ(a.jacobian_blocks[k].mass_block, b.jacobian_blocks[k].mass_block);
    EXPECT_EQ(a.jacobian_blocks[k].offset, b.jacobian_blocks[k].offset);
  }
}

void expect_equal(const ContactProblem& a, const ContactProblem& b) {
  EXPECT_EQ(a.contacts, b.contacts);
  EXPECT_EQ(a.begin, b.begin);
  EXPECT_EQ(a.b, b.b);
  EXPECT_EQ(a.zeta, b.zeta);
  expect_equal(a.W, b.W);
  expect_equal(a.motion, b.motion);
  ASSERT_EQ(a.friction.size(), b.friction.size());
  for (std::size_t c = 0; c < a.friction.size(); ++c) {
    EXPECT_EQ(a.friction[c].kind, b.friction[c].kind);
    EXPECT_EQ(a.friction[c].mu, b.friction[c].mu);
    EXPECT_EQ(a.friction[c].radii, b.friction[c].radii);
    ASSERT_EQ(a.friction[c].polyhedron == nullptr, b.friction[c].polyhedron == nullptr);
    if (a.friction[c].polyhedron != nullptr) {
      EXPECT_EQ(a.friction[c].polyhedron->directions(), b.friction[c].polyhedron->directions());
    }
  }
}

/// Contacts of all sizes, bilateral rows, scattered blocks, full-precision numbers of all magnitudes.
ContactProblem random_problem(Random& random, const FrictionPolyhedron& interval,
                              const FrictionPolyhedron& polygon) {
  const auto number = [&random] { return (random.integer(0, 1) ? 1 : -1) * random.magnitude(1e-300, 1e300); };
  ContactProblem problem;
  problem.contacts = random.integer(0, 4);
  for (int c = 0; c < problem.contacts; ++c) {
    const int rows = random.integer(1, 4);
    problem.begin.push_back(problem.begin.back() + rows);
    problem.zeta.push_back(number());
    FrictionSet set{FrictionKind::none, 0, {1, 1, 1}, nullptr};
    if (rows > 1 && random.integer(0, 2) > 0) {
      set = {FrictionKind::ellipsoid,
             random.magnitude(1e-9, 1e9),
             {1.0 / 3, 2, random.magnitude(1e-3, 1e3)},
             nullptr};
      if (rows == 2 && random.integer(0, 1)) set.kind = FrictionKind::polyhedron, set.polyhedron = &interval;
      if (rows == 3 && random.integer(0, 1)) set.kind = FrictionKind::polyhedron, set.polyhedron = &polygon;
      if (rows == 4 && random.integer(0, 1)) set.kind = FrictionKind::mixed;
    }
    problem.friction.push_back(set);
  }
  for (int k = random.integer(0, 2); k > 0; --k)
    problem.begin.push_back(problem.begin.back() + random.integer(1, 6));
  for (int i = 0; i < problem.rows(); ++i) problem.b.push_back(number());
  problem.W.begin = problem.begin;
  for (int i = 0; i < problem.blocks(); ++i) {
    for (int j = 0; j < problem.blocks(); ++j) {
      if (i != j && random.integer(0, 1)) continue;
      problem.W.entries.push_back({j, problem.W.values.size()});
      for (int k = problem.size_of(i) * problem.size_of(j); k > 0; --k) problem.W.values.push_back(number());
    }
    problem.W.row.push_back(static_cast<int>(problem.W.entries.size()));
  }
  return problem;
}

TEST_F(JsonProblem, ReadsBackEveryBit) {
  Random random(1);
  const FrictionPolyhedron interval({{1.0 / 3, 0, 0}, {-std::sqrt(2.0), 0, 0}});
  const FrictionPolyhedron polygon({{1, 1.0 / 3, 0}, {-1, 0.1, 0}, {std::sqrt(2.0), -1e-3, 0}, {0.3, -1, 0}});
  for (int trial = 0; trial < 200; ++trial) {
    const ContactProblem problem = random_problem(random, interval, polygon);
    expect_equal(again(problem).problem, problem);
  }
}

TEST_F(JsonProblem, ReadsBackEveryBitOfPrimalData) {
  ContactProblem problem = test::primal_problem(3);
  expect_equal(again(problem).problem, problem);
  problem.motion.shift.clear();
  set_free_velocities(problem);
  expect_equal(again(problem).problem, problem);
}

TEST_F(JsonProblem, KeepsSignedZerosAndTheSmallestNumbers) {
  ContactProblem problem = test::delassus_problem(2);
  problem.W.values[0] = -0.0;
  problem.W.values[1] = std::numeric_limits<double>::denorm_min();
  problem.W.values[2] = std::numeric_limits<double>::max();
  problem.b[0] = -0.0;
  const ContactProblem read = again(problem).problem;
  EXPECT_EQ(read.W.values, problem.W.values);
  EXPECT_TRUE(std::signbit(read.b[0]));
}

TEST_F(JsonProblem, KeepsTheToleranceOfTheRun) {
  write_problem(path(), test::delassus_problem(2), 1e-5);
  EXPECT_EQ(read_contact_problem(path()).tolerance, 1e-5);
}

TEST_F(JsonProblem, KeepsPolyhedraWhereTheProblemMoves) {
  ContactProblem problem = test::delassus_problem(3);
  const FrictionPolyhedron four = FrictionPolyhedron::regular(4), eight = FrictionPolyhedron::regular(8);
  problem.friction[0] = {FrictionKind::polyhedron, 1, {1, 1, 1}, &four};
  problem.friction[1] = {FrictionKind::polyhedron, 1, {1, 1, 1}, &eight};
  StoredContactProblem first = again(problem);
  const StoredContactProblem second = std::move(first);
  EXPECT_EQ(second.problem.friction[0].polyhedron->directions(), four.directions());
  EXPECT_EQ(second.problem.friction[1].polyhedron->directions(), eight.directions());
}

TEST(ProblemFileDocs, HaveAnExampleThatIsRead) {
  std::ifstream in(std::string(PAWL_SOURCE_DIR) + "/docs/problem-files.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  const std::string mark = "```json\n";
  const auto first = page.find(mark) + mark.size();
  EXPECT_EQ(test::complaint(page.substr(first, page.find("```", first) - first)), "");
}

/// Damaged files of a problem in Delassus form and one in primal form.
class JsonProblemErrors : public JsonProblem {
 protected:
  JsonProblemErrors() {
    ContactProblem problem = test::delassus_problem(2);
    problem.b = {0.125, 0.25, 0.375, 0.5, 1, 2, 3};
    problem.friction[0] = {FrictionKind::polyhedron, 0.75, {1, 1, 1}, &interval_};
    problem.friction[1] = {};
    problem.W.values[0] = 16.5;
    write_problem(path(), problem);
    delassus_text_ = text();
    problem = test::primal_problem(2);
    problem.friction[1] = {};
    write_problem(path(), problem);
    primal_text_ = text();
  }

  /// Error message for the text with the first `what` replaced.
  static std::string with(const std::string& good, const std::string& what, const std::string& replacement) {
    const auto at = good.find(what);
    EXPECT_NE(at, std::string::npos) << what << " in " << good;
    return test::complaint(std::string(good).replace(at, what.size(), replacement));
  }

  FrictionPolyhedron interval_ = FrictionPolyhedron::regular(2);
  std::string delassus_text_, primal_text_;
};

TEST_F(JsonProblemErrors, NameTheFileWhereverItIsCutOff) {
  for (const std::string& whole : {delassus_text_, primal_text_}) {
    for (std::size_t length = 0; length + 1 < whole.size(); ++length) {  // the last character is a line feed
      EXPECT_THAT(test::complaint(whole.substr(0, length)), StartsWith("file:")) << "cut to " << length;
    }
    EXPECT_EQ(test::complaint(whole), "");
  }
  EXPECT_THAT(test::complaint("{\n\"a\": 1,\n  \"b\": x}"), StartsWith("file:3:8: is not JSON from here on"));
}

TEST_F(JsonProblemErrors, NameTheEntryThatIsWrong) {
  const std::string& good = delassus_text_;
  EXPECT_THAT(test::complaint("[]"), HasSubstr("format must be"));
  EXPECT_THAT(with(good, "pawl-contact-problem", "fclib"),
              HasSubstr("file: format must be \"pawl-contact-problem\"; it is \"fclib\""));
  EXPECT_THAT(with(good, "\"version\":2", "\"version\":1"),
              AllOf(HasSubstr("version must be 2"), HasSubstr("version 1 are no longer read")));
  EXPECT_THAT(with(good, "\"tolerance\":1e-08", "\"tolerance\":0"), HasSubstr("tolerance must be above 0"));
  EXPECT_THAT(with(good, "\"tolerance\":1e-08", "\"tolerance\":1.0"), HasSubstr("tolerance must be below 1"));
  EXPECT_THAT(with(good, "\"contacts\":2", "\"contacts\":-1"),
              HasSubstr("contacts must be a whole number from 0 to 4"));
  EXPECT_THAT(with(good, "\"contacts\":2", "\"contacts\":2.5"), HasSubstr("contacts"));
  EXPECT_THAT(with(good, "\"contacts\":2", "\"contacts\":18446744073709551615"), HasSubstr("contacts"));
  EXPECT_THAT(with(good, "\"contacts\":2", "\"contacts\":3"), HasSubstr("zeta must have 3 entries, not 2"));
  EXPECT_THAT(with(good, "\"blocks\":[2", "\"blocks\":[5"),
              HasSubstr("blocks[0] must be a whole number from 1 to 4; it is 5"));
  EXPECT_THAT(with(good, "\"blocks\":[2,2,2", "\"blocks\":[2,2,1000"), HasSubstr("b must have"));
  EXPECT_THAT(with(good, "\"blocks\":[2,2,2", "\"blocks\":[2,2,1001"),
              HasSubstr("blocks[2] must be a whole number from 1 to 1000"));
  EXPECT_THAT(with(good, "0.375,", ""), HasSubstr("b must have 7 entries, not 6"));
  EXPECT_THAT(with(good, "0.375", "\"0.375\""), HasSubstr("b[2] must be a finite number; it is \"0.375\""));
  EXPECT_THAT(with(good, "0.375", "null"), HasSubstr("b[2] must be a finite number"));
  EXPECT_THAT(with(good, "0.375", "1e999"), HasSubstr("too large"));
  EXPECT_THAT(with(good, "16.5", "null"), HasSubstr("W[0].values[0] must be a finite number; it is null"));
  EXPECT_THAT(with(good, "16.5,", ""), HasSubstr("W[0].values must have 4 entries, not 3"));
  EXPECT_THAT(with(good, "\"row\":0", "\"row\":4"),
              HasSubstr("W[0].row must be a whole number from 0 to 3; it is 4"));
  EXPECT_THAT(with(good, "{\"column\":1,\"row\":0", "{\"column\":0,\"row\":0"),
              HasSubstr("W has the block of row 0 and column 0 twice"));
  EXPECT_THAT(with(good, "\"W\"", "\"V\""), HasSubstr("W or motion must be there"));
  EXPECT_THAT(with(good, "\"mu\":0.75", "\"mu\":-0.75"),
              HasSubstr("friction[0].mu must be at least 0; it is -0.75"));
  EXPECT_THAT(with(good, "\"radii\":[1.0", "\"radii\":[0.0"),
              HasSubstr("friction[0].radii[0] must be above 0"));
  EXPECT_THAT(with(good, "{\"kind\":\"none\"}", "[0.0]"),
              HasSubstr("friction[1].kind must be a word; it is missing"));
  EXPECT_THAT(with(good, "{\"kind\":\"none\"}", "{\"kind\":\"cone\"}"),
              HasSubstr("friction[1].kind must be none, ellipsoid"));
  EXPECT_THAT(with(good, "{\"kind\":\"none\"}", "{\"kind\":\"mixed\"}"),
              HasSubstr("friction[1].kind can't be mixed"));
  EXPECT_THAT(with(good, ",{\"kind\":\"none\"}", ""), HasSubstr("friction must have 2 entries, not 1"));
  EXPECT_THAT(with(good, "[-1.0,0.0,0.0]", "[2.0,0.0,0.0]"),
              HasSubstr("friction[0].directions are no polyhedron"));
  EXPECT_THAT(with(good, "[-1.0,0.0,0.0]", "[-1.0,0.5,0.0]"),
              HasSubstr("friction[0].directions[1][1] must be 0"));
  EXPECT_THAT(with(good, "[-1.0,0.0,0.0]", "-1.0"), HasSubstr("friction[0].directions[1] must be a list"));
}

TEST_F(JsonProblemErrors, NameTheEntryOfPrimalDataThatIsWrong) {
  const std::string& good = primal_text_;
  EXPECT_THAT(with(good, "\"size\":2", "\"size\":3"),
              HasSubstr("motion.mass[0].values must have 9 entries, not 4"));
  EXPECT_THAT(with(good, "[2.0,0.5,0.5,3.0]", "[2.0,0.5,0.6,3.0]"),
              HasSubstr("motion.mass[0].values must be symmetric"));
  EXPECT_THAT(with(good, "[2.0,0.5,0.5,3.0]", "[-2.0,0.5,0.5,3.0]"),
              HasSubstr("motion.mass[0].values must be positive definite"));
  EXPECT_THAT(with(good, "\"mass\":1", "\"mass\":2"),
              HasSubstr("motion.jacobian[1].mass must be a whole number from 0 to 1"));
  EXPECT_THAT(with(good, "\"mass\":1", "\"mass\":0"),
              HasSubstr("motion.jacobian[1] must come after the entry before it"));
  EXPECT_THAT(with(good, "\"v_free\":[1.0,", "\"v_free\":["),
              HasSubstr("motion.v_free must have 5 entries, not 4"));
  EXPECT_THAT(with(good, "\"shift\":[0.0,", "\"shift\":["),
              HasSubstr("motion.shift must have 7 entries, not 6"));
}

TEST_F(JsonProblemErrors, ComeFromReadingNumbersThatAreNotFiniteNotFromWritingThem) {
  ContactProblem problem = test::delassus_problem(2);
  problem.b[1] = std::nan("");
  write_problem(path(), problem);
  EXPECT_THAT(test::complaint(text()), HasSubstr("b[1] must be a finite number"));
}

TEST_F(JsonProblemErrors, SayThatAFileCannotBeWrittenAndLeaveNothingBehind) {
  const auto complaint_about = [](const std::string& target) -> std::string {
    try {
      write_problem(target, test::delassus_problem(2));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(complaint_about(path("missing/problem.json")),
              StartsWith(path("missing/problem.json") + ": can't be written"));
  std::filesystem::create_directory(path("folder"));
  EXPECT_THAT(complaint_about(path("folder")), StartsWith(path("folder") + ": "));
  EXPECT_EQ(files(), 2);  // the good file and the folder
}

}  // namespace
}  // namespace pawl::internal
