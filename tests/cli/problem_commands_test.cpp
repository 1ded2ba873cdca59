// Tests of the program: pawl solve, convert and compare.

#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <pawl/problem/delassus.h>
#include <pawl/problem_file.h>
#include <pawl/problem_file/fclib.h>

#include "program.h"

namespace pawl::internal {
namespace {

using test::Folder;
using test::Outcome;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

const std::string kLcp = "2\n0\n2 2\n2 2\n2 1\n1 2\n-1 -1\n";
const std::string kLcpWithoutSolution = "2\n0\n2 2\n2 2\n-1 0\n0 -1\n-1 2\n";  // w_0 = -z_0 - 1
/// One free row and one complementary row: z_0 + z_1 = 1, z_1 ≥ 0 ⊥ -z_0 + z_1 ≥ 0.
const std::string kMixedLcp = "0 1\n1\n1\n1\n1\n1\n-1\n-1\n0\n";
/// Two bodies of 2 kg on the floor: one slides, one sticks.
const std::string kContacts =
    "3 2\n0\n6 6\n6 6\n"
    "0.5 0 0 0 0 0\n0 0.5 0 0 0 0\n0 0 0.5 0 0 0\n0 0 0 0.5 0 0\n0 0 0 0 0.5 0\n0 0 0 0 0 0.5\n"
    "-1 3 0 -1 0.1 0\n0.5 0.5\n";

/// A particle of 2 kg that falls on the floor, with this kind of friction.
ContactProblem particle(const FrictionPolyhedron* polygon = nullptr) {
  ContactProblem problem;
  problem.contacts = 1;
  problem.begin = {0, 3};
  problem.zeta = {0};
  problem.friction = {
      {polygon ? FrictionKind::polyhedron : FrictionKind::ellipsoid, 0.5, {1, 1, 1}, polygon}};
  problem.motion.mass_blocks = {{0, 3, 0}};
  problem.motion.mass = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  problem.motion.factor = {std::sqrt(2), 0, 0, 0, std::sqrt(2), 0, 0, 0, std::sqrt(2)};
  problem.motion.jacobian_blocks = {{0, 0, 0}};
  problem.motion.jacobian = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  problem.motion.v_free = {3, 0, -1};
  set_free_velocities(problem);
  return problem;
}

Json solve_json(const Folder& folder, const std::string& arguments) {
  return Json::parse(test::pawl(folder, "solve --json " + arguments).out);
}

TEST(Solve, ReadsEveryFormatAndKind) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  folder.write("mixed.dat", kMixedLcp);
  folder.write("contacts.dat", kContacts);
  write_problem(folder / "particle.json", particle());
  write_fclib_local(folder / "local.hdf5", particle());
  write_fclib_global(folder / "global.hdf5", particle());
  for (const auto& [file, kind] : {std::pair("lcp.dat", "lcp"),
                                   {"mixed.dat", "mixed-lcp"},
                                   {"contacts.dat", "contact"},
                                   {"particle.json", "contact"},
                                   {"local.hdf5", "contact"},
                                   {"global.hdf5", "contact"}}) {
    const Outcome solve = test::pawl(folder, std::string("solve ") + file);
    EXPECT_EQ(solve.exit_code, 0) << file << "\n" << solve.out << solve.err;
    EXPECT_EQ(solve.err, "") << file;
    EXPECT_THAT(solve.out, AllOf(HasSubstr(file), HasSubstr("certified"), HasSubstr(kind))) << file;
    const Json json = solve_json(folder, file);
    EXPECT_EQ(json["format"], "pawl-solution") << file;
    EXPECT_EQ(json["status"], "certified") << file;
    EXPECT_EQ(json["kind"], kind) << file;
  }
}

TEST(Solve, ReportsOnlyResidualsThatApply) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  folder.write("mixed.dat", kMixedLcp);
  folder.write("contacts.dat", kContacts);
  write_problem(folder / "particle.json", particle());
  EXPECT_THAT(test::pawl(folder, "solve contacts.dat").out,
              AllOf(HasSubstr("natural map"), HasSubstr("cone map"), HasSubstr("penetration rate"),
                    HasSubstr("friction excess"), HasSubstr("work defect"), Not(HasSubstr("momentum")),
                    Not(HasSubstr("bilateral"))));
  EXPECT_THAT(test::pawl(folder, "solve particle.json").out, HasSubstr("momentum"));
  EXPECT_THAT(test::pawl(folder, "solve lcp.dat").out,
              AllOf(HasSubstr("pivot"), Not(HasSubstr("equations"))));
  EXPECT_THAT(test::pawl(folder, "solve mixed.dat").out, HasSubstr("equations"));
}

