// Contact problems from matrices and files.

#include <algorithm>
#include <cmath>
#include <set>

#include "held_problem.h"
#include "named.h"

namespace pawl::python {
namespace {

/// A sparse matrix by rows, as scipy.sparse has it.
struct Csr {
  std::vector<int> begin, column;
  std::vector<double> value;
};
using CsrArgument = std::tuple<std::vector<int>, std::vector<int>, std::vector<double>>;

Csr to_csr(const CsrArgument& argument) {
  const auto& [begin, column, value] = argument;
  return {begin, column, value};
}

/// Contacts of `contact_rows` rows, then blocks of bilateral rows.
std::vector<int> partition(int contacts, int contact_rows, const std::vector<int>& bilateral) {
  std::vector<int> begin{0};
  for (int c = 0; c < contacts; ++c) begin.push_back(begin.back() + contact_rows);
  for (const int rows : bilateral) begin.push_back(begin.back() + rows);
  return begin;
}

/// Calls add(block column, entries) for the blocks of one block row that are not zero, ascending.
template <class Add>
void for_blocks(const Csr& A, int first, int last, const std::vector<int>& columns, const Add& add) {
  std::set<int> found;
  const auto block_of = [&](int column) {
    return static_cast<int>(std::upper_bound(columns.begin(), columns.end(), column) - columns.begin()) - 1;
  };
  for (int k = A.begin[first]; k < A.begin[last]; ++k) {
    if (A.value[k] != 0) found.insert(block_of(A.column[k]));
  }
  for (const int block : found) {
    const int width = columns[block + 1] - columns[block];
    std::vector<double> entries((last - first) * width);
    for (int i = first; i < last; ++i) {
      for (int k = A.begin[i]; k < A.begin[i + 1]; ++k) {
        const int j = A.column[k] - columns[block];
        if (j >= 0 && j < width) entries[(i - first) * width + j] += A.value[k];
      }
    }
    add(block, entries);
  }
}

BlockMatrix block_matrix(const Csr& A, const std::vector<int>& begin) {
  BlockMatrix made;
  made.begin = begin;
  made.row = {0};
  for (int block = 0; block + 1 < static_cast<int>(begin.size()); ++block) {
    bool diagonal = false;
    const auto add = [&](int column, const std::vector<double>& entries) {
      diagonal |= column == block;
      made.entries.push_back({column, made.values.size()});
      made.values.insert(made.values.end(), entries.begin(), entries.end());
    };
    for_blocks(A, begin[block], begin[block + 1], begin, add);
    if (!diagonal) throw py::value_error("W has a diagonal block of zeros");
    made.row.push_back(static_cast<int>(made.entries.size()));
  }
  return made;
}

/// L with M = L Lᵀ, in place, row-major.
void cholesky(std::vector<double>& L, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = j <= i ? L[i * n + j] : 0;
      for (int k = 0; k < std::min(i, j) && j <= i; ++k) sum -= L[i * n + k] * L[j * n + k];
      if (i == j && !(sum > 0)) throw py::value_error("M is not positive definite");
      L[i * n + j] = j > i ? 0 : i == j ? std::sqrt(sum) : sum / L[j * n + j];
    }
  }
}

/// First rows of the smallest diagonal blocks that hold all of M.
std::vector<int> mass_partition(const Csr& M, int nv) {
  std::vector<int> begin{0};
  int reach = 0;
  for (int i = 0; i < nv; ++i) {
    reach = std::max(reach, i);
    for (int k = M.begin[i]; k < M.begin[i + 1]; ++k) {
      if (M.value[k] != 0) reach = std::max(reach, M.column[k]);
    }
    if (reach == i) begin.push_back(i + 1);
  }
  return begin;
}

