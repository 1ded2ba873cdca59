#include <pawl/study/sobol.h>

#include <boost/random/sobol.hpp>

namespace pawl::internal {

std::vector<std::uint64_t> sobol_point(std::uint64_t index, int dimensions) {
  std::vector<std::uint64_t> point(static_cast<std::size_t>(dimensions), 0);
  if (index == 0 || dimensions == 0) return point;
  boost::random::sobol engine(point.size());
  engine.seed(index - 1);  // Boost leaves out the origin
  for (std::uint64_t& coordinate : point) coordinate = engine();
  return point;
}

}  // namespace pawl::internal
