#include "cli/cli.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "app/parse.h"
#include "base/file_io.h"
#include "base/nearest_name.h"
#include "brokkr/version.h"
#include "cli/commands.h"

namespace brokkr::app {

// Manual pages and completions come from the same tables as the parser, so they are always current.

namespace {

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [from, to] : pairs) {
    for (size_t place = 0; (place = text.find(from, place)) != std::string::npos; place += to.size())
      text.replace(place, from.size(), to);
  }
  return text;
}

bool is_positional(const Option& option) { return option.names.front() != '-'; }

bool takes_value(const Option& option) { return option.kind != ValueKind::flag; }

bool takes_file(const Option& option) {
  return option.kind == ValueKind::file || option.kind == ValueKind::choice_or_file;
}

// {"-o", "--output"}.
std::vector<std::string> names_of(const Option& option) {
  const size_t comma = option.names.find(',');
  if (comma == std::string::npos) return {option.names};
  return {option.names.substr(0, comma), option.names.substr(comma + 1)};
}

const Option kHelp = {.names = "-h,--help", .help = "Print this help message and exit"};

// The options of a command, and --help.
std::vector<Option> options_of(const Command& command) {
  std::vector<Option> all = command.options;
  all.push_back(kHelp);
  return all;
}

// A row of a table in docs/reference/command-line.md.
std::string markdown_row(const Option& option) {
  const std::string value = !is_positional(option) && takes_value(option) ? " " + option.value : "";
  return fmt::format("| `{}{}` | {} |\n", fmt::join(names_of(option), ", "), value,
                     replaced(option.help, {{"|", "\\|"}}));
}

// Manual pages.

std::string roff(const std::string& text) {
  const std::string escaped = replaced(text, {{"\\", "\\e"}, {"-", "\\-"}});
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string manual_head(const std::string& name, const std::string& summary, const std::string& synopsis) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](char c) { return char(std::toupper(c)); });
  return fmt::format(".TH {} 1 \"\" \"brokkr {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
                     roff(title), BROKKR_VERSION, roff(name), roff(summary), roff(synopsis));
}

std::string manual_option(const Option& option) {
  if (is_positional(option)) return fmt::format(".TP\n\\fI{}\\fR\n{}\n", roff(option.value), roff(option.help));
  const std::string value = takes_value(option) ? fmt::format(" \\fI{}\\fR", roff(option.value)) : "";
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", roff(fmt::format("{}", fmt::join(names_of(option), ", "))), value,
                     roff(option.help));
}

constexpr const char* kManualTail =
    ".SH EXIT STATUS\n"
    ".TP\n0\nDone.\n"
    ".TP\n1\nA file, a machine or a comparison failed.\n"
    ".TP\n2\nThe command line itself is wrong.\n"
    ".TP\n130, 143\nEnded by Ctrl-C, or by SIGTERM.\n";

std::string manual_overview(const std::vector<Command>& commands) {
  std::string page = manual_head("brokkr", "streaming software rendering pipeline for CUDA and CPU",
                                 "brokkr FILE, or brokkr COMMAND [options]");
  page +=
      ".SH DESCRIPTION\nDraws captured game frames and scenes without a graphics API, and measures the work. With a "
      "FILE alone it shows the file in a window; without a display it renders it to a PNG of the same name in the "
      "current folder.\n.SH COMMANDS\n";
  std::string also;
  for (const Command& command : commands) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", roff(command.name), roff(command.summary));
    also += fmt::format("{}\\fBbrokkr\\-{}\\fR(1)", also.empty() ? "" : ", ", roff(command.name));
  }
  page += ".SH OPTIONS\n" + manual_option(kHelp) + ".TP\n\\fB\\-\\-version\\fR\nPrint the version and exit\n";
  return page + kManualTail + ".SH SEE ALSO\n" + also + "\n";
}

std::string manual_of(const Command& command) {
  std::string page = manual_head("brokkr-" + command.name, command.summary, usage(command)) + ".SH OPTIONS\n";
  std::string group;
  for (const Option& option : options_of(command)) {
    if (option.group != group) page += ".SS " + roff(option.group.empty() ? "Options" : option.group) + "\n";
    group = option.group;
    page += manual_option(option);
  }
  return page + kManualTail + ".SH SEE ALSO\n\\fBbrokkr\\fR(1)\n";
}

// Completions.

