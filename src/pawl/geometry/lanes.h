#pragma once
// Four numbers at once, for the few places that decide how fast boxes are. Each lane is computed as a double
// by itself would be, so that answers have the same bits on machines without such registers.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include <pawl/base/vec.h>

namespace pawl {

using Lanes = double __attribute__((vector_size(32)));
/// All bits of a lane are set where a comparison holds.
using LaneMask = std::int64_t __attribute__((vector_size(32)));

inline Lanes all_lanes(double x) {
  return Lanes{x, x, x, x};
}

/// The four at x.
inline Lanes loaded(const double* x) {
  Lanes lanes;
  std::memcpy(&lanes, x, sizeof lanes);
  return lanes;
}

/// One number for the compiler to load by itself. Two neighbours loaded at once would have to wait where they
/// were stored apart a moment before, as those of poses often are: for as long as the axes of two boxes take.
inline double loaded_alone(double x) {
#ifdef __AVX__
  asm("" : "+x"(x));
#endif
  return x;
}

/// Vectors have 0 in the last lane.
inline Lanes lanes_of(const Vec3& v) {
  return Lanes{loaded_alone(v.x), loaded_alone(v.y), loaded_alone(v.z), 0};
}
inline Lanes column_lanes(const Mat3& R, int j) {
  // R(i, j) has branches, and no one can guess j.
  const auto in_row = [&](int i) {
    double x;
    std::memcpy(&x, reinterpret_cast<const char*>(&R.row[i]) + static_cast<std::size_t>(j) * sizeof x,
                sizeof x);
    return x;
  };
  return Lanes{in_row(0), in_row(1), in_row(2), 0};
}
inline Vec3 first_three(Lanes x) {
  return {x[0], x[1], x[2]};
}

/// One of them in all.
template <int lane, class Four>
Four spread(Four x) {
  return __builtin_shufflevector(x, x, lane, lane, lane, lane);
}
/// The first two twice, and the last two.
template <class Four>
Four first_two_twice(Four x) {
  return __builtin_shufflevector(x, x, 0, 1, 0, 1);
}
template <class Four>
Four last_two_twice(Four x) {
  return __builtin_shufflevector(x, x, 2, 3, 2, 3);
}

/// (y, z, x) of (x, y, z), and (z, x, y).
inline Lanes turned_once(Lanes v) {
  return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
inline Lanes turned_twice(Lanes v) {
  return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}
/// Turned so that one of the three is the last of them.
inline Lanes turned_with_last(Lanes v, int last) {
#ifdef __AVX2__
  using Halves = int __attribute__((vector_size(32)));
  static constexpr Halves kTurns[] = {
      {2, 3, 4, 5, 0, 1, 6, 7}, {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}};
  return (Lanes)_mm256_permutevar8x32_epi32((__m256i)v, (__m256i)kTurns[last]);
#else
  return last == 0 ? turned_once(v) : last == 1 ? turned_twice(v) : v;
#endif
}
/// Of the three; among equal ones the first. Without branches, as no one can guess.
inline int index_of_largest(Lanes x) {
  const int of_two = x[1] > x[0] ? 1 : 0;
  return x[2] > (x[1] > x[0] ? x[1] : x[0]) ? 2 : of_two;
}

inline Lanes abs(Lanes x) {
  constexpr std::int64_t kAllButTheSign = 0x7fffffffffffffff;
  return (Lanes)((LaneMask)x & kAllButTheSign);
}

inline Lanes select(LaneMask mask, Lanes yes, Lanes no) {
#ifdef __AVX__
  return (Lanes)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
#else
  return (Lanes)(((LaneMask)yes & mask) | ((LaneMask)no & ~mask));
#endif
}

inline LaneMask select(LaneMask mask, LaneMask yes, LaneMask no) {
  return (LaneMask)select(mask, (Lanes)yes, (Lanes)no);
}

inline LaneMask with_halves_swapped(LaneMask x) {
  using Halves = std::int32_t __attribute__((vector_size(32)));
  return (LaneMask)__builtin_shufflevector((Halves)x, (Halves)x, 1, 0, 3, 2, 5, 4, 7, 6);
}

/// 0 elsewhere.
inline Lanes kept(LaneMask mask, Lanes x) {
  return (Lanes)((LaneMask)x & mask);
}
/// No number elsewhere: as the first of two, min and max pass over it.
inline Lanes numbers(LaneMask mask, Lanes x) {
  return (Lanes)((LaneMask)x | ~mask);
}
inline Lanes negated(LaneMask mask, Lanes x) {
  constexpr std::int64_t kSign = std::numeric_limits<std::int64_t>::min();
  return (Lanes)((LaneMask)x ^ (mask & kSign));
}

inline Lanes max(Lanes x, Lanes y) {
#ifdef __AVX__
  return (Lanes)_mm256_max_pd((__m256d)x, (__m256d)y);
#else
  return select(x > y, x, y);
#endif
}
inline Lanes min(Lanes x, Lanes y) {
#ifdef __AVX__
  return (Lanes)_mm256_min_pd((__m256d)x, (__m256d)y);
#else
  return select(x < y, x, y);
#endif
}

inline Lanes sqrt(Lanes x) {
#ifdef __AVX__
  return (Lanes)_mm256_sqrt_pd((__m256d)x);
#else
  return Lanes{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}

/// A bit for each lane.
inline unsigned bits(LaneMask mask) {
#ifdef __AVX__
  return static_cast<unsigned>(_mm256_movemask_pd((__m256d)mask));
#else
  unsigned all = 0;
  for (int i = 0; i < 4; ++i) all |= mask[i] != 0 ? 1U << i : 0;
  return all;
#endif
}

inline LaneMask lanes_of_bits(unsigned bits) {
  constexpr LaneMask kOwn{1, 2, 4, 8};
  const std::int64_t all = bits;
  return (LaneMask{all, all, all, all} & kOwn) != 0;
}

/// In every lane.
inline Lanes largest(Lanes x) {
  const Lanes pairs = max(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
  return max(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2));
}
inline Lanes least(Lanes x) {
  const Lanes pairs = min(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
  return min(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2));
}

}  // namespace pawl