PrimalData primal_data(const Csr& M, const Csr& J, const std::vector<int>& begin, int nv) {
  PrimalData made;
  const std::vector<int> masses = mass_partition(M, nv);
  for (std::size_t m = 0; m + 1 < masses.size(); ++m) {
    const int size = masses[m + 1] - masses[m];
    made.mass_blocks.push_back({masses[m], size, static_cast<int>(made.mass.size())});
    for_blocks(M, masses[m], masses[m + 1], masses, [&](int column, const std::vector<double>& entries) {
      if (column != static_cast<int>(m)) throw py::value_error("M is not symmetric");
      std::vector<double> L = entries;
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < i; ++j) {
          if (std::abs(L[i * size + j] - L[j * size + i]) >
              1e-12 * (std::abs(L[i * size + i]) + std::abs(L[j * size + j]))) {
            throw py::value_error("M is not symmetric");
          }
        }
      }
      cholesky(L, size);
      made.mass.insert(made.mass.end(), entries.begin(), entries.end());
      made.factor.insert(made.factor.end(), L.begin(), L.end());
    });
    if (static_cast<int>(made.mass.size()) != made.mass_blocks.back().offset + size * size) {
      throw py::value_error("M is not positive definite");
    }
  }
  for (int block = 0; block + 1 < static_cast<int>(begin.size()); ++block) {
    for_blocks(J, begin[block], begin[block + 1], masses,
               [&](int column, const std::vector<double>& entries) {
                 made.jacobian_blocks.push_back({block, column, static_cast<int>(made.jacobian.size())});
                 made.jacobian.insert(made.jacobian.end(), entries.begin(), entries.end());
               });
  }
  return made;
}

/// kind, mu, radii, directions.
using FrictionArgument = std::tuple<std::string, double, std::array<double, 3>, std::vector<FrictionVector>>;

/// Throws ValueError unless it fits this many friction rows; -1: any.
FrictionSet friction_set(const FrictionArgument& argument, int rows,
                         std::deque<FrictionPolyhedron>& polyhedra) {
  const auto& [name, mu, radii, directions] = argument;
  const auto kind = parse_name<FrictionKind>(names_of<FrictionKind>(4), "kind", name);
  if (rows == 0) return {};
  for (const double e : radii) {
    if (!(e > 0) || !std::isfinite(e)) throw py::value_error("radii must be positive and finite");
  }
  if (!(mu >= 0) || !std::isfinite(mu)) throw py::value_error("mu must be finite, at least 0");
  if (needs_spin(kind) && rows >= 0 && rows != 3) {
    throw py::value_error("a mixed friction set needs the rows n, t, o and r");
  }
  FrictionSet set{kind, mu, radii, nullptr};
  if (kind != FrictionKind::polyhedron) return set;
  polyhedra.emplace_back(directions);
  set.polyhedron = &polyhedra.back();
  if (rows >= 0 && set.polyhedron->dimensions() != rows) {
    throw py::value_error(
        py::str("the directions of a friction set span {} dimensions; the contact has {} rows of "
                "friction")
            .format(set.polyhedron->dimensions(), rows));
  }
  return set;
}

std::shared_ptr<HeldProblem> start(int contact_rows, const std::vector<FrictionArgument>& friction,
                                   const std::vector<double>& zeta, const std::vector<int>& bilateral) {
  auto held = std::make_shared<HeldProblem>();
  ContactProblem& problem = held->problem;
  problem.contacts = static_cast<int>(friction.size());
  problem.begin = partition(problem.contacts, contact_rows, bilateral);
  problem.zeta = zeta;
  for (const FrictionArgument& each : friction) {
    problem.friction.push_back(friction_set(each, contact_rows - 1, held->polyhedra));
  }
  return held;
}

py::array mass_array(const PrimalData& motion) {
  const auto n = static_cast<py::ssize_t>(motion.v_free.size());
  py::array_t<double> made({n, n});
  std::fill_n(made.mutable_data(), n * n, 0.0);
  for (const PrimalData::MassBlock& block : motion.mass_blocks) {
    for (int i = 0; i < block.size; ++i) {
      for (int j = 0; j < block.size; ++j) {
        made.mutable_at(block.begin + i, block.begin + j) = motion.mass[block.offset + i * block.size + j];
      }
    }
  }
  return made;
}

py::array jacobian_array(const ContactProblem& problem) {
  const PrimalData& motion = problem.motion;
  py::array_t<double> J({py::ssize_t(problem.rows()), static_cast<py::ssize_t>(motion.v_free.size())});
  std::fill_n(J.mutable_data(), J.size(), 0.0);
  for (const PrimalData::JacobianBlock& block : motion.jacobian_blocks) {
    const PrimalData::MassBlock& columns = motion.mass_blocks[block.mass_block];
    for (int i = 0; i < problem.size_of(block.block); ++i) {
      for (int j = 0; j < columns.size; ++j) {
        J.mutable_at(problem.begin[block.block] + i, columns.begin + j) =
            motion.jacobian[block.offset + i * columns.size + j];
      }
    }
  }
  return J;
}

void require_primal(const HeldProblem& held) {
  if (!held.problem.primal()) throw py::value_error("the problem is given as W and b, without M and J");
}