std::string bash_completion(const std::vector<Command>& commands) {
  std::string values, options, names;
  for (const Command& command : commands) {
    std::vector<std::string> words;
    for (const Option& option : options_of(command)) {
      if (is_positional(option)) continue;
      const std::vector<std::string> spelled = names_of(option);
      words.insert(words.end(), spelled.begin(), spelled.end());
      if (!takes_value(option)) continue;
      for (const std::string& name : spelled) {
        values += fmt::format("    '{} {}') words='{}'{} ;;\n", command.name, name, fmt::join(option.choices, " "),
                              takes_file(option) ? " files=yes" : "");
      }
    }
    options += fmt::format("    {}) words='{}' ;;\n", command.name, fmt::join(words, " "));
    names += command.name + " ";
  }
  return fmt::format(
      R"(# Completion of brokkr for bash: words after an option are its values, else options, commands and files.
_brokkr() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words='' files=''
  local command=''
  [ "$COMP_CWORD" -gt 1 ] && command=${{COMP_WORDS[1]}}
  case "$command $previous" in
{}    *)
      if [ -z "$command" ]; then
        words='{}--help --version' files=yes
      elif [[ $current == -* ]]; then
        case "$command" in
{}        esac
      else
        files=yes
      fi ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; [ -z "$files" ] || compgen -f -- "$current")
  [ -z "$files" ] || compopt -o filenames
}}
complete -F _brokkr brokkr
)",
      values, names, replaced(options, {{"    ", "          "}}));
}

std::string zsh_option(const Option& option) {
  const std::vector<std::pair<std::string, std::string>> escapes = {
      {"'", "'\\''"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}};
  const std::string value = replaced(option.value, escapes);
  std::string action;
  if (takes_file(option)) action = "_files";
  if (!option.choices.empty()) action = fmt::format("({})", fmt::join(option.choices, " "));
  if (is_positional(option)) return fmt::format("'{}:{}:_files'", option.repeat ? "*" : "", value);
  const std::vector<std::string> names = names_of(option);
  const std::string head = names.size() == 1 ? "'"
                           : option.repeat   ? fmt::format("'*'{{{}}}'", fmt::join(names, ","))
                                           : fmt::format("'({})'{{{}}}'", fmt::join(names, " "), fmt::join(names, ","));
  const std::string only = names.size() > 1 ? "" : option.repeat ? "*" + names[0] : names[0];
  return fmt::format("{}{}[{}]{}'", head, only, replaced(option.help, escapes),
                     takes_value(option) ? fmt::format(":{}:{}", value, action) : "");
}

std::string zsh_completion(const std::vector<Command>& commands) {
  std::string described, cases;
  for (const Command& command : commands) {
    described += fmt::format("    '{}:{}'\n", command.name, replaced(command.summary, {{"'", "'\\''"}, {":", "\\:"}}));
    cases += fmt::format("    {}) _arguments -s", command.name);
    for (const Option& option : options_of(command)) cases += " \\\n      " + zsh_option(option);
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef brokkr
# Completion of brokkr for zsh.
_brokkr() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _files
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}    *) _files ;;
  esac
}}
_brokkr "$@"
)",
                     described, cases);
}

std::string fish_completion(const std::vector<Command>& commands) {
  const auto quoted = [](const std::string& text) {
    return "'" + replaced(text, {{"\\", "\\\\"}, {"'", "\\'"}}) + "'";
  };
  std::string text = "# Completion of brokkr for fish.\n";
  for (const Command& command : commands) {
    text +=
        fmt::format("complete -c brokkr -n __fish_use_subcommand -a {} -d {}\n", command.name, quoted(command.summary));
    for (const Option& option : options_of(command)) {
      if (is_positional(option)) continue;
      text += fmt::format("complete -c brokkr -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : names_of(option))
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (takes_value(option)) text += takes_file(option) ? " -r -F" : " -x";
      if (!option.choices.empty()) text += " -a " + quoted(fmt::format("{}", fmt::join(option.choices, " ")));
      text += " -d " + quoted(option.help) + "\n";
    }
  }
  return text;
}

}  // namespace

// All commands, in the form of docs/reference/command-line.md.
std::string markdown_page(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& command : commands) {
    text += fmt::format("\n## {}\n\n{}.\n\n```\n{}\n```\n\n| option | meaning |\n|---|---|\n", command.name,
                        command.summary, usage(command));
    for (const Option& option : command.options) text += markdown_row(option);
  }
  return text;
}

// A manual page of section 1 in groff's man macros: "brokkr", or "brokkr-render" for a command. Throws UsageError for
// any other name.
std::string manual_page(const std::vector<Command>& commands, const std::string& name) {
  if (name == "brokkr") return manual_overview(commands);
  for (const Command& command : commands) {
    if (name == "brokkr-" + command.name) return manual_of(command);
  }
  throw UsageError("there is no manual page '" + name + "'; the pages are brokkr and brokkr-COMMAND");
}

