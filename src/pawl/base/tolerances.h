#pragma once
// Every tolerance of the code is one of these, or derived from one where it is used: docs/tolerances.md.
// All are relative; the comment at the place of use states to what.

namespace pawl::internal::tolerances {

// Rounding of data: the error of numbers as given and of a few operations on them. Smaller values are 0.

inline constexpr double kUnit = 2e-16;  // one operation
inline constexpr double kData = 1e-15;  // coordinates, entries of a matrix

// Rounding of a result, by the work behind it. Smaller values are not distinguished from 0.

inline constexpr double kPivot = 1e-14;     // a pivot of a small system
inline constexpr double kSum = 1e-13;       // a sum of many terms, a pivot of a larger system
inline constexpr double kIterated = 1e-12;  // the limit of an iteration
inline constexpr double kPivoted = 1e-11;   // an entry of a tableau after many pivots
inline constexpr double kRank = 1e-10;      // a pivot or singular value; a smaller one means a dependent row
inline constexpr double kSign = 1e-9;       // a result whose sign decides, or which is compared with another
inline constexpr double kSame = 1e-8;       // solutions that count as one: about the root of kUnit

// Geometric tie: features closer than this are not ordered by their distance, and both or a fixed one count.
// Squares of lengths and sines have tolerances of their own, so that no root is taken.

inline constexpr double kZeroLength = 1e-14;        // a difference of points, relative to its terms
inline constexpr double kSeparationTie = 2e-14;     // separations along two axes
inline constexpr double kGapTie = 1e-13;            // gaps of two points of one manifold
inline constexpr double kOnEdge = 1e-12;            // parameter of a point on an edge, in [0, 1]
inline constexpr double kRimTie = 1e-11;            // points of a rim against an edge
inline constexpr double kSamePoint = 1e-9;          // points, sides or unit vectors that count as one
inline constexpr double kTiltTie = 1e-7;            // rad: a face this close to parallel touches as a face
inline constexpr double kMergeTie = 1e-6;           // contact points of a manifold that are merged
inline constexpr double kParallel2 = 1e-30;         // sin² of parallel edges: kData²
inline constexpr double kZeroLength2 = 1e-28;       // kZeroLength²
inline constexpr double kLevel2 = 1e-26;            // sin² of an edge parallel to a face: kGapTie²
inline constexpr double kSegmentParallel2 = 1e-24;  // sin² of parallel segments: kOnEdge²
inline constexpr double kSamePoint2 = 1e-18;        // kSamePoint²

// Solver target: what an iteration aims at, and the agreement that a check asks for.

inline constexpr double kRough = 1e-2;        // enough to choose what to do next
inline constexpr double kCoarse = 1e-3;       // a first phase, which only identifies features
inline constexpr double kMedium = 1e-4;       // a check of an estimate
inline constexpr double kFine = 1e-6;         // a second phase; a check of a result by another way
inline constexpr double kQuadratic = 1e-9;    // the next step of Newton's method is below rounding
inline constexpr double kToRounding = 1e-12;  // no further step would improve the result

}  // namespace pawl::internal::tolerances
