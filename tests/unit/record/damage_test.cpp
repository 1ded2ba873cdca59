// Invalid and damaged trajectory files are refused with a helpful message and never cause a crash.

#include <gmock/gmock.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <functional>

#include <pawl/error.h>
#include <pawl/hdf5/hdf5_file.h>
#include <pawl/record/trajectory_layout.h>

#include "sample_run.h"

namespace pawl::internal {
namespace {

using h5::Handle;
using sample::read_error;
using test::Folder;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Writes a valid file, applies `damage` to it and returns the reader's error message.
std::string read_error_after(const std::function<void(hid_t file)>& damage, std::size_t rows = 20) {
  const Folder dir;
  sample::write(dir / "run.h5", rows);
  {
    const Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    const Handle file(H5Fopen((dir / "run.h5").c_str(), H5F_ACC_RDWR, access));
    damage(file);
  }
  const std::string error_message = read_error(dir / "run.h5");
  EXPECT_THAT(error_message, testing::AnyOf("", StartsWith(dir / "run.h5: ")));
  return error_message;
}

template <class T>
void overwrite(hid_t file, const char* name, hid_t type, hsize_t row, T value) {
  const Handle dataset(H5Dopen2(file, name, H5P_DEFAULT));
  const Handle space(H5Dget_space(dataset));
  H5Sselect_elements(space, H5S_SELECT_SET, 1, &row);
  const Handle one(H5Screate(H5S_SCALAR));
  ASSERT_GE(H5Dwrite(dataset, type, one, space, H5P_DEFAULT, &value), 0);
}

void resize(hid_t file, const char* name, hsize_t rows, hsize_t width = 1) {
  const Handle dataset(H5Dopen2(file, name, H5P_DEFAULT));
  const hsize_t size[] = {rows, width};
  ASSERT_GE(H5Dset_extent(dataset, size), 0);
}

void replace(hid_t file, const char* name, hid_t type, std::vector<hsize_t> shape) {
  H5Ldelete(file, name, H5P_DEFAULT);
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
  const Handle dataset(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  ASSERT_GE(dataset, 0);
}

TEST(DamagedTrajectory, IsNotThereAtAll) {
  const Folder dir;
  EXPECT_THAT(read_error(dir / "run.h5"), AllOf(StartsWith(dir / "run.h5: "), HasSubstr("No such file")));
  EXPECT_THAT(read_error(dir.path().string()), HasSubstr("is a directory"));
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(read_error(dir / "pipe"), HasSubstr("is not a plain file"));
}

TEST(DamagedTrajectory, IsNotHdf5) {
  const Folder dir;
  std::ofstream(dir / "empty.h5");
  std::ofstream(dir / "scene.yaml") << "name: rod\n";
  EXPECT_THAT(read_error(dir / "empty.h5"), HasSubstr("not a Pawl trajectory: the file is empty"));
  EXPECT_THAT(read_error(dir / "scene.yaml"), HasSubstr("not a Pawl trajectory: it is not an HDF5 file"));
}

TEST(DamagedTrajectory, IsOfAnotherProgram) {
  const Folder dir;
  const std::string path = dir / "other.h5";
  Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)).reset();
  EXPECT_EQ(read_error(path),
            path + ": not a Pawl trajectory: it has no /time (was it written by another program?)");
  EXPECT_THAT(read_error_after([](hid_t file) { H5Adelete(file, "format_version"); }),
              HasSubstr("not a Pawl trajectory: it has no attribute 'format_version'"));
}

TEST(DamagedTrajectory, IsOfTheFuture) {
  EXPECT_THAT(read_error_after([](hid_t file) {
                H5Adelete(file, "format_version");
                h5::write_attribute(file, "format_version", layout::kFormatVersion + 1);
              }),
              HasSubstr("use a newer Pawl"));
}

TEST(DamagedTrajectory, LacksADatasetOrAttribute) {
  EXPECT_THAT(read_error_after([](hid_t file) { H5Ldelete(file, "steps/tension", H5P_DEFAULT); }),
              HasSubstr("it has no /steps/tension"));
  EXPECT_THAT(read_error_after([](hid_t file) { H5Ldelete(file, "contacts", H5P_DEFAULT); }),
              HasSubstr("it has no /contacts"));
  EXPECT_THAT(read_error_after([](hid_t file) { H5Adelete(file, "bodies"); }),
              HasSubstr("no attribute 'bodies'"));
}

TEST(DamagedTrajectory, HasTheWrongTypeOrShape) {
  EXPECT_THAT(read_error_after([](hid_t file) { replace(file, "time", H5T_STD_I32LE, {20}); }),
              HasSubstr("/time has the wrong type"));
  EXPECT_THAT(read_error_after([](hid_t file) { replace(file, "q", H5T_IEEE_F64LE, {20}); }),
              HasSubstr("/q has the wrong shape"));
  EXPECT_THAT(read_error_after([](hid_t file) { resize(file, "contacts/point", 38, 2); }),
              HasSubstr("/contacts/point has 2 columns, and should have 3"));
  EXPECT_THAT(read_error_after([](hid_t file) {
                H5Adelete(file, "bodies");
                h5::write_attribute(file, "bodies", 1.0);
              }),
              HasSubstr("attribute 'bodies' has the wrong type"));
  EXPECT_THAT(read_error_after([](hid_t file) {
                const Handle q(H5Dopen2(file, "q", H5P_DEFAULT));
                H5Adelete(q, "columns");
                h5::write_attribute(q, "columns", std::vector<std::string>{"x"});
              }),
              HasSubstr("/q has 3 columns and names for 1"));
}

TEST(DamagedTrajectory, HasRowsThatDoNotAgree) {
  EXPECT_THAT(read_error_after([](hid_t file) { resize(file, "q", 19, 3); }),
              HasSubstr("/q has 19 rows, and should have 20"));
  EXPECT_THAT(read_error_after([](hid_t file) { resize(file, "energy/kinetic", 21); }),
              HasSubstr("/energy/kinetic has 21 rows, and should have 20"));
  EXPECT_THAT(read_error_after([](hid_t file) { resize(file, "steps/iterations", 18); }),
              HasSubstr("/steps/iterations has 18 rows, and should have 19"));
  EXPECT_THAT(read_error_after([](hid_t file) { resize(file, "contacts/gap", 1); }),
              HasSubstr("/contacts/gap has 1 rows, and should have"));
}

TEST(DamagedTrajectory, ClaimsTooManyRows) {
  EXPECT_THAT(read_error_after([](hid_t file) { resize(file, "time", 1ull << 60); }),
              HasSubstr("/time claims more rows than the file holds"));
}

TEST(DamagedTrajectory, HasInvalidValues) {
  EXPECT_THAT(
      read_error_after([](hid_t file) { overwrite(file, "time", H5T_NATIVE_DOUBLE, 7, std::nan("")); }),
      HasSubstr("/time is nan in row 7"));
  EXPECT_THAT(read_error_after([](hid_t file) { overwrite(file, "time", H5T_NATIVE_DOUBLE, 7, 0.0); }),
              HasSubstr("/time runs backwards in row 7"));
  EXPECT_THAT(
      read_error_after([](hid_t file) { overwrite(file, "contacts/offset", H5T_NATIVE_UINT64, 0, 1ull); }),
      HasSubstr("/contacts/offset starts at 1"));
  EXPECT_THAT(
      read_error_after([](hid_t file) { overwrite(file, "contacts/offset", H5T_NATIVE_UINT64, 7, 999ull); }),
      HasSubstr("/contacts/offset decreases after row 7"));
  EXPECT_THAT(read_error_after(
                  [](hid_t file) { overwrite(file, "contacts/offset", H5T_NATIVE_UINT64, 20, 1ull << 50); }),
              HasSubstr("rows, and should have 1125899906842624"));
  EXPECT_THAT(
      read_error_after([](hid_t file) { overwrite(file, "steps/status", H5T_NATIVE_UINT8, 2, '\x09'); }),
      HasSubstr("/steps/status holds 9"));
  EXPECT_THAT(
      read_error_after([](hid_t file) { overwrite(file, "contacts/body_a", H5T_NATIVE_INT32, 2, 17); }),
      HasSubstr("/contacts refers to body 17, and there are 3"));
}

TEST(DamagedTrajectory, CutOffAnywhereIsRefused) {
  const Folder dir;
  sample::write(dir / "run.h5", 300);
  const auto size = std::filesystem::file_size(dir / "run.h5");
  std::filesystem::copy_file(dir / "run.h5", dir / "cut.h5");
  // Starts at the end, because growing a truncated file would pad it with zeros.
  int cuts = 0;
  for (auto length = size - 1; length > 0;
       length -= std::min<std::uintmax_t>(length, length < 4000 ? 1 : 997)) {
    std::filesystem::resize_file(dir / "cut.h5", length);
    ASSERT_NE(read_error(dir / "cut.h5"), "") << length;
    ++cuts;
  }
  EXPECT_GT(cuts, 2003);  // the strides of 997 end between lengths 3003 and 4000
}

TEST(DamagedTrajectory, MakesHdf5PrintNothing) {
  const Folder dir;
  sample::write(dir / "run.h5", 3);
  std::filesystem::resize_file(dir / "run.h5", 5000);
  H5E_auto2_t before = nullptr, after = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, nullptr);
  testing::internal::CaptureStderr();
  EXPECT_THAT(read_error(dir / "run.h5"), HasSubstr("truncated file"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, nullptr);
  EXPECT_EQ(before, after);
}

TEST(DamagedTrajectory, WithHolesDoesNotCrashTheReader) {
  const Folder dir;
  sample::write(dir / "run.h5", 300);
  const auto size = std::filesystem::file_size(dir / "run.h5");
  // In a child that ends with _exit(): HDF5 1.10 leaks if the root group is damaged and reports that at a
  // normal exit.
  const pid_t child = ::fork();
  if (child == 0) {
    for (std::uintmax_t hole = 0; hole + 4096 <= size; hole += 4096) {
      std::filesystem::copy_file(dir / "run.h5", dir / "hole.h5",
                                 std::filesystem::copy_options::overwrite_existing);
      std::fstream file(dir / "hole.h5", std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(hole));
      file << std::string(4096, '\0');
      file.close();
      read_error(dir / "hole.h5");
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(FullDisk, IsToldWithTheFileAndKeepsWhatWasWritten) {
  const Folder dir;
  const std::string path = dir / "run.h5";
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000000, 1000000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    TrajectoryWriter writer(path, sample::info());
    std::string first, again, at_end;
    try {
      for (std::size_t row = 0; row < 100000; ++row) sample::append(writer, row);
    } catch (const Error& error) {
      first = error.what();
    }
    try {
      sample::append(writer, 0);
    } catch (const Error& error) {
      again = error.what();
    }
    try {
      writer.finish(true);
    } catch (const Error& error) {
      at_end = error.what();
    }
    const bool told =
        first == path + ".part: can't write: File too large" && again == first && at_end == first;
    ::_exit(told ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(std::filesystem::exists(path));
  const Trajectory run = read_trajectory(path + ".part");
  EXPECT_GE(run.time.size(), 512u);
  EXPECT_FALSE(run.finished);
  sample::expect_rows(run);
}

TEST(FullDisk, IsReportedWhenNothingCanBeWritten) {
  const Folder dir;
  const std::string path = dir / "run.h5";
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10000, 10000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      TrajectoryWriter writer(path, sample::info());
    } catch (const Error& error) {
      ::_exit(error.what() == path + ".part: can't write: File too large" ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace pawl::internal
