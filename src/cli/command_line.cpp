#include "command_line.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <pawl/error.h>
#include <pawl/scene_file/nearest.h>

#include "print.h"

namespace pawl::internal::cli {

Option& Option::required(bool value) {
  option_->required(value);
  return *this;
}

Option& Option::capture_default_str() {
  option_->capture_default_str();
  return *this;
}

Option& Option::check(TextCheck check) {
  option_->check(std::move(check));
  return *this;
}

Option& Option::is_member(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option& Option::range(int min, int max) {
  option_->check(CLI::Range(min, max));
  return *this;
}

Option& Option::range(double min, double max) {
  option_->check(CLI::Range(min, max));
  option_->check([min, max](const std::string& text) -> std::string {  // a NaN is in every range of CLI11
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value) || !std::isnan(value)) return {};
    return fmt::format("Value {} not in range [{} - {}]", text, min, max);
  });
  return *this;
}

Option& Option::expected(int min, int max) {
  option_->expected(min, max);
  return *this;
}

Option& Option::delimiter(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option& Option::take_all() {
  option_->take_all();
  return *this;
}

Option& Option::disallow_extra_args() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

template <class T>
Option Command::add_option(const std::string& name, T& variable, const std::string& description) {
  return Option(app_->add_option(name, variable, description));
}

template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&);

void Command::add_flag(const std::string& name, bool& variable, const std::string& description) {
  app_->add_flag(name, variable, description);
}

void Command::footer(const std::string& text) {
  app_->footer(text);
}

void Command::callback(std::function<void()> run) {
  app_->callback(std::move(run));
}

CommandLine::CommandLine(const std::string& description, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(description, "pawl")) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->footer(footer);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  return Command(app_->add_subcommand(name, description));
}

namespace {

/// The choices of "TEXT:{a,b}", as is_member() shows them.
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::vector<std::string_view> views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

std::vector<std::string> dashed_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

}  // namespace

std::vector<CommandInfo> CommandLine::commands() const {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app_->get_subcommands({})) {
    CommandInfo& info = commands.emplace_back();
    info.name = command->get_name();
    info.description = command->get_description();
    info.footer = command->get_footer();
    for (const CLI::Option* option : command->get_options()) {
      const std::string type = option->get_type_size() == 0 ? "" : option->get_type_name();
      const std::vector<std::string> choices = choices_of(type);
      info.options.push_back({option->get_name(false, true), option->get_description(),
                              type.substr(0, type.find_first_of(":{")), choices, option->get_positional()});
      if (!choices.empty()) info.options.back().value = fmt::format("{}", fmt::join(choices, "|"));
    }
  }
  return commands;
}

void CommandLine::check_command(const std::string& name) const {
  std::vector<std::string> known;
  for (const CommandInfo& command : commands()) known.push_back(command.name);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw Error(fmt::format("there is no command '{}'{}", name, hint(name, views(known), "there are")));
}

std::string CommandLine::help(const std::string& command) const {
  // Not app_->help(), which shows the help of the command in use.
  if (command.empty())
    return app_->get_formatter()->make_help(app_.get(), "pawl", CLI::AppFormatMode::Normal);
  check_command(command);
  return app_->get_subcommand(command)->help("pawl");
}

std::string CommandLine::footer() const {
  return app_->get_footer();
}

/// Names the arguments that nothing takes; false if there are none.
bool CommandLine::complain_about_extras(int error) const {
  const std::vector<CLI::App*> used = app_->get_subcommands();
  const std::vector<std::string> extras = app_->remaining(true);
  // Without a command, CLI11 complains about that first.
  if (extras.empty() || error == 0 ||
      (error != static_cast<int>(CLI::ExitCodes::ExtrasError) && !used.empty()))
    return false;
  const CLI::App& command = used.empty() ? *app_ : *used.front();
  const std::string where = used.empty() ? "" : " " + command.get_name();
  const std::vector<std::string> names = dashed_names(command);
  for (const std::string& word : extras) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with('-')) {
      print_stderr("pawl{}: there is no option {}{}\n", where, name, hint(name, views(names), "there are"));
    } else {
      print_stderr("pawl{}: one argument too many: '{}'\n", where, word);
    }
  }
  print_stderr("Run with --help for more information.\n");
  return true;
}

bool CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    if (complain_about_extras(error.get_exit_code())) return false;
    std::ostringstream out, err;
    const int exit_code = app_->exit(error, out, err);
    print_stdout("{}", out.str());
    print_stderr("{}", err.str());
    return exit_code == 0;
  }
}

}  // namespace pawl::internal::cli