// Completion script of a shell: "bash", "zsh" or "fish". Throws UsageError for any other.
std::string completion(const std::vector<Command>& commands, const std::string& shell) {
  if (shell == "bash") return bash_completion(commands);
  if (shell == "zsh") return zsh_completion(commands);
  if (shell == "fish") return fish_completion(commands);
  throw UsageError("there are completions for bash, zsh and fish, not for '" + shell + "'");
}

namespace {

// `brokkr FILE…` means `brokkr view FILE…` if there is a display and no option, otherwise `brokkr render FILE…`.
std::vector<std::string> with_command(const std::vector<Command>& commands, std::vector<std::string> words) {
  if (words.empty() && std::getenv("DISPLAY") != nullptr && can_view()) return {"view"};  // its start screen
  if (words == std::vector<std::string>{"version"}) return {"--version"};
  if (!words.empty() && words.front() == "help") {  // `help COMMAND` is `COMMAND --help`
    std::rotate(words.begin(), words.begin() + 1, words.end());
    words.back() = "--help";
    if (words.size() > 2) throw UsageError("help takes one COMMAND; see `brokkr --help`");
  }
  const auto is_command = [&](const Command& command) { return command.name == words.front(); };
  if (!words.empty() && !words.front().starts_with('-') && std::none_of(commands.begin(), commands.end(), is_command)) {
    const bool looks_like_a_file = words.front().find_first_of("./:") != std::string::npos;
    std::error_code ignored;
    if (!looks_like_a_file && !std::filesystem::exists(words.front(), ignored)) {
      std::vector<std::string> names;
      for (const Command& command : commands) names.push_back(command.name);
      throw UsageError("'" + words.front() + "' is neither a command nor a file" + did_you_mean(words.front(), names) +
                       "; see `brokkr --help`");
    }
    const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
    const bool window = std::none_of(words.begin(), words.end(), is_option) && can_view();
    words.insert(words.begin(), window ? "view" : "render");
  }
  return words;
}

int parse_and_run(const std::vector<std::string>& given, const std::vector<Module>& modules) {
  const std::vector<Command> commands = all_commands(modules);
  CLI::App app(
      "A streaming software rendering pipeline: game frames and scenes in, pictures and statistics out.\n"
      "`brokkr FILE` shows FILE in a window; without a display it renders it to a PNG of the same name in the current "
      "folder.");
  app.name("brokkr");
  set_usage(app, "brokkr FILE, or brokkr COMMAND [options]");
  app.set_version_flag("--version", "brokkr " BROKKR_VERSION);
  app.footer("`brokkr help COMMAND` shows what a command takes.");
  bool markdown = false;
  std::string manual, shell;
  app.add_option("--completion", shell, "Print the completion script of bash, zsh or fish")->type_name("SHELL");
  std::vector<std::string> words = with_command(commands, given);
  const bool all = take_help_all(words);
  const char* const rare = all ? "Options" : "";  // help omits options with an empty group
  app.add_flag("--help-markdown", markdown,
               "Print the options of every command, in the form of docs/reference/command-line.md")
      ->group(rare);
  app.add_option("--help-man", manual, "Print a manual page: brokkr, or brokkr-COMMAND")
      ->type_name("PAGE")
      ->group(rare);
  std::deque<CommandLine> lines;
  for (const Command& command : commands) {
    CLI::App* const sub = app.add_subcommand(command.name, command.summary);
    sub->group(heading_of(command.group));
    lines.emplace_back(command, *sub, all);
  }

  if (words.empty()) {
    std::cerr << app.help();
    return kUsageError;
  }
  if (const std::optional<int> code = read_words(app, words)) return *code;
  if (markdown || !manual.empty() || !shell.empty()) {
    std::cout << (markdown        ? markdown_page(commands)
                  : shell.empty() ? manual_page(commands, manual)
                                  : completion(commands, shell));
    return kSuccess;
  }
  const auto line = std::find_if(lines.begin(), lines.end(), [](const CommandLine& l) { return l.given(); });
  if (line == lines.end()) throw UsageError("there is no FILE and no COMMAND; see `brokkr --help`");
  const auto name = std::find(words.begin(), words.end(), line->name());
  return line->run({name + 1, words.end()});
}

}  // namespace

int run(int argc, const char* const* argv, const std::vector<Module>& modules) {
  const KeptInputs inputs;
  return run_guarded([&] { return parse_and_run({argv + 1, argv + argc}, modules); });
}

}  // namespace brokkr::app