TEST(Solve, JsonHasTheWholeAnswer) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  write_problem(folder / "particle.json", particle());
  const Json lcp = solve_json(folder, "lcp.dat");
  EXPECT_NEAR(lcp["z"][0], 1.0 / 3, 1e-14);
  EXPECT_NEAR(lcp["w"][1], 0, 1e-14);
  EXPECT_LE(lcp["residual"]["natural_map"], lcp["tolerance"]);
  const Json contact = solve_json(folder, "particle.json");  // stops 2 kg at 1 m/s, and slides
  EXPECT_NEAR(contact["p"][0], 2, 1e-7);
  EXPECT_NEAR(contact["p"][1], -1, 1e-7);
  EXPECT_NEAR(contact["u"][1], 2.5, 1e-7);
  EXPECT_NEAR(contact["v"][0], 2.5, 1e-7);
  EXPECT_LE(contact["residual"]["natural_map"], 1e-8);
}

TEST(Solve, UsesTheMethodAskedFor) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  for (const char* method : {"nsgs", "newton", "ipm", "admm"}) {
    const Json json = solve_json(folder, std::string("contacts.dat --method ") + method);
    EXPECT_EQ(json["method"], method);
    EXPECT_EQ(json["found_by"], method);
    EXPECT_EQ(json["status"], "certified") << method;
  }
  folder.write("lcp.dat", kLcp);
  EXPECT_EQ(solve_json(folder, "lcp.dat --method enumerate")["pivots"], 0);
  EXPECT_EQ(solve_json(folder, "lcp.dat --method lemke")["found_by"], "lemke");
}

TEST(Solve, RefusesMethodsThatAreNotForTheProblem) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  folder.write("contacts.dat", kContacts);
  const Outcome lcp = test::pawl(folder, "solve lcp.dat --method nsgs");
  EXPECT_EQ(lcp.exit_code, 2);
  EXPECT_THAT(lcp.err,
              AllOf(HasSubstr("lcp.dat"), HasSubstr("nsgs"), HasSubstr("lemke, enumerate, cascade")));
  EXPECT_EQ(test::pawl(folder, "solve contacts.dat --method enumerate").exit_code, 2);
  EXPECT_EQ(test::pawl(folder, "solve contacts.dat --method guess").exit_code, 2);
}

TEST(Solve, ReadsPipesButNoDevicesAndNothingWithoutEnd) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  const Outcome device = test::pawl(folder, "solve /dev/zero");
  EXPECT_EQ(device.exit_code, 2);
  EXPECT_THAT(device.err, HasSubstr("/dev/zero: is neither a file nor a pipe"));
  folder.write("huge.dat", "3");
  std::filesystem::resize_file(folder / "huge.dat", (std::uintmax_t{1} << 30) + 1);  // a sparse file
  const Outcome huge = test::pawl(folder, "solve huge.dat");
  EXPECT_EQ(huge.exit_code, 2);
  EXPECT_THAT(huge.err, HasSubstr("huge.dat: is larger than 1 GiB"));
  const std::string piped =
      std::string("--version | cat contacts.dat | '") + PAWL_PROGRAM + "' solve /dev/stdin";
  EXPECT_EQ(test::pawl(folder, piped).exit_code, 0);
}

TEST(Solve, ProvesThatThereIsNoSolution) {
  const Folder folder;
  folder.write("none.dat", kLcpWithoutSolution);
  const Outcome solve = test::pawl(folder, "solve none.dat");
  EXPECT_EQ(solve.exit_code, 1);
  EXPECT_THAT(solve.out, AllOf(HasSubstr("no-solution"), HasSubstr("proof"), HasSubstr("yᵀ q = -")));
  const Json json = solve_json(folder, "none.dat");
  EXPECT_GT(json["certificate"][0], 0);
  EXPECT_TRUE(json["z"].is_null());
  EXPECT_THAT(test::pawl(folder, "solve none.dat --method enumerate").out,
              HasSubstr("none of the 4 complementary bases"));
}

