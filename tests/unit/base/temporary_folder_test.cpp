#include <pawl/base/temporary_folder.h>

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <pawl/error.h>

#include "folder.h"

namespace pawl::internal {
namespace {

using test::Folder;

/// Sets $TMPDIR for one test.
class TemporaryFolders : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* before = ::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  void TearDown() override {
    before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1);
  }
  auto count() const { return std::distance(std::filesystem::directory_iterator(folder_.path()), {}); }
  static void make_old(const std::string& path) {
    const timeval long_ago[2] = {{1000, 0}, {1000, 0}};
    ASSERT_EQ(::utimes(path.c_str(), long_ago), 0);
  }

  Folder folder_;
  std::string before_;
};

TEST_F(TemporaryFolders, AreRemovedWithWhatIsInThem) {
  {
    const TemporaryFolder made("pawl-view");
    std::ofstream(made.path() + "/file") << "x";
    EXPECT_EQ(count(), 1);
  }
  EXPECT_EQ(count(), 0);
}

TEST_F(TemporaryFolders, OfKilledProgramsAreRemovedAndThoseOfLivingOnesStay) {
  const TemporaryFolder mine("pawl-view");
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder killed("pawl-view");
    std::ofstream(killed.path() + "/file") << "x";
    make_old(killed.path());
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(count(), 2);
  make_old(mine.path());
  std::filesystem::create_directory(folder_ / "pawl-film-abcdef");
  make_old(folder_ / "pawl-film-abcdef");
  const TemporaryFolder next("pawl-view");
  EXPECT_EQ(count(), 3) << "mine, the next one, and one of another prefix";
  EXPECT_TRUE(std::filesystem::exists(mine.path()));
}

TEST_F(TemporaryFolders, NeedAPlace) {
  ::setenv("TMPDIR", (folder_ / "missing").c_str(), 1);
  try {
    const TemporaryFolder made("pawl-view");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder_ / "missing" +
                                ": can't be used for temporary files: No such file or directory; "
                                "set TMPDIR to a folder");
  }
}

}  // namespace
}  // namespace pawl::internal
