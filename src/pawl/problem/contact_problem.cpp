#include <pawl/contact_problem.h>

#include <algorithm>
#include <utility>

namespace pawl {

namespace {

using JacobianBlock = PrimalData::JacobianBlock;

std::string_view validate_polyhedron(const FrictionSet& set, int friction_rows) {
  if (set.frictionless() || friction_rows == 0) return {};
  if (set.polyhedron == nullptr) return "a friction set without its polyhedron";
  return set.polyhedron->dimensions() > friction_rows ? "a polyhedron of more dimensions than rows" : "";
}

std::string_view validate(const ContactProblem& problem, const PrimalData& motion) {
  int end = 0;
  for (const auto& mass : motion.mass_blocks) {
    const std::size_t entries = static_cast<std::size_t>(std::max(mass.size, 0)) * mass.size;
    if (mass.begin != end || mass.size < 0 || mass.offset < 0 ||
        mass.offset + entries > std::min(motion.mass.size(), motion.factor.size()))
      return "mass blocks that disagree with their entries";
    end += mass.size;
  }
  if (motion.v_free.size() != static_cast<std::size_t>(end)) return "v_free of another size than M";
  if (!motion.shift.empty() && motion.shift.size() != static_cast<std::size_t>(problem.rows()))
    return "a shift of another size than the rows";
  if (!motion.compliance.empty() && motion.compliance.size() != static_cast<std::size_t>(problem.rows()))
    return "compliances of another size than the rows";
  const JacobianBlock* last = nullptr;
  for (const JacobianBlock& block : motion.jacobian_blocks) {
    if (block.block < 0 || block.block >= problem.blocks() || block.mass_block < 0 ||
        block.mass_block >= static_cast<int>(motion.mass_blocks.size()))
      return "a jacobian block of no row or mass";
    const std::size_t entries =
        static_cast<std::size_t>(problem.size_of(block.block)) * motion.mass_blocks[block.mass_block].size;
    if (block.offset < 0 || block.offset + entries > motion.jacobian.size())
      return "a jacobian block without its entries";
    if (last != nullptr &&
        std::pair(last->block, last->mass_block) >= std::pair(block.block, block.mass_block))
      return "jacobian blocks that are not in order";
    last = &block;
  }
  return {};
}

std::string_view validate(const ContactProblem& problem, const BlockMatrix& W) {
  if (problem.rows() == 0 && W.empty()) return {};
  if (W.begin != problem.begin) return "W cut otherwise than the rows";
  constexpr std::string_view kRows = "rows of W that disagree with its entries";
  const int blocks = W.blocks(), count = static_cast<int>(W.entries.size());
  const int *begin = W.begin.data(), *row = W.row.data();
  if (W.row.size() != W.begin.size() || row[0] != 0 || row[blocks] != count) return kRows;
  const std::size_t values = W.values.size();
  const BlockMatrix::Block* entry = W.entries.data();
  for (int i = 0; i < blocks; ++i) {
    if (row[i + 1] < row[i] || row[i + 1] > count) return kRows;
    const auto rows = static_cast<std::size_t>(begin[i + 1] - begin[i]);
    int last = -1;
    for (const BlockMatrix::Block* end = W.entries.data() + row[i + 1]; entry != end; ++entry) {
      const auto& [column, offset] = *entry;
      if (column <= last || column >= blocks) return "columns of W that are not in order";
      last = column;
      if (offset + rows * (begin[column + 1] - begin[column]) > values)
        return "a block of W without its entries";
    }
  }
  return {};
}

}  // namespace

std::string_view validate(const ContactProblem& problem) {
  const auto contacts = static_cast<std::size_t>(problem.contacts);
  constexpr std::string_view kOrder = "rows of blocks that do not ascend from 0";
  if (problem.begin.empty() || problem.begin.front() != 0) return kOrder;
  if (problem.contacts < 0 || problem.contacts > problem.blocks()) return "more contacts than blocks";
  if (problem.b.size() != static_cast<std::size_t>(problem.rows())) return "b of another size than the rows";
  if (problem.zeta.size() != contacts || problem.friction.size() != contacts)
    return "zeta or friction of another size than the contacts";
  const int* begin = problem.begin.data();
  for (int c = 0; c < problem.contacts; ++c) {
    const int rows = begin[c + 1] - begin[c];
    if (rows < 1 || rows > kContactRows) return rows < 0 ? kOrder : "a contact not of 1 to 4 rows";
    const FrictionSet& set = problem.friction[c];
    if (set.kind != FrictionKind::polyhedron) continue;
    if (const auto wrong = validate_polyhedron(set, rows - 1); !wrong.empty()) return wrong;
  }
  for (int i = problem.contacts; i < problem.blocks(); ++i) {
    if (begin[i + 1] < begin[i]) return kOrder;
  }
  return problem.primal() ? validate(problem, problem.motion) : validate(problem, problem.W);
}

}  // namespace pawl