TEST(Solve, ExitsWithOneUnlessCertified) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  const Outcome refused = test::pawl(folder, "solve contacts.dat --method lemke --json -o refused.hdf5");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_EQ(Json::parse(refused.out)["status"], "refused");
  EXPECT_TRUE(Json::parse(refused.out)["p"].is_null());
  EXPECT_THAT(refused.err, HasSubstr("refused.hdf5 is not written"));
  EXPECT_FALSE(folder.has("refused.hdf5"));
  // The impulses are not binary fractions: rounding alone exceeds this tolerance.
  folder.write("coupled.dat",
               "2 2\n0\n4 4\n4 4\n1 0.1 -0.5 0.07\n0.1 3 0 -0.3\n-0.5 0 1.3 0.1\n0.07 -0.3 0.1 3.7\n"
               "-1 0.3 -1.7 0.7\n0.3 0.3\n");
  const Outcome approximate = test::pawl(folder, "solve coupled.dat --tolerance 1e-16 --json");
  EXPECT_EQ(approximate.exit_code, 1) << approximate.out;
  EXPECT_EQ(Json::parse(approximate.out)["status"], "approximate");
}

TEST(Solve, RefusesAnotherKindThanAskedFor) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  folder.write("mixed.dat", kMixedLcp);
  EXPECT_EQ(test::pawl(folder, "solve contacts.dat --kind contact").exit_code, 0);
  EXPECT_EQ(test::pawl(folder, "solve mixed.dat --kind mlcp").exit_code, 0);
  EXPECT_EQ(test::pawl(folder, "solve mixed.dat --kind mixed-lcp").exit_code, 0);
  for (const char* kind : {"lcp", "mlcp"}) {
    const Outcome other = test::pawl(folder, std::string("solve contacts.dat --kind ") + kind);
    EXPECT_EQ(other.exit_code, 2) << kind;
    EXPECT_THAT(other.err, HasSubstr("contacts.dat")) << kind;
  }
}

TEST(Solve, BadFilesAreNamed) {
  const Folder folder;
  write_problem(folder / "whole.json", particle());
  write_fclib_local(folder / "whole.hdf5", particle());
  const std::string json = folder.read("whole.json"), hdf5 = folder.read("whole.hdf5");
  folder.write("cut.json", json.substr(0, json.size() / 2));
  folder.write("cut.hdf5", hdf5.substr(0, hdf5.size() / 2));
  folder.write("cut.dat", kContacts.substr(0, kContacts.size() / 2));
  folder.write("empty.dat", "");
  folder.write("words.dat", "pawl: 1\nbodies: {}\n");
  folder.write("nan.dat", "2\n0\n2 2\n2 2\n2 1\n1 nan\n-1 -1\n");
  std::filesystem::create_directory(folder / "folder");
  for (const std::string file :
       {"missing.dat", "folder", "empty.dat", "words.dat", "nan.dat", "cut.dat", "cut.json", "cut.hdf5"}) {
    const Outcome solve = test::pawl(folder, "solve " + file + " -o out.json");
    EXPECT_EQ(solve.exit_code, 2) << file;
    EXPECT_THAT(solve.err, HasSubstr(file)) << file;
    EXPECT_EQ(solve.out, "") << file;
    EXPECT_FALSE(folder.has("out.json")) << file;
  }
  EXPECT_THAT(test::pawl(folder, "solve nan.dat").err, HasSubstr("nan.dat:6:3"));
}

