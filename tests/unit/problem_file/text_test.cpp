#include <gmock/gmock.h>

#include <pawl/problem_file.h>

#include "complaint.h"

namespace pawl::internal {
namespace {

using test::complaint;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Lcp lcp(const std::string& text, std::optional<ProblemKind> kind = std::nullopt) {
  return std::get<Lcp>(parse_problem(text, "file", kind));
}
MixedLcp mixed_lcp(const std::string& text) {
  return std::get<MixedLcp>(parse_problem(text, "file"));
}
ContactProblem contacts(const std::string& text) {
  return std::get<StoredContactProblem>(parse_problem(text, "file")).problem;
}
std::string_view kind(const std::string& text) {
  return to_string(kind_of(parse_problem(text, "file")));
}

// One text per kind and storage; the matrix is [1 3; 2 4] unless stated otherwise.
const std::string kDenseLcp = "2\n0\n2\n2\n2\t2\n1 2\n3 4\n-5 -6\n";
const std::string kBlockLcp = "2 1 2 2  2 2 2  1 2  1 2  3 2  0 1 2  0 1  0 7.5  1 8.5  -5 -6";
const std::string kSparseLcp =
    "2 2 2 2 2\nCSparse Version 3.1.9, May 4, 2016.  Copyright\n2-by-2, nzmax: 9 nnz: 3, 1-norm: 7\n"
    "    col 0 : locations 0 to 0\n      0 : 1\n    col 1 : locations 1 to 2\n      0 : 3\n      1 : 4\n-5 "
    "-6";
const std::string kDenseContact = "2 1 0 2 2 2 2 1 2 3 4 -5 -6 0.5";
const std::string kBlockContact =
    "2 2 1 4 4  3 2 2  2 4  2 4  3 3  0 2 3  1 0 1\n"
    "0  1 2 3 4  1  5 6 7 8  2  0 0 0 9\n-1 -2 -3 -4  0.5 0.25\n1\n";
const std::string kSparseContact =
    "2 1 2 2 2 1\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n 0 0 : 1\n 1 1 : 4\n 1 1 : 1\n-5 -6 .5";
const std::string kBothMixed =
    "1 1 1 2  0 1 3  0 1  0 3 3 3 3  1 2 3 4 5 6 7 8 9  -1 -2 -3\n"
    "1  5 8 6 9  4 7  2 3  -1  -2 -3\n0 0 0";
const std::string kMMixed = "1 0 1 1  0 1 2  1 0  0 2 2 2 2  1 2 3 4  -1 -2";
const std::string kAbcdMixed = "0 1 1 2\n1\n5 8\n6 9\n4 7\n2\n3\n-1\n-2 -3";

TEST(TextProblem, HasDenseMatricesColumnByColumn) {
  const Lcp read = lcp(kDenseLcp);
  EXPECT_EQ(read.n, 2);
  EXPECT_THAT(read.M, ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(read.q, ElementsAre(-5, -6));
}

TEST(TextProblem, HasSparseBlocks) {
  EXPECT_THAT(lcp(kBlockLcp).M, ElementsAre(7.5, 0, 0, 8.5));
  const ContactProblem read = contacts(kBlockContact);
  EXPECT_EQ(read.contacts, 2);
  EXPECT_THAT(read.begin, ElementsAre(0, 2, 4));
  ASSERT_EQ(read.W.entries.size(), 3u);
  const auto values = [&read](int i, int j) {
    const auto first = read.W.values.begin() + static_cast<std::ptrdiff_t>(read.W.find(i, j)->offset);
    return std::vector(first, first + 4);
  };
  EXPECT_THAT(values(0, 0), ElementsAre(5, 7, 6, 8));
  EXPECT_THAT(values(0, 1), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(values(1, 1), ElementsAre(0, 0, 0, 9));
}

TEST(TextProblem, KeepsBlocksOfZerosOnlyWhereTheyAreBlocksOfTheFile) {
  const std::string with_zeros = "2 2 1 4 4  1 2 2  2 4  2 4  3 1  0 1 1  1  0  0 0 0 0  1 2 3 4  0 0";
  EXPECT_NE(contacts(with_zeros).W.find(0, 1), nullptr);
  EXPECT_EQ(contacts(with_zeros).W.entries.size(), 3u) << "the diagonal is always there";
  const std::string dense = "2 2 0 4 4 4 4  1 0 0 0  0 1 0 0  0 0 0 0  0 0 0 0  1 2 3 4  0 0";
  EXPECT_EQ(contacts(dense).W.entries.size(), 2u);
}

TEST(TextProblem, CutsBlocksThatHoldSeveralContacts) {
  const std::string one_block =
      "2 2 1 4 4  1 1 1  4  4  2 1  0 1  0  0  1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16  1 2 3 4  0 0";
  const ContactProblem read = contacts(one_block);
  ASSERT_NE(read.W.find(1, 0), nullptr);
  EXPECT_EQ(read.W.values[read.W.find(1, 0)->offset + 1], 7);
}

TEST(TextProblem, HasSparseMatricesAsCSparsePrintsThem) {
  EXPECT_THAT(lcp(kSparseLcp).M, ElementsAre(1, 3, 0, 4));
  EXPECT_THAT(contacts(kSparseContact).W.values, ElementsAre(1, 0, 0, 5)) << "what is at one place is summed";
  std::string by_rows = kSparseLcp;
  by_rows.replace(8, 1, "3");
  EXPECT_THAT(lcp(by_rows).M, ElementsAre(1, 0, 3, 4));
}

TEST(TextProblem, HasFrictionOfEveryContact) {
  const ContactProblem read = contacts(kBlockContact);
  EXPECT_THAT(read.b, ElementsAre(-1, -2, -3, -4));
  EXPECT_THAT(read.zeta, ElementsAre(0, 0));
  EXPECT_EQ(read.friction[0].kind, FrictionKind::ellipsoid);
  EXPECT_EQ(read.friction[0].mu, 0.5);
  EXPECT_EQ(read.friction[1].mu, 0.25);
}

TEST(TextProblem, HasMixedLcpsInTwoFormsThatAgree) {
  const MixedLcp abcd = mixed_lcp(kAbcdMixed), both = mixed_lcp(kBothMixed);
  EXPECT_THAT(abcd.M, ElementsAre(1, 4, 7, 2, 5, 8, 3, 6, 9));
  EXPECT_EQ(both.M, abcd.M);
  EXPECT_THAT(both.q, ElementsAre(-1, -2, -3));
  EXPECT_EQ(both.q, abcd.q);
  EXPECT_THAT(both.free, ElementsAre(1, 0, 0));
  EXPECT_EQ(both.free, abcd.free);
}

TEST(TextProblem, HasComplementaryRowsFirstWhereBlocksSaySo) {
  EXPECT_THAT(mixed_lcp(kMMixed).free, ElementsAre(0, 1));
}

TEST(TextProblem, IsRecognisedWhereTwoKindsBeginAlike) {
  // Two rows: an LCP in blocks, and a contact with a sparse matrix.
  EXPECT_EQ(kind(kBlockLcp), "lcp");
  EXPECT_EQ(kind(kSparseContact), "contact");
  // One row, and 1 + 1 rows.
  EXPECT_EQ(kind("1 0 1 1 1 1  2 -1"), "lcp");
  EXPECT_EQ(kind("1 1 1 1  1 1 1  1  1  2 1  0 1  0  0 2  -1"), "lcp");
  EXPECT_EQ(kind("1 1 1 1  0 1 1  1  1  2 0  0 0  -1"), "lcp");
  EXPECT_EQ(kind(kMMixed), "mixed-lcp");
  EXPECT_EQ(kind("1 0 0 2  0 2  1  0 2 2 2 2  1 2 3 4  -1 -2"), "mixed-lcp");
  EXPECT_EQ(kind("1 1 1 1  0 1 2  0 1  0 2 2 2 2  1 2 3 4  -1 -2  1 4 3 2 -1 -2"), "mixed-lcp");
}

/// For all leading sizes below 4, at most one reader accepts the text: the kind is unambiguous.
TEST(TextProblem, IsTakenByOneReaderOnlyWhateverItsSizes) {
  const ProblemKind kinds[] = {ProblemKind::contact, ProblemKind::lcp, ProblemKind::mixed_lcp};
  const std::string rests[] = {
      "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
      "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
      "0 1 2 0 1 0 2 2 2 2 1 1 1 1 1 1 1 1 1",
      "1 1 1 1 2 1 0 1 0 0 1 1 1 1 1 1",
      "1 1 2 0 0 0 1 1 1 1",
      "1 1 2 2 2 1 0 1 0 0 1 1 1 1 1 1 1",
  };
  int taken = 0;
  for (int code = 0; code < 4 * 4 * 4 * 4 * 4; ++code) {
    std::string sizes;
    for (int k = 0, rest = code; k < 5; ++k, rest /= 4) sizes += std::to_string(rest % 4) + " ";
    for (const std::string& rest : rests) {
      const std::string text = sizes + rest;
      int readers = 0;
      for (const ProblemKind k : kinds) readers += complaint(text, k).empty() ? 1 : 0;
      EXPECT_LE(readers, 1) << text;
      EXPECT_EQ(complaint(text).empty(), readers == 1) << text << "\n" << complaint(text);
      taken += readers;
    }
  }
  EXPECT_GT(taken, 10);
}

TEST(TextProblem, TakesAnyWhitespaceAndSigns) {
  EXPECT_THAT(lcp("\r\n 2 0\t2\v2 2\f2\r\n+1 2e0\r\n.3E1 4.\r\n-5 -6").M, ElementsAre(1, 3, 2, 4));
}

TEST(TextProblem, IgnoresWhatFollows) {
  EXPECT_EQ(complaint(kDenseLcp + "\n# from a book nan inf \x01\xff"), "");
  EXPECT_EQ(complaint(kDenseContact + "\n0"), "");
}

TEST(TextProblemErrors, NameThePositionWhereverTheTextIsCutOff) {
  for (const std::string& whole :
       {kDenseLcp, kBlockLcp, kSparseLcp, kDenseContact, kSparseContact, kMMixed, kAbcdMixed}) {
    const std::size_t last_number = whole.find_last_of(" \n", whole.find_last_not_of(" \n")) + 1;
    for (std::size_t length = 0; length <= last_number; ++length) {
      EXPECT_THAT(complaint(whole.substr(0, length)), StartsWith("file:")) << whole << "\ncut to " << length;
    }
    EXPECT_EQ(complaint(whole), "");
  }
  EXPECT_THAT(complaint(kDenseLcp.substr(0, 18)),
              HasSubstr("file:7:3: M(1, 1) must be a number, but the file ends here"));
}

struct Wrong {
  const char* text;
  const char* complaint;
};

TEST(TextProblemErrors, SayWhatWouldBeRight) {
  const Wrong wrongs[] = {
      Wrong{"", "file: is empty"},
      Wrong{" \n", "file: is empty"},
      Wrong{"hello", "file:1:1: is no problem"},
      Wrong{"\x7f"
            "ELF\x02\x01",
            "file:1:1: is no problem"},
      Wrong{"2 0 2 2\n2 2 1 nan 3 4 -5 -6", "file:2:7: M(1, 0) must be finite, not 'nan'"},
      Wrong{"2 0 2 2 2 2 1 2 3 4 -5 -inf", "q[1] must be finite, not '-inf'"},
      Wrong{"2 0 2 2 2 2 1 2 3 1e999 -5 -6", "M(1, 1) must be a number that a double can hold"},
      Wrong{"2 0 2 2 2 2 1 2 3 4x -5 -6", "M(1, 1) must be a number, not '4x'"},
      Wrong{"2 0 2 2 2 2 1 2 3 4 -5 -", "q[1] must be a number, not '-'"},
      Wrong{"2 0 2 2 2 3 1 2 3 4 -5 -6", "count of columns must be 2, not '3'"},
      Wrong{"2 0 2 2 2 2.5 1 2 3 4 -5 -6", "count of columns must be 2, not '2.5'"},
      Wrong{"2 1 0 2 2 2 2 1 2 3 4 -5 -6 -0.5", "mu[0] must be at least 0, not -0.5"},
      Wrong{"2 1 0 2 2 2 2 1 2 3 4 -5 -6", "mu[0] must be a number, but the file ends here"},
      Wrong{"10000 0 10000 10000 10000 10000 1 2 3", "M needs 100000000 numbers"},
      Wrong{"3 500000000 0 1500000000 1500000000 1500000000 1500000000 1",
            "W needs 2250000000000000000 numbers"},
      Wrong{"3 500000000 1 1500000000 1500000000 1 500000000 500000000 3 6",
            "ends of block rows needs 500000000"},
      Wrong{"0 1 15000 5000 1 2 3", "A, B, C, D needs 400000000 numbers"},
      Wrong{"0 1 100000000 100000000 1 2 3", "n must be a whole number from 0 to 20000"},
      Wrong{"2 1 2 2  2 2 2  2 1  1 2  3 2  0 1 2  0 1  0 7.5  1 8.5  -5 -6",
            "ends of block rows[1] must be"},
      Wrong{"2 1 2 2  2 2 2  1 2  1 1  3 2  0 1 2  0 1  0 7.5  1 8.5  -5 -6",
            "ends of block columns[1] must be 2"},
      Wrong{"2 1 2 2  2 1 2  1  1 2  2 2  0 2  0 1  0 7.5  1 8.5  -5 -6", "ends of block rows[0] must be 2"},
      Wrong{"2 1 2 2  2 2 2  1 2  1 2  3 2  0 3 2  0 1  0 7.5  1 8.5  -5 -6",
            "row pointers[1] must be a whole number from 0 to 2"},
      Wrong{"2 1 2 2  2 2 2  1 2  1 2  3 2  0 2 1  0 1  0 7.5  1 8.5  -5 -6", "row pointers[2] must be 2"},
      Wrong{"2 1 2 2  2 2 2  1 2  1 2  3 2  0 1 1  0 1  0 7.5  1 8.5  -5 -6",
            "row pointers[2] must be 2, the count of blocks"},
      Wrong{"2 1 2 2  2 2 2  1 2  1 2  3 2  0 1 2  0 2  0 7.5  1 8.5  -5 -6",
            "block columns[1] must be a whole number from 0 to 1"},
      Wrong{"2 1 2 2  2 2 2  1 2  1 2  3 2  0 1 2  0 1  1 7.5  0 8.5  -5 -6",
            "number of a block must be 0, not '1'"},
      Wrong{"2 1 2 2 2 1 triplet: 3-by-2, nzmax: 1 nnz: 1 0 0 : 1 1 1 0", "size must be '2-by-2,'"},
      Wrong{"2 1 2 2 2 1 triplet: 2-by-2, nzmax: 1 nnz: 1 2 0 : 1 1 1 0",
            "row[0] must be a whole number from 0 to 1, not '2'"},
      Wrong{"2 1 2 2 2 1 triplet: 2-by-2, nzmax: 1 nnz: 1 0 0 ; 1 1 1 0", "must be ':', not ';'"},
      Wrong{"2 1 2 2 2 2 2-by-2, nzmax: 1 nnz: 1, 1-norm: 1 col 0 : locations 0 to 1",
            "last location must be a whole number from -1 to 0"},
      Wrong{"2 1 2 2 2 2 2-by-2, nzmax: 1 nnz: 1, 1-norm: 1 col 0 : locations 0 to -1 col 1 : locations 0 "
            "to -1",
            "last location must be 0"},
      Wrong{"1 0 1 1 0 1 2 1 1 0 2 2 2 2 1 2 3 4 -1 -2", "makes 2 rows complementary; they must be 1"},
      Wrong{"1 0 1 2 0 2 2 3 0 1 1", "block ends[2] must be 3, not '2'"}};
  for (const auto& [text, wanted] : wrongs) EXPECT_THAT(complaint(text), HasSubstr(wanted)) << text;
}

TEST(TextProblemErrors, RefuseAnotherKindThanTheOneAskedFor) {
  EXPECT_THAT(complaint(kDenseContact, ProblemKind::lcp), HasSubstr("count of rows must be 2, not '0'"));
  EXPECT_THAT(complaint(kDenseLcp, ProblemKind::mixed_lcp), HasSubstr("flag of the M form"));
  EXPECT_THAT(complaint("{}", ProblemKind::lcp), HasSubstr("holds a problem of kind contact, not lcp"));
}

}  // namespace
}  // namespace pawl::internal
