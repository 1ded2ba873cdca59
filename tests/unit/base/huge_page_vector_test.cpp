#include <pawl/base/huge_page_vector.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace pawl::internal {
namespace {

std::uintptr_t address(const void* block) {
  return reinterpret_cast<std::uintptr_t>(block);
}

/// The VmFlags line of the mapping that holds the block, as in "rd wr mr mw me ac hg".
std::string flags_of_memory(const void* block) {
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (std::istringstream(line) >> std::hex >> begin >> dash >> end && dash == '-')
      is_here = begin <= address(block) && address(block) < end;
    if (is_here && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

TEST(HugePageAllocator, BlocksAreAlignedToCacheLinesOrHugePages) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{65}, std::size_t{12345},
        kHugePageSize - 1, kHugePageSize, kHugePageSize + 1, 2 * kHugePageSize, 5 * kHugePageSize / 2 + 7}) {
    void* block = allocate_block(bytes);
    EXPECT_EQ(address(block) % (bytes < kHugePageSize ? 64 : kHugePageSize), 0U) << bytes;
    std::fill_n(static_cast<unsigned char*>(block), bytes, static_cast<unsigned char>(7));
    free_block(block, bytes);
  }
}

TEST(HugePageAllocator, RequestsHugePagesForLongVectors) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) GTEST_SKIP() << "there are none here";
  const HugePageVector<int> list(3 * kHugePageSize / sizeof(int) + 1);
  EXPECT_NE(flags_of_memory(&list.front()).find(" hg "), std::string::npos);
  EXPECT_NE(flags_of_memory(&list.back()).find(" hg "), std::string::npos) << "the last one, too";
}

TEST(HugePageAllocator, ShortVectorsUseNoHugePages) {
  std::vector<HugePageVector<char>> lists(64, HugePageVector<char>(4000));
  const auto [first, last] =
      std::ranges::minmax(lists, {}, [](const HugePageVector<char>& list) { return address(list.data()); });
  EXPECT_LT(address(last.data()) - address(first.data()), kHugePageSize);
}

TEST(HugePageAllocator, VectorKeepsItsElementsOnGrowthAndMove) {
  HugePageVector<int> list;
  const int count = 3 * static_cast<int>(kHugePageSize / sizeof(int)) + 5;
  for (int i = 0; i < count; ++i) list.push_back(i);
  list.shrink_to_fit();
  HugePageVector<int> copy = list, other;
  std::swap(other, list);
  list = std::move(copy);
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(list[i], i);
    ASSERT_EQ(other[i], i);
  }
}

/// Sizes whose rounding up to whole pages would overflow to a small number.
TEST(HugePageAllocator, AnAbsurdSizeIsABadAllocation) {
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {kMax, kMax - kHugePageSize + 1})
    EXPECT_THROW(free_block(allocate_block(bytes), bytes), std::bad_alloc) << bytes;
  HugePageAllocator<double> doubles;
  for (const std::size_t count : {kMax, std::size_t{1} << 61, kMax / 8})
    EXPECT_THROW(doubles.deallocate(doubles.allocate(count), count), std::bad_alloc) << count;
}

}  // namespace
}  // namespace pawl::internal