TEST(Solve, PutsTheAnswerIntoACopyOfAnFclibFile) {
  const Folder folder;
  write_fclib_global(folder / "in.hdf5", particle(), {"a title", "", ""});
  const std::string before = folder.read("in.hdf5");
  EXPECT_EQ(test::pawl(folder, "solve in.hdf5 -o out.hdf5").exit_code, 0);
  EXPECT_EQ(folder.read("in.hdf5"), before);
  EXPECT_THAT(folder.read("out.hdf5"), HasSubstr("a title"));
  EXPECT_FALSE(folder.has("out.hdf5.part"));
  const FclibSolution solution = read_fclib_solution(folder / "out.hdf5");
  const Json json = solve_json(folder, "out.hdf5");
  EXPECT_EQ(json["p"].get<std::vector<double>>(), solution.r);
  EXPECT_EQ(json["u"].get<std::vector<double>>(), solution.u);
  EXPECT_EQ(json["v"].get<std::vector<double>>(), solution.v);
}

TEST(Solve, WritesOtherContactProblemsAsFclibWithTheAnswer) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  EXPECT_EQ(test::pawl(folder, "solve contacts.dat -o out.h5").exit_code, 0);
  EXPECT_EQ(read_contact_problem(folder / "out.h5").problem.b,
            read_contact_problem(folder / "contacts.dat").problem.b);
  EXPECT_EQ(solve_json(folder, "out.h5")["p"].get<std::vector<double>>(),
            read_fclib_solution(folder / "out.h5").r);
}

TEST(Solve, WritesTheAnswerAsJson) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  const Outcome solve = test::pawl(folder, "solve lcp.dat --json -o answer.json");
  EXPECT_EQ(Json::parse(folder.read("answer.json")), Json::parse(solve.out));
  EXPECT_FALSE(folder.has("answer.json.part"));
}

TEST(Solve, FileNamesNeedNotBeUtf8) {
  const Folder folder;
  folder.write("\xff.dat", kLcp);
  EXPECT_EQ(solve_json(folder, "'\xff.dat'")["status"], "certified");
}

TEST(Solve, WritesNothingWhereItMayNot) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  folder.write("contacts.dat", kContacts);
  for (const char* arguments : {"lcp.dat -o lcp.dat", "lcp.dat -o nowhere/a.json", "lcp.dat -o .",
                                "lcp.dat -o ''", "lcp.dat -o a.hdf5", "contacts.dat -o nowhere/a.hdf5"}) {
    const Outcome solve = test::pawl(folder, std::string("solve ") + arguments);
    EXPECT_EQ(solve.exit_code, 2) << arguments;
    EXPECT_FALSE(solve.err.empty()) << arguments;
  }
  EXPECT_EQ(folder.read("lcp.dat"), kLcp);
}

TEST(Solve, SaysWhetherOtherImpulsesGiveTheSameMotion) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  EXPECT_THAT(test::pawl(folder, "solve contacts.dat --least-norm").out, HasSubstr("impulses"));
  EXPECT_EQ(solve_json(folder, "contacts.dat --least-norm")["impulses"], "unique");
  EXPECT_EQ(solve_json(folder, "contacts.dat")["impulses"], "unknown");
}

TEST(Convert, ThereAndBackGivesTheSameProblem) {
  const Folder folder;
  write_problem(folder / "a.json", particle());
  EXPECT_EQ(test::pawl(folder, "convert a.json a.hdf5").exit_code, 0);
  EXPECT_EQ(test::pawl(folder, "convert a.hdf5 b.json").exit_code, 0);
  const ContactProblem a = read_contact_problem(folder / "a.json").problem,
                       b = read_contact_problem(folder / "b.json").problem;
  EXPECT_TRUE(b.primal());
  EXPECT_THAT(b.b, testing::Pointwise(testing::DoubleNear(1e-15), a.b));
  EXPECT_EQ(b.friction[0].mu, 0.5);
  EXPECT_EQ(test::pawl(folder, "convert a.json local.h5 --form local").exit_code, 0);
  EXPECT_FALSE(read_contact_problem(folder / "local.h5").problem.primal());
}

TEST(Convert, RoundsPolygonsOnlyWhenTold) {
  const Folder folder;
  const FrictionPolyhedron octagon = FrictionPolyhedron::regular(8);
  write_problem(folder / "a.json", particle(&octagon));
  const Outcome refused = test::pawl(folder, "convert a.json a.hdf5");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("a.json"), HasSubstr("8 directions"), HasSubstr("--round")));
  EXPECT_FALSE(folder.has("a.hdf5"));
  EXPECT_EQ(test::pawl(folder, "convert a.json a.hdf5 --round").exit_code, 0);
  EXPECT_EQ(read_contact_problem(folder / "a.hdf5").problem.friction[0].mu, 0.5);
}