py::list friction_list(const ContactProblem& problem) {
  const py::object type = py::module_::import("pawl").attr("FrictionSet");
  py::list list;
  for (const FrictionSet& set : problem.friction) {
    list.append(type(set.mu, to_string(set.kind), set.radii,
                     set.polyhedron ? set.polyhedron->directions() : std::vector<FrictionVector>()));
  }
  return list;
}

/// W = J M⁻¹ Jᵀ = Y Yᵀ, Y = J L⁻ᵀ [rows × rows], row-major.
std::vector<double> delassus(const ContactProblem& problem) {
  const PrimalData& motion = problem.motion;
  const int rows = problem.rows(), nv = static_cast<int>(motion.v_free.size());
  std::vector<double> Y(static_cast<std::size_t>(rows) * nv), W(static_cast<std::size_t>(rows) * rows);
  for (const PrimalData::JacobianBlock& block : motion.jacobian_blocks) {
    const PrimalData::MassBlock& mass = motion.mass_blocks[block.mass_block];
    const double* L = motion.factor.data() + mass.offset;
    for (int i = 0; i < problem.size_of(block.block); ++i) {
      const double* J = motion.jacobian.data() + block.offset + i * mass.size;
      double* y = Y.data() + static_cast<std::size_t>(problem.begin[block.block] + i) * nv + mass.begin;
      for (int j = 0; j < mass.size; ++j) {
        double sum = J[j];
        for (int k = 0; k < j; ++k) sum -= L[j * mass.size + k] * y[k];
        y[j] = sum / L[j * mass.size + j];
      }
    }
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      double sum = 0;
      for (int k = 0; k < nv; ++k) sum += Y[i * nv + k] * Y[j * nv + k];
      W[i * rows + j] = sum;
    }
  }
  return W;
}

/// Friction rows of a set's argument, padded with 0.
FrictionVector padded(const py::object& values) {
  const std::vector<double> given = finite_numbers(values, "a friction vector");
  if (given.empty() || given.size() > 3)
    throw py::value_error("a friction vector has 1 to 3 entries: t, o, r");
  FrictionVector made{};
  std::copy(given.begin(), given.end(), made.begin());
  return made;
}

void bind_friction_set(py::module_& m) {
  m.def("_support", [](const FrictionArgument& argument, const py::object& u) {
    std::deque<FrictionPolyhedron> polyhedra;
    const FrictionSet set = friction_set(argument, -1, polyhedra);
    FrictionVector x = padded(u);
    for (int i = 0; i < 3; ++i) x[i] *= set.radii[i];
    return set.mu * support(set, x);
  });
  m.def("_project", [](const FrictionArgument& argument, const py::object& p, double p_n) {
    std::deque<FrictionPolyhedron> polyhedra;
    const FrictionSet set = friction_set(argument, -1, polyhedra);
    if (!(p_n >= 0)) throw py::value_error("p_n must be at least 0");
    FrictionVector x = padded(p);
    const auto rows = static_cast<py::ssize_t>(py::len(p));
    for (int i = 0; i < 3; ++i) x[i] /= set.radii[i];
    x = project(set, x, set.mu * p_n);
    for (int i = 0; i < 3; ++i) x[i] *= set.radii[i];
    return copied({x.begin(), x.begin() + rows}, {rows});
  });
}

std::shared_ptr<HeldProblem> checked(std::shared_ptr<HeldProblem> held) {
  if (const std::string_view fault = validate(held->problem); !fault.empty()) throw Error(std::string(fault));
  return held;
}

}  // namespace

