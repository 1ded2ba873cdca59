#pragma once
// Vectors of four doubles, for the code that dominates box-box collision. Each lane gives the same bits as
// scalar arithmetic, so results agree on machines without AVX.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include <pawl/math.h>

namespace pawl::internal {

using Vec4d = double __attribute__((vector_size(32)));
/// All bits of a lane are set where a comparison holds.
using Mask4 = std::int64_t __attribute__((vector_size(32)));

inline Vec4d broadcast(double x) {
  return Vec4d{x, x, x, x};
}

/// Loads x[0] … x[3], unaligned.
inline Vec4d load(const double* x) {
  Vec4d lanes;
  std::memcpy(&lanes, x, sizeof lanes);
  return lanes;
}

/// Forces a scalar load. Poses are often stored as scalars just before; a vector load of two neighbours would
/// then stall on store forwarding. The stall takes as long as a box-box SAT.
inline double load_scalar(double x) {
#ifdef __AVX__
  asm("" : "+x"(x));
#endif
  return x;
}

/// A 3-vector has 0 in the last lane.
inline Vec4d to_vec4d(const Vec3& v) {
  return Vec4d{load_scalar(v.x), load_scalar(v.y), load_scalar(v.z), 0};
}
inline Vec4d load_column(const Mat3& R, int j) {
  // R(i, j) has branches, and j is unpredictable.
  const auto in_row = [&](int i) {
    double x;
    std::memcpy(&x, reinterpret_cast<const char*>(&R.row[i]) + static_cast<std::size_t>(j) * sizeof x,
                sizeof x);
    return x;
  };
  return Vec4d{in_row(0), in_row(1), in_row(2), 0};
}
inline Vec3 to_vec3(Vec4d x) {
  return {x[0], x[1], x[2]};
}

/// Lane `lane` in all four lanes.
template <int lane, class Four>
Four splat(Four x) {
  return __builtin_shufflevector(x, x, lane, lane, lane, lane);
}
/// (x, y, x, y) and (z, w, z, w).
template <class Four>
Four xyxy(Four x) {
  return __builtin_shufflevector(x, x, 0, 1, 0, 1);
}
template <class Four>
Four zwzw(Four x) {
  return __builtin_shufflevector(x, x, 2, 3, 2, 3);
}

/// (y, z, x) and (z, x, y).
inline Vec4d yzx(Vec4d v) {
  return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
inline Vec4d zxy(Vec4d v) {
  return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}
/// Permutes x, y, z cyclically so that component `last` becomes z.
inline Vec4d rotate_axis_to_z(Vec4d v, int last) {
#ifdef __AVX2__
  using Halves = int __attribute__((vector_size(32)));
  static constexpr Halves kShuffles[] = {
      {2, 3, 4, 5, 0, 1, 6, 7}, {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}};
  return (Vec4d)_mm256_permutevar8x32_epi32((__m256i)v, (__m256i)kShuffles[last]);
#else
  return last == 0 ? yzx(v) : last == 1 ? zxy(v) : v;
#endif
}
/// The index of the largest of x, y, z; the first among equals. Branch-free, as it is unpredictable.
inline int index_of_largest(Vec4d x) {
  const int of_two = x[1] > x[0] ? 1 : 0;
  return x[2] > (x[1] > x[0] ? x[1] : x[0]) ? 2 : of_two;
}

inline Vec4d abs(Vec4d x) {
  constexpr std::int64_t kAbsMask = 0x7fffffffffffffff;
  return (Vec4d)((Mask4)x & kAbsMask);
}

inline Vec4d select(Mask4 mask, Vec4d yes, Vec4d no) {
#ifdef __AVX__
  return (Vec4d)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
#else
  return (Vec4d)(((Mask4)yes & mask) | ((Mask4)no & ~mask));
#endif
}

inline Mask4 select(Mask4 mask, Mask4 yes, Mask4 no) {
  return (Mask4)select(mask, (Vec4d)yes, (Vec4d)no);
}

inline Mask4 swap_halves(Mask4 x) {
  using Halves = std::int32_t __attribute__((vector_size(32)));
  return (Mask4)__builtin_shufflevector((Halves)x, (Halves)x, 1, 0, 3, 2, 5, 4, 7, 6);
}

/// x where the mask is set, 0 elsewhere.
inline Vec4d and_mask(Mask4 mask, Vec4d x) {
  return (Vec4d)((Mask4)x & mask);
}
/// x where the mask is set, NaN elsewhere; min and max ignore a NaN in their first argument.
inline Vec4d nan_unless(Mask4 mask, Vec4d x) {
  return (Vec4d)((Mask4)x | ~mask);
}
inline Vec4d negate_where(Mask4 mask, Vec4d x) {
  constexpr std::int64_t kSign = std::numeric_limits<std::int64_t>::min();
  return (Vec4d)((Mask4)x ^ (mask & kSign));
}

inline Vec4d max(Vec4d x, Vec4d y) {
#ifdef __AVX__
  return (Vec4d)_mm256_max_pd((__m256d)x, (__m256d)y);
#else
  return select(x > y, x, y);
#endif
}
inline Vec4d min(Vec4d x, Vec4d y) {
#ifdef __AVX__
  return (Vec4d)_mm256_min_pd((__m256d)x, (__m256d)y);
#else
  return select(x < y, x, y);
#endif
}

inline Vec4d sqrt(Vec4d x) {
#ifdef __AVX__
  return (Vec4d)_mm256_sqrt_pd((__m256d)x);
#else
  return Vec4d{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}

/// Bit i is set where lane i is set.
inline unsigned bits(Mask4 mask) {
#ifdef __AVX__
  return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask));
#else
  unsigned all = 0;
  for (int i = 0; i < 4; ++i) all |= mask[i] != 0 ? 1U << i : 0;
  return all;
#endif
}

inline Mask4 mask_from_bits(unsigned bits) {
  constexpr Mask4 kLaneBits{1, 2, 4, 8};
  const std::int64_t all = bits;
  return (Mask4{all, all, all, all} & kLaneBits) != 0;
}

/// The maximum of the four lanes, in every lane.
inline Vec4d reduce_max(Vec4d x) {
  const Vec4d pairs = max(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
  return max(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2));
}
/// The minimum of the four lanes, in every lane.
inline Vec4d reduce_min(Vec4d x) {
  const Vec4d pairs = min(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
  return min(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2));
}

}  // namespace pawl::internal