TEST(Convert, RefusesWhatItCantWrite) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  folder.write("contacts.dat", kContacts);
  for (const char* arguments : {"lcp.dat a.hdf5", "contacts.dat a.dat", "contacts.dat a.json --round",
                                "contacts.dat a.hdf5 --form global", "contacts.dat contacts.dat",
                                "missing.dat a.json", "contacts.dat nowhere/a.json"}) {
    const Outcome convert = test::pawl(folder, std::string("convert ") + arguments);
    EXPECT_EQ(convert.exit_code, 2) << arguments;
    EXPECT_FALSE(convert.err.empty()) << arguments;
  }
  EXPECT_FALSE(folder.has("a.hdf5") || folder.has("a.hdf5.part"));
}

TEST(Compare, ShowsEveryMethodOnEveryProblem) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  write_problem(folder / "particle, falling.json", particle());
  const Outcome compare =
      test::pawl(folder,
                 "compare contacts.dat 'particle, falling.json' --methods nsgs,newton,cascade --csv runs.csv "
                 "--profile profile.csv --plot profile.svg --repeats 3");
  EXPECT_EQ(compare.exit_code, 0) << compare.err;
  EXPECT_EQ(compare.err, "");
  EXPECT_THAT(compare.out, AllOf(HasSubstr("contacts.dat"), HasSubstr("particle, falling.json"),
                                 testing::ContainsRegex("(nsgs|newton|cascade) +\\*  "), HasSubstr("newton"),
                                 HasSubstr("certified"), HasSubstr("Of 2 problems")));
  const std::string runs = folder.read("runs.csv"), profile = folder.read("profile.csv");
  EXPECT_EQ(std::ranges::count(runs, '\n'), 1 + 2 * 3);
  EXPECT_THAT(runs, HasSubstr("\"particle, falling.json\",contact,1,3,newton,certified,"));
  EXPECT_THAT(profile,
              AllOf(testing::StartsWith("tau,nsgs,newton,cascade\n1,"), testing::EndsWith(",1,1,1\n")));
  EXPECT_THAT(folder.read("profile.svg"),
              AllOf(HasSubstr("<svg"), HasSubstr("<path"), testing::EndsWith("</svg>\n")));
}

TEST(Compare, JsonIsForPrograms) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  folder.write("lcp.dat", kLcp);
  const Outcome compare =
      test::pawl(folder, "compare contacts.dat --methods newton,newton,lemke lcp.dat --json");
  EXPECT_EQ(compare.exit_code, 0) << compare.err;
  const Json json = Json::parse(compare.out);
  EXPECT_EQ(json["methods"], Json({"newton", "lemke"}));
  ASSERT_EQ(json["problems"].size(), 1U);
  EXPECT_EQ(json["problems"][0]["runs"][0]["status"], "certified");
  EXPECT_EQ(json["problems"][0]["runs"][1]["status"], "refused");
  EXPECT_GT(json["problems"][0]["runs"][0]["seconds"], 0);
  EXPECT_EQ(json["profile"]["share"]["newton"][0], 1);
  EXPECT_EQ(json["profile"]["share"]["lemke"][0], 0);
  EXPECT_EQ(json["skipped"][0]["file"], "lcp.dat");
}

TEST(Compare, ComparesLcpsWithTheirMethods) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  folder.write("mixed.dat", kMixedLcp);
  folder.write("contacts.dat", kContacts);
  const Outcome compare =
      test::pawl(folder, "compare lcp.dat mixed.dat contacts.dat --methods lemke,enumerate,cascade");
  EXPECT_EQ(compare.exit_code, 0) << compare.err;
  EXPECT_THAT(compare.out,
              AllOf(HasSubstr("2 rows"), HasSubstr("mixed.dat"), Not(HasSubstr("contacts.dat"))));
  EXPECT_THAT(compare.err, AllOf(HasSubstr("note: contacts.dat is skipped"), HasSubstr("enumerate")));
}

