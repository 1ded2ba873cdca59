#pragma once
// The command line. CLI11 reads it. Its headers take 10 s to compile, so only command_line.cpp includes them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pawl::internal::cli {

/// Returns an error message, or "" if the text is valid.
using TextCheck = std::function<std::string(const std::string& text)>;

/// An option or a positional argument of a command.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required(bool value = true);
  /// Shows the current value of the variable as the default in --help.
  Option& capture_default_str();
  Option& check(TextCheck check);
  Option& is_member(const std::vector<std::string>& values);
  Option& range(int min, int max);
  Option& range(double min, double max);
  /// Number of values per use of the option.
  Option& expected(int min, int max);
  Option& delimiter(char separator);
  /// If the option is given several times, keeps the values of all.
  Option& take_all();
  /// Takes one value per use; further arguments are positional.
  Option& disallow_extra_args();
  /// Name of the value in --help.
  Option& type_name(const std::string& name);

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  /// The variable is assigned when the command line is read. T is std::string, std::vector<std::string>, int,
  /// double or std::optional<double>. A name without dashes is a positional argument.
  template <class T>
  Option add_option(const std::string& name, T& variable, const std::string& description);
  void add_flag(const std::string& name, bool& variable, const std::string& description);
  /// Text at the end of --help.
  void footer(const std::string& text);
  void callback(std::function<void()> run);

 private:
  CLI::App* app_;
};

/// What --help tells of an option, for completion and the manual page.
struct OptionInfo {
  std::string name;  // "-o,--output", or "SCENE" for a positional argument
  std::string description;
  std::string value;  // name of its value; empty for a flag
  std::vector<std::string> choices;
  bool positional = false;
};
struct CommandInfo {
  std::string name, description, footer;
  std::vector<OptionInfo> options;
};

class CommandLine {
 public:
  CommandLine(const std::string& description, const std::string& version, const std::string& footer);
  ~CommandLine();

  Command add_command(const std::string& name, const std::string& description);
  std::vector<CommandInfo> commands() const;
  /// Throws Error unless there is a command of this name.
  void check_command(const std::string& name) const;
  /// --help of a command, or that of the program if empty.
  std::string help(const std::string& command) const;
  std::string footer() const;
  /// Reads the arguments and calls the callback of their command. Prints --help, --version or what is wrong.
  /// Returns false if something is wrong.
  bool parse(int argc, char** argv);

 private:
  bool complain_about_extras(int error) const;

  std::unique_ptr<CLI::App> app_;
};

}  // namespace pawl::internal::cli
