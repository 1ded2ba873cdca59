#include <pawl/record/csv.h>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include <pawl/error.h>

#include "sample_run.h"

namespace pawl::internal {
namespace {

using test::Folder;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> lines_of(const Trajectory& run, CsvTable table) {
  const Folder dir;
  export_csv(run, dir / "table.csv", table);
  EXPECT_FALSE(std::filesystem::exists(dir / "table.csv.part"));
  std::ifstream file(dir / "table.csv");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

Trajectory sample_trajectory(std::size_t rows) {
  const Folder dir;
  sample::write(dir / "run.h5", rows);
  return read_trajectory(dir / "run.h5");
}

std::size_t cells_in(const std::string& line) {
  return 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
}

TEST(Csv, HoldsALinePerState) {
  const auto lines = lines_of(sample_trajectory(3), CsvTable::states);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0],
            "time,rod.x,rod.y,rod.theta,rod.vx,rod.vy,rod.omega,kinetic,potential,normal,"
            "stabilisation,friction,joints,limits,motors,applied,discretisation,imbalance,stored,returned");
  EXPECT_EQ(cells_in(lines[2]), cells_in(lines[0]));
}

TEST(Csv, BringsBackTheSameDoubles) {
  const Trajectory run = sample_trajectory(3);
  std::istringstream line(lines_of(run, CsvTable::states)[2]);
  std::string cell;
  std::getline(line, cell, ',');
  EXPECT_EQ(std::stod(cell), run.time[1]);
  std::getline(line, cell, ',');
  EXPECT_EQ(std::stod(cell), run.q[3]);
}

TEST(Csv, NamesStatusMethodAndSolverOfSteps) {
  const auto lines = lines_of(sample_trajectory(3), CsvTable::steps);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], testing::StartsWith("time,step,status,method,solver,reason,contacts,"));
  EXPECT_THAT(lines[1], HasSubstr(",approximate,anitescu-potra,none,ray,2,3,"));
  EXPECT_EQ(cells_in(lines[1]), cells_in(lines[0]));
}

TEST(Csv, NamesTheBodiesOfContactsAndQuotesThem) {
  const auto lines = lines_of(sample_trajectory(3), CsvTable::contacts);
  ASSERT_EQ(lines.size(), 1u + 1u + 2u);
  EXPECT_THAT(lines[0],
              testing::StartsWith(
                  "time,body_a,body_b,shape_a,shape_b,feature,state,point_x,point_y,point_z,normal_x,"));
  EXPECT_THAT(lines[0],
              testing::EndsWith("impulse_n,impulse_t,impulse_o,impulse_r,velocity_n,velocity_t,velocity_o,"
                                "velocity_r"));
  EXPECT_THAT(lines[1], testing::StartsWith(R"(0.005,"ball, the ""big"" one",world,6,8,1,sliding,)"));
  EXPECT_THAT(lines[2], testing::StartsWith("0.01,rod,world,6,8,1,sticking,"));
}

TEST(Csv, NamesThePathThatCantBeWritten) {
  const Folder dir;
  try {
    export_csv(sample_trajectory(1), dir / "gone/table.csv", CsvTable::states);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr(dir / "gone/table.csv"), HasSubstr("No such file")));
  }
}

TEST(Csv, LeavesNothingOnAFullDisk) {
  const Folder dir;
  const Trajectory run = sample_trajectory(300);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      export_csv(run, dir / "table.csv", CsvTable::states);
    } catch (const Error& error) {
      ::_exit(std::string(error.what()).find("File too large") != std::string::npos ? 0 : 1);
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
