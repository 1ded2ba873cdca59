#pragma once
// Four numbers at once, for the few places that decide how fast boxes are. Each lane is computed as a double
// by itself would be, so that answers have the same bits on machines without such registers.

#include <cmath>
#include <cstdint>
#include <cstring>

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
  return Lanes{R(0, j), R(1, j), R(2, j), 0};
}
inline Vec3 first_three(Lanes x) {
  return {x[0], x[1], x[2]};
}

/// (y, z, x) of (x, y, z), and (z, x, y).
inline Lanes turned_once(Lanes v) {
  return __builtin_shufflevector(v, v, 1, 2, 0, 3);
}
inline Lanes turned_twice(Lanes v) {
  return __builtin_shufflevector(v, v, 2, 0, 1, 3);
}
/// Of the three; among equal ones the first.
inline int index_of_largest(Lanes x) {
  return x[0] >= x[1] ? (x[0] >= x[2] ? 0 : 2) : x[1] >= x[2] ? 1 : 2;
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
  return (yes & mask) | (no & ~mask);
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
