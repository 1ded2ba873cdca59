#pragma once
// What the iterative methods take and give.

namespace pawl {

struct GaussSeidelOptions {
  double tolerance = 1e-9;  // of the scaled natural map
  int max_sweeps = 10000;
  double relaxation = 1;  // above 1 each contact goes beyond its own solution, below 1 not all the way
  /// After min_sweeps it gives up where the rate measured so far would take more than max_expected_sweeps
  /// sweeps to the tolerance; 0: never.
  int min_sweeps = 10;
  int max_expected_sweeps = 0;
};

struct NewtonOptions {
  double tolerance = 1e-9;  // of the scaled natural map
  int max_iterations = 60;
  double proximal = 0.1;       // α as a share of the error
  double min_proximal = 1e-6;  // α at least: its inverse multiplies rounding where W is singular
  int stall_iterations = 8;    // after this many iterations without a new best the share of α is raised …
  double stall_factor = 3;     // … by this factor, and again after as many
  int memory = 5;              // a step may raise ‖F‖² above that of its last few iterates …
  double max_merit_growth = 1e4;  // … up to this factor before it is shortened
  int patience = 20;              // iterations without a new best before it gives up
};

struct InteriorPointOptions {
  double tolerance = 1e-9;  // of the scaled natural map
  int max_iterations = 100;
  int patience = 25;            // ends after this many iterations without a better iterate
  double start_distance = 100;  // of the start from the boundary of the cones
};

struct AdmmOptions {
  double tolerance = 1e-9;  // of the scaled natural map
  int max_iterations = 2000;
  double relaxation = 1.6;  // in (0, 2): each iterate goes this many times the way to its next
  double penalty = 0.1;     // ρ at the start, in the unit of the scaled W
  int penalty_interval = 20;
};

/// What an iterative method says of its last try. The judge decides what it is worth.
struct IterativeResult {
  bool converged = false;
  int iterations = 0;
  double error = 0;  // scaled natural map of what it returns
};

}  // namespace pawl
