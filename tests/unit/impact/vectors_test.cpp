// The impacts of tests/vectors, which were computed by another method (docs/impacts.md).

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <pawl/impact.h>

namespace pawl::internal {
namespace vectors_test {

using Json = nlohmann::json;

Json read_vectors(const std::string& name) {
  std::ifstream file(std::string(PAWL_SOURCE_DIR) + "/tests/vectors/" + name);
  EXPECT_TRUE(file.good()) << name;
  return Json::parse(file);
}

struct Sizes {
  double v = 0, p = 0;
};
Sizes sizes_of(const Json& impact) {
  Sizes sizes;
  for (const char* name : {"v", "v_after"}) {
    for (const double x : impact[name]) sizes.v = std::max(sizes.v, std::abs(x));
  }
  for (const double x : impact["p"]) sizes.p = std::max(sizes.p, std::abs(x));
  return sizes;
}

/// Compares the results that both kinds of impacts have, relative to the scales of the impact.
void expect_like(const Json& impact, const ImpactReport& ours, const std::vector<double>& p,
                 const std::vector<double>& v, double tolerance) {
  const Sizes size = sizes_of(impact);
  EXPECT_EQ(ours.status, ImpactStatus::resolved) << to_string(ours.reason);
  EXPECT_EQ(to_string(ours.path), impact["path"].get<std::string>());
  EXPECT_EQ(to_string(ours.slip), impact["slip"].get<std::string>());
  EXPECT_EQ(ours.wedged, impact["wedged"].get<bool>());
  EXPECT_EQ(ours.recompressed, impact["recompressed"].get<bool>());
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(p[i], impact["p"][i].get<double>(), tolerance * size.p);
    EXPECT_NEAR(v[i], impact["v_after"][i].get<double>(), tolerance * size.v);
  }
  ASSERT_EQ(ours.history.count, impact["history"].size());
  for (int i = 0; i < ours.history.count; ++i) {
    const ImpactPhase& phase = ours.history.phase[i];
    const Json& theirs = impact["history"][i];
    EXPECT_EQ(to_string(phase.event), theirs["moment"].get<std::string>());
    EXPECT_NEAR(phase.p_n, theirs["p_n"].get<double>(), tolerance * size.p);
    EXPECT_NEAR(phase.E_n, theirs["E_n"].get<double>(), tolerance * size.v * size.p);
    EXPECT_NEAR(phase.E_f, theirs["E_f"].get<double>(), tolerance * size.v * size.p);
  }
}

void expect_all(std::map<std::string, int>& seen) {
  for (const char* what : {"stops-in-compression", "never-stops", "stops-in-expansion", "slides-through",
                           "stops-and-sticks", "stops-and-reverses", "sticks-throughout", "breaks-loose"}) {
    EXPECT_GE(seen[what], 5) << what;
  }
}

TEST(ImpactVectors, OfThePlaneMatchTheClosedForm) {
  const Json file = read_vectors("planar_impacts.json");
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < file["impacts"].size(); ++i) {
    SCOPED_TRACE(i);
    const Json& in = file["impacts"][i];
    const PlanarImpact hit = planar_impact({in["A"][0][0], in["A"][0][1], in["A"][1][1], in["v"][0],
                                            in["v"][1], in["mu"], in["mu_static"], in["e"]});
    expect_like(in, hit, {hit.p_n, hit.p_t}, {hit.v_n, hit.v_t}, 1e-12);
    ++seen[in["path"]];
    ++seen[in["slip"]];
  }
  expect_all(seen);
}

TEST(ImpactVectors, OfSpaceMatchTheSeries) {
  const Json file = read_vectors("spatial_impacts.json");
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < file["impacts"].size(); ++i) {
    SCOPED_TRACE(i);
    const Json& in = file["impacts"][i];
    SpatialContact c;
    for (int k = 0; k < 3; ++k) {
      c.v[k] = in["v"][k];
      for (int j = 0; j < 3; ++j) c.A(k, j) = in["A"][k][j];
    }
    c.mu = in["mu"], c.mu_static = in["mu_static"], c.e = in["e"];
    c.e_t = in["radii"][0], c.e_o = in["radii"][1];
    for (const double tolerance : {1e-10, 1e-13}) {
      c.tolerance = tolerance;
      const SpatialImpact hit = spatial_impact(c);
      expect_like(in, hit, {hit.p.x, hit.p.y, hit.p.z}, {hit.v.x, hit.v.y, hit.v.z}, 10 * tolerance);
    }
    ++seen[in["path"]];
    ++seen[in["slip"]];
  }
  expect_all(seen);
}

}  // namespace vectors_test
}  // namespace pawl::internal