TEST(Compare, ComparesTheOthersWhereAFileCantBeRead) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  folder.write("cut.dat", kContacts.substr(0, 40));
  const Outcome compare = test::pawl(folder, "compare cut.dat missing.dat contacts.dat --methods newton");
  EXPECT_EQ(compare.exit_code, 2);
  EXPECT_THAT(compare.out, AllOf(HasSubstr("contacts.dat"), HasSubstr("Of 1 problem")));
  EXPECT_THAT(compare.err, AllOf(HasSubstr("pawl: cut.dat"), HasSubstr("pawl: missing.dat")));
}

TEST(Compare, ExitsWithOneWhereNoMethodSolvesAProblem) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  const Outcome compare = test::pawl(folder, "compare contacts.dat --methods lemke");
  EXPECT_EQ(compare.exit_code, 1);
  EXPECT_THAT(compare.out, AllOf(HasSubstr("refused"), Not(HasSubstr("lemke   *"))));
}

TEST(Compare, RefusesBadArguments) {
  const Folder folder;
  folder.write("lcp.dat", kLcp);
  folder.write("contacts.dat", kContacts);
  for (const char* arguments :
       {"", "contacts.dat --methods guess", "contacts.dat --repeats 0", "lcp.dat --methods nsgs",
        "contacts.dat lcp.dat --csv lcp.dat", "contacts.dat --plot nowhere/p.svg",
        "contacts.dat --tolerance 2", "contacts.dat --tolerance nan"}) {
    const Outcome compare = test::pawl(folder, std::string("compare ") + arguments);
    EXPECT_EQ(compare.exit_code, 2) << arguments;
  }
  EXPECT_EQ(folder.read("lcp.dat"), kLcp);
}

TEST(Compare, RefusesMethodsWithoutAName) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  for (const char* list : {"nsgs,", ",nsgs", "nsgs,,newton", ","}) {
    const Outcome compare = test::pawl(folder, std::string("compare contacts.dat --methods ") + list);
    EXPECT_EQ(compare.exit_code, 2) << list;
    EXPECT_THAT(compare.err, HasSubstr("'' is none of lemke, nsgs, newton, ipm, admm, cascade, enumerate"))
        << list;
    EXPECT_EQ(compare.out, "") << list;
  }
  EXPECT_EQ(test::pawl(folder, "compare contacts.dat --methods nsgs,newton").exit_code, 0);
}

TEST(Compare, RefusesToWriteTwoThingsToOneFile) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  for (const char* outputs : {"--csv x --plot x", "--profile x --csv ./x", "--plot x --csv x.part"}) {
    const Outcome compare = test::pawl(folder, std::string("compare contacts.dat --methods nsgs ") + outputs);
    EXPECT_EQ(compare.exit_code, 2) << outputs;
    EXPECT_THAT(compare.err, HasSubstr("would replace the other output")) << outputs;
    EXPECT_FALSE(std::filesystem::exists(folder / "x")) << outputs;
  }
  EXPECT_EQ(test::pawl(folder, "compare contacts.dat --methods nsgs --csv x --plot y.svg").exit_code, 0);
  const Outcome ending = test::pawl(folder, "compare contacts.dat --methods nsgs --plot y");
  EXPECT_EQ(ending.exit_code, 2);
  EXPECT_THAT(ending.err, HasSubstr("a figure is .svg, .pdf or .png"));
}

TEST(Compare, InterruptShowsWhatIsDone) {
  const Folder folder;
  folder.write("contacts.dat", kContacts);
  std::string many;
  for (int k = 0; k < 2000; ++k) many += " contacts.dat";
  const std::string command = "cd '" + folder.path().string() + "' && exec '" + PAWL_PROGRAM +
                              "' compare --repeats 1000000 --methods newton,nsgs --profile p.csv" + many +
                              " >.out 2>.err";
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(99);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(folder.read(".out"), AllOf(HasSubstr("certified"), HasSubstr("solved by each method")));
  EXPECT_THAT(folder.read(".err"), HasSubstr("of 2000 files"));
  EXPECT_TRUE(folder.has("p.csv"));
}

}  // namespace
}  // namespace pawl::internal
