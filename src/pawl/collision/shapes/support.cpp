#include <pawl/collision/shapes/support.h>

#include <pawl/base/tolerances.h>

namespace pawl::internal {

CorePair core_pair(const PosedConvex& a, const PosedConvex& b) {
  const Mat3 R_AW = transpose(a.X_WS.R);
  // The positions are subtracted first, so that a distant origin costs no accuracy.
  CorePair pair{a.shape, b.shape, R_AW * b.X_WS.R, R_AW * (b.X_WS.p - a.X_WS.p)};
  pair.size = core_radius(a.shape) + core_radius(b.shape);
  const double origin_distance = norm(core_center(a.shape)) + norm(core_center(b.shape)) + norm(pair.p_AB);
  pair.rounding = tolerances::kData * (pair.size + origin_distance);
  return pair;
}

namespace {

PairSupport between(const CorePair& pair, const Support& a, const Support& b) {
  const Vec3 b_A = pair.R_AB * b.point + pair.p_AB;
  return {a.point, b_A, a.point - b_A, a.piece, b.piece};
}

}  // namespace

PairSupport support(const CorePair& pair, const Vec3& n, int start_a, int start_b) {
  return between(pair, support(pair.a, -n, start_a), support(pair.b, transpose(pair.R_AB) * n, start_b));
}

PairSupport support_of_pieces(const CorePair& pair, int piece_a, int piece_b, const Vec3& n) {
  return between(pair, {support_of_piece(pair.a, piece_a, -n), piece_a},
                 {support_of_piece(pair.b, piece_b, transpose(pair.R_AB) * n), piece_b});
}

Mat3 support_derivative(const CorePair& pair, int piece_a, int piece_b, const Vec3& n) {
  const Mat3 R_BA = transpose(pair.R_AB);
  return support_derivative(pair.a, piece_a, -n) +
         pair.R_AB * support_derivative(pair.b, piece_b, R_BA * n) * R_BA;
}

}  // namespace pawl::internal
