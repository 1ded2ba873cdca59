#include "command_line.h"

#include <optional>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

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

std::vector<std::string> CommandLine::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) names.push_back(command->get_name());
  return names;
}

bool CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, err;
    const int exit_code = app_->exit(error, out, err);
    print_stdout("{}", out.str());
    print_stderr("{}", err.str());
    return exit_code == 0;
  }
}

}  // namespace pawl::internal::cli
