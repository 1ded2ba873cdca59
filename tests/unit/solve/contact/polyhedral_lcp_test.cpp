#include <pawl/solve/contact/polyhedral_lcp.h>

#include <gmock/gmock.h>

#include <pawl/residual.h>
#include <pawl/solve/lcp/lemke.h>

#include "unit/solve/contact/touching_bodies.h"
#include "unit/solve/lcp/lcp_oracle.h"

namespace pawl::internal {
namespace polyhedral_lcp_test {

/// W, b and ζ of one contact.
ContactProblem one_contact(int dim, const std::vector<double>& W, std::vector<double> b, double zeta,
                           FrictionSet friction) {
  ContactProblem problem;
  problem.contacts = 1;
  problem.begin = {0, dim};
  problem.W = to_block_matrix(problem.begin, W);
  problem.b = std::move(b);
  problem.zeta = {zeta};
  problem.friction = {friction};
  return problem;
}

PolyhedralLcp formulated(const ContactProblem& problem) {
  PolyhedralLcp form;
  form.formulate(problem, problem.W);
  return form;
}

TEST(PolyhedralLcp, WritesThePlanarContactAsInThePaper) {
  PolyhedralLcp form =
      formulated(one_contact(2, {0.25, 0.5, 0.5, 4}, {-3, 7}, 1, polyhedral(0.3, regular_polygon(2))));
  // p_n, β_1, β_2, λ; scaled by s² = 1/4.
  EXPECT_EQ(form.lcp().n, 4);
  EXPECT_THAT(form.lcp().M, testing::ElementsAre(0.0625, 0.125, -0.125, 0,  //
                                                 0.125, 1, -1, 1,           //
                                                 -0.125, -1, 1, 1,          //
                                                 0.3, -1, -1, 0));
  EXPECT_THAT(form.lcp().q, testing::ElementsAre(-1, 3.5, -3.5, 0));
}

TEST(PolyhedralLcp, IsTheNormalProblemAloneWithoutFriction) {
  for (const FrictionSet& none : {polyhedral(0, regular_polygon(8)), FrictionSet{.mu = 0.5}}) {
    PolyhedralLcp form = formulated(one_contact(3, {4, 1, 0, 1, 2, 0, 0, 0, 1}, {-3, 7, 1}, 1, none));
    EXPECT_THAT(form.lcp().M, testing::ElementsAre(1));
    EXPECT_THAT(form.lcp().q, testing::ElementsAre(-1));
  }
}

TEST(PolyhedralLcp, TakesAnEllipsoidOfOneRowAsAnInterval) {
  const FrictionSet ellipsoid{.kind = FrictionKind::ellipsoid, .mu = 0.3, .radii = {2, 1, 1}};
  FrictionSet interval = polyhedral(0.3, regular_polygon(2));
  interval.radii = ellipsoid.radii;
  PolyhedralLcp round = formulated(one_contact(2, {4, 0.5, 0.5, 0.25}, {-3, 7}, 1, ellipsoid)),
                flat = formulated(one_contact(2, {4, 0.5, 0.5, 0.25}, {-3, 7}, 1, interval));
  EXPECT_EQ(round.lcp().M, flat.lcp().M);
  EXPECT_EQ(round.lcp().q, flat.lcp().q);
  // s² = 1/4, and the directions are ±e.
  EXPECT_THAT(round.lcp().M, testing::ElementsAre(1, 0.25, -0.25, 0,      //
                                                  0.25, 0.25, -0.25, 1,   //
                                                  -0.25, -0.25, 0.25, 1,  //
                                                  0.3, -1, -1, 0));
  std::vector<double> p(2);
  round.impulses(std::vector{1.0, 0.25, 0.0, 0.0}, p);
  EXPECT_THAT(p, testing::ElementsAre(0.5, 0.25));
}

TEST(PolyhedralLcp, SaysWhatItCannotTake) {
  const std::vector<double> W(16, 0.0);
  const auto unsupported_reason = [&](int rows, const FrictionSet& set) {
    return PolyhedralLcp::unsupported_reason(one_contact(rows, W, std::vector<double>(rows), 0, set));
  };
  const FrictionPolyhedron spin({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
  EXPECT_EQ(unsupported_reason(4, polyhedral(0.5, spin)), "");
  EXPECT_EQ(unsupported_reason(4, polyhedral(0.5, regular_polygon(8))), "");  // no friction against spin
  EXPECT_EQ(unsupported_reason(3, polyhedral(0.5, spin)), "friction set");
  EXPECT_EQ(unsupported_reason(3, {.kind = FrictionKind::ellipsoid, .mu = 0.5}), "friction set");
  EXPECT_EQ(unsupported_reason(4, {.kind = FrictionKind::mixed, .mu = 0.5}), "friction set");
  EXPECT_EQ(unsupported_reason(3, {.kind = FrictionKind::ellipsoid, .mu = 0}), "");
  EXPECT_EQ(unsupported_reason(2, {.kind = FrictionKind::ellipsoid, .mu = 0.5}), "");
  EXPECT_EQ(unsupported_reason(1, {.kind = FrictionKind::ellipsoid, .mu = 0.5}), "");
  ContactProblem with_joint = one_contact(1, W, {0}, 0, {});
  with_joint.begin.push_back(2);
  EXPECT_EQ(PolyhedralLcp::unsupported_reason(with_joint), "");
}

TEST(PolyhedralLcp, SolvesWhatIsGivenWhereWIsNotSymmetric) {
  PolyhedralLcp form =
      formulated(one_contact(2, {1, 0.5, 0.25, 1}, {-1, 0}, 0, polyhedral(1, regular_polygon(2))));
  EXPECT_EQ(form.lcp().M[0 * 4 + 1], 0.5);
  EXPECT_EQ(form.lcp().M[1 * 4 + 0], 0.25);
}

TEST(PolyhedralLcp, EveryAnswerOfTheLcpIsOneOfTheContactProblem) {
  Random random(1);
  PolyhedralLcp form;
  JudgeScratch scratch;
  int answers = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int dim = random.integer(2, 3);
    const ContactProblem problem = random_bodies(
        random, {.dim = dim, .contacts = 1, .directions = dim == 2 ? 2 : 4, .mass_ratio = 1e4, .zeta = 0.5});
    form.formulate(problem, delassus(problem));
    for (const std::vector<double>& z : enumerate_solutions(form.lcp())) {
      std::vector<double> p(problem.rows()), u(p.size()), v_next(problem.motion.v_free.size());
      form.impulses(z, p);
      EXPECT_TRUE(judge(problem, p, u, v_next, scratch).within(1e-7)) << save_failed_problem(problem);
      ++answers;
    }
  }
  EXPECT_GE(answers, 300);
}

TEST(PolyhedralLcp, ABasisGoesToOneBitMaskAContactAndBack) {
  Random random(2);
  PolyhedralLcp form;
  for (const int directions : {4, 8, 16}) {
    const ContactProblem problem =
        random_bodies(random, {.contacts = 6, .bodies = 3, .directions = directions});
    form.formulate(problem, delassus(problem));
    const int n = form.lcp().n;
    std::vector<char> alpha(n), back;
    for (char& bit : alpha) bit = static_cast<char>(random.integer(0, 1));
    std::vector<ContactBasis> basis(6);
    form.alpha_to_basis(alpha, basis);
    form.basis_to_alpha(basis, back);
    EXPECT_EQ(back, alpha);
  }
}

TEST(PolyhedralLcp, TakesAsManyDirectionsAsABitMaskHolds) {
  const FrictionPolyhedron finest = FrictionPolyhedron::regular(kMaxDirections);
  PolyhedralLcp form =
      formulated(one_contact(3, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, -1, 0}, 0, polyhedral(0.5, finest)));
  ASSERT_EQ(form.lcp().n, 64);
  const std::vector<char> all(64, 1);
  std::vector<ContactBasis> basis(1);
  std::vector<char> back;
  form.alpha_to_basis(all, basis);
  form.basis_to_alpha(basis, back);
  EXPECT_EQ(back, all);
}

}  // namespace polyhedral_lcp_test
}  // namespace pawl::internal
