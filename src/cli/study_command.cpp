#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include <pawl/error.h>

#include "commands.h"
#include "output_path.h"
#include "print.h"
#include "study_text.h"
#include "table.h"

namespace pawl::internal::cli {
namespace {

struct StudyArguments {
  std::vector<std::string> files;  // STUDY, or merge OUTPUT STUDIES…
  std::vector<std::string> csv;    // one path at most
  bool json = false;
};

void write_csv(StudyStore& store, const std::string& path, const std::string& study) {
  if (path.empty()) return print_study_csv(store, stdout);
  const std::string target = resolve_output_path(path, study);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(target.c_str(), "w"), std::fclose);
  if (file == nullptr) throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  print_study_csv(store, file.get());
  if (std::fflush(file.get()) != 0) throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
}

/// Adds the rows of one study to another. Rows that both have must be equal.
std::uint64_t merge_into(StudyStore& output, const std::string& path) {
  StudyStore input(path);
  std::vector<StudyRow> fresh;
  const std::vector<bool> known = [&] {
    std::uint64_t end = 0;
    input.read([&](const StudyRow& row) { end = std::max(end, row.sample + 1); });
    return output.stored(end);
  }();
  input.read([&](const StudyRow& row) {
    if (!known[row.sample]) {
      fresh.push_back(row);
    } else if (!same_result(row, output.row(row.sample))) {
      throw Error(
          fmt::format("{}: sample {} has another result than in {}", path, row.sample, "the studies before"));
    }
  });
  output.insert(fresh);
  return fresh.size();
}

void merge(const std::vector<std::string>& files) {
  if (files.size() < 3)
    throw Error("merge needs an output and the studies: pawl study merge ALL.db A.db B.db");
  for (std::size_t i = 2; i < files.size(); ++i) {
    if (!std::filesystem::exists(files[i])) throw Error(fmt::format("{}: there is no such file", files[i]));
    resolve_output_path(files[1], files[i]);
  }
  const StudyInfo info = StudyStore(files[2]).info();
  for (std::size_t i = 3; i < files.size(); ++i)
    check_same_study(files[i], StudyStore(files[i]).info(), info);
  const std::string path = resolve_output_path(files[1], files[2]);
  const bool existed = std::filesystem::exists(path);
  std::uint64_t rows = 0;
  try {
    StudyStore output(path, info);
    for (std::size_t i = 2; i < files.size(); ++i) rows += merge_into(output, files[i]);
    output.finish();
  } catch (...) {  // studies that do not fit leave no part of a new one
    if (!existed) std::filesystem::remove(path);
    throw;
  }
  print_stdout("{}: {} from {} studies\n", files[1], pluralize(static_cast<long long>(rows), "new run"),
               files.size() - 2);
}

int study(const StudyArguments& arguments) {
  if (arguments.files.front() == "merge") {
    merge(arguments.files);
    return 0;
  }
  if (arguments.files.size() != 1)
    throw Error("study takes one STUDY.db, or: pawl study merge ALL.db A.db B.db");
  const std::string& path = arguments.files.front();
  StudyStore store(path);
  if (!arguments.csv.empty()) {
    write_csv(store, arguments.csv.front(), path);
    return 0;
  }
  StudySummary summary(store.info());
  store.read([&](const StudyRow& row) { summary.add(row); });
  print_stdout("{}", arguments.json ? json_text(study_json(summary)) + "\n" : study_text(summary));
  return summary.runs() == summary.runs(RunStatus::certified) ? 0 : kExitUncertified;
}

}  // namespace

void add_study_command(CommandLine& line, int& exit_code) {
  const auto arguments = std::make_shared<StudyArguments>();
  Command command = line.add_command("study", "Statistics of a study that pawl sweep made; merge studies");
  command.add_option("STUDY", arguments->files, "STUDY.db, or: merge OUTPUT.db STUDIES…").required();
  command.add_option("--csv", arguments->csv, "One line for each run, to FILE or to standard output")
      .expected(0, 1)
      .type_name("[FILE]");
  command.add_flag("--json", arguments->json, "Print as JSON");
  command.footer(
      "Proportions have Wilson's 95 % intervals. Runs that are not certified are counted apart.\n"
      "Examples:\n"
      "  pawl study cube.db\n"
      "  pawl study cube.db --csv=runs.csv\n"
      "  pawl study merge all.db shard1.db shard2.db");
  command.callback([arguments, &exit_code] { exit_code = study(*arguments); });
}

}  // namespace pawl::internal::cli
