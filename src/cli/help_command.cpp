#include <memory>

#include <fmt/format.h>

#include <pawl/version.h>

#include "commands.h"
#include "print.h"

namespace pawl::internal::cli {
namespace {

struct HelpArguments {
  std::string command;
  bool man = false;
  bool completion = false;
};

/// Text of a manual page: no line starts a request, backslashes and dashes are literal.
std::string roff(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char letter : text) {
    if (at_start && (letter == '.' || letter == '\'')) out += "\\&";
    if (letter == '\\') {
      out += "\\e";
    } else if (letter == '-') {
      out += "\\-";
    } else {
      out += letter;
    }
    at_start = letter == '\n';
  }
  return out;
}

std::string man_page(const CommandLine& line) {
  std::string page = fmt::format(
      ".TH PAWL 1 \"\" \"pawl {}\" \"User Commands\"\n.SH NAME\npawl \\- simulate rigid bodies in contact\n"
      ".SH SYNOPSIS\n.B pawl\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH COMMANDS\n",
      kVersion);
  for (const CommandInfo& command : line.commands()) {
    std::string usage;
    for (const OptionInfo& option : command.options) {
      if (option.positional) usage += " " + option.name;
    }
    page += fmt::format(".SS pawl {}{} [OPTIONS]\n{}\n", roff(command.name), roff(usage),
                        roff(command.description));
    for (const OptionInfo& option : command.options) {
      page += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(option.name),
                          option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR",
                          roff(option.description));
    }
    if (!command.footer.empty()) page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command.footer));
  }
  return page + fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(line.footer()));
}

/// A quoted word list of a shell.
std::string words(const std::vector<std::string>& list) {
  return fmt::format("'{}'", fmt::join(list, " "));
}

std::string completion(const CommandLine& line) {
  std::string names, options, values;
  for (const CommandInfo& command : line.commands()) {
    names += (names.empty() ? "" : " ") + command.name;
    std::vector<std::string> dashed;
    for (const OptionInfo& option : command.options) {
      if (option.positional) continue;
      const std::size_t comma = option.name.rfind(',');
      dashed.push_back(option.name.substr(comma == std::string::npos ? 0 : comma + 1));
      if (!option.choices.empty()) {
        values +=
            fmt::format("    '{} {}') words={} ;;\n", command.name, dashed.back(), words(option.choices));
      }
    }
    options += fmt::format("      {}) words={} ;;\n", command.name, words(dashed));
  }
  return fmt::format(
      R"(# Completion of pawl in bash, made by `pawl help --completion`.
_pawl() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$word")
    return
  fi
  case "$command $before" in
{}    'help help') words='{}' ;;
  esac
  if [[ -z $words && $word == -* ]]; then
    case "$command" in
{}    esac
  fi
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -F _pawl pawl ./pawl
)",
      names, values, names, options);
}

}  // namespace

void add_help_command(CommandLine& line) {
  const auto arguments = std::make_shared<HelpArguments>();
  Command command = line.add_command("help", "Show the help of a command");
  command.add_option("COMMAND", arguments->command, "Name of a command (default: all, in short)");
  command.add_flag("--man", arguments->man, "Print the manual page, in roff");
  command.add_flag("--completion", arguments->completion,
                   "Print the completion of commands and options for bash");
  command.footer(
      "Examples:\n  pawl help run\n  pawl help --man | man -l -\n"
      "  source <(pawl help --completion)");
  command.callback([arguments, &line] {
    if (arguments->man) {
      print_stdout("{}", man_page(line));
    } else if (arguments->completion) {
      print_stdout("{}", completion(line));
    } else {
      print_stdout("{}", line.help(arguments->command));
    }
  });
}

}  // namespace pawl::internal::cli