void bind_problem(py::module_& m) {
  py::class_<HeldProblem, std::shared_ptr<HeldProblem>>(
      m, "ContactProblem",
      "u = W p + b: 0 <= u_n + zeta _|_ p_n >= 0 and maximum dissipation for each contact, u = 0 for "
      "bilateral rows. "
      "Make it with pawl.contact_problem(), pawl.read_problem() or Simulation.problem().")
      .def_property_readonly(
          "contacts", [](const HeldProblem& self) { return self.problem.contacts; }, "number of contacts")
      .def_property_readonly(
          "rows", [](const HeldProblem& self) { return self.problem.rows(); }, "number of rows")
      .def_property_readonly(
          "primal", [](const HeldProblem& self) { return self.problem.primal(); }, "given as M and J")
      .def_property_readonly(
          "begin", [](const HeldProblem& self) { return self.problem.begin; }, "first row of each block")
      .def_property_readonly(
          "b",
          [](const HeldProblem& self) {
            return copied(self.problem.b, {static_cast<py::ssize_t>(self.problem.b.size())});
          },
          "m/s, a copy")
      .def_property_readonly(
          "mu",
          [](const HeldProblem& self) {
            std::vector<double> mu;
            for (const FrictionSet& set : self.problem.friction) mu.push_back(set.mu);
            return copied(mu, {static_cast<py::ssize_t>(mu.size())});
          },
          "a copy")
      .def_property_readonly(
          "zeta",
          [](const HeldProblem& self) {
            return copied(self.problem.zeta, {static_cast<py::ssize_t>(self.problem.zeta.size())});
          },
          "m/s, [contacts], a copy")
      .def_property_readonly(
          "W",
          [](const HeldProblem& self) {
            const py::ssize_t n = self.problem.rows();
            return copied(self.problem.primal() ? delassus(self.problem) : dense(self.problem.W), {n, n});
          },
          "[rows, rows], dense; J inv(M) J^T if the problem is primal")
      .def_property_readonly(
          "M",
          [](const HeldProblem& self) {
            require_primal(self);
            return mass_array(self.problem.motion);
          },
          "[nv, nv], dense; ValueError unless primal")
      .def_property_readonly(
          "J",
          [](const HeldProblem& self) {
            require_primal(self);
            return jacobian_array(self.problem);
          },
          "[rows, nv], dense; ValueError unless primal")
      .def_property_readonly(
          "v_free",
          [](const HeldProblem& self) {
            require_primal(self);
            return copied(self.problem.motion.v_free,
                          {static_cast<py::ssize_t>(self.problem.motion.v_free.size())});
          },
          "[nv] the velocity without contact impulses; ValueError unless primal")
      .def_property_readonly(
          "friction", [](const HeldProblem& self) { return friction_list(self.problem); },
          "a FrictionSet for each contact")
      .def_property_readonly(
          "tolerance", [](const HeldProblem& self) { return self.tolerance; }, "of the judged residual")
      .def(
          "write",
          [](const HeldProblem& self, const std::string& path) {
            write_problem(path, self.problem, self.tolerance);
          },
          py::arg("path"), "Writes it as JSON, for `pawl solve`.")
      .def("__repr__", [](const HeldProblem& self) {
        return py::str("<pawl.ContactProblem: {} contacts, {} rows>")
            .format(self.problem.contacts, self.problem.rows());
      });
  bind_friction_set(m);
  m.def("_delassus_problem",
        [](const CsrArgument& W, const std::vector<double>& b, const std::vector<FrictionArgument>& friction,
           const std::vector<double>& zeta, int contact_rows, const std::vector<int>& bilateral) {
          auto held = start(contact_rows, friction, zeta, bilateral);
          held->problem.b = b;
          held->problem.W = block_matrix(to_csr(W), held->problem.begin);
          return checked(held);
        });
  m.def("_primal_problem", [](const CsrArgument& M, const CsrArgument& J, const std::vector<double>& v_free,
                              const std::vector<double>& b, const std::vector<double>& shift,
                              const std::vector<FrictionArgument>& friction, const std::vector<double>& zeta,
                              int contact_rows, const std::vector<int>& bilateral) {
    auto held = start(contact_rows, friction, zeta, bilateral);
    held->problem.motion =
        primal_data(to_csr(M), to_csr(J), held->problem.begin, static_cast<int>(v_free.size()));
    held->problem.motion.v_free = v_free;
    held->problem.motion.shift = shift;
    held->problem.b = b;
    return checked(held);
  });
  m.def(
      "read_problem",
      [](const std::string& path) -> py::object {
        Problem read = read_problem(path);
        if (auto* lcp = std::get_if<Lcp>(&read)) return py::cast(std::move(*lcp));
        if (auto* lcp = std::get_if<MixedLcp>(&read)) return py::cast(std::move(*lcp));
        auto& stored = std::get<StoredContactProblem>(read);
        auto held = std::make_shared<HeldProblem>();
        held->polyhedra = std::move(stored.polyhedra);
        held->problem = std::move(stored.problem);
        held->tolerance = stored.tolerance;
        return py::cast(held);
      },
      py::arg("path"), "Reads a contact problem, LCP or mixed LCP: JSON, FCLIB or Siconos text.");
}

}  // namespace pawl::python
