#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "app/parse.h"
#include "base/nearest_name.h"
#include "brokkr/version.h"
#include "cli/commands.h"
#include "cli/pages.h"

namespace brokkr::app {
namespace {

// `brokkr FILE…` is `brokkr view FILE…` where there is a display, and `brokkr render FILE…` elsewhere; with options it
// is always the latter.
std::vector<std::string> with_command(const std::vector<Command>& commands, std::vector<std::string> words) {
  if (words.empty() && std::getenv("DISPLAY") != nullptr && can_view()) return {"view"};  // its start screen
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
      "A streaming software rendering pipeline: game frames and OBJ scenes in, pictures and statistics out.\n"
      "`brokkr FILE` shows FILE in a window; without a display it renders it to a PNG of the same name in the current "
      "folder.");
  app.name("brokkr");
  set_usage(app, "brokkr FILE, or brokkr COMMAND [options]");
  app.set_version_flag("--version", "brokkr " BROKKR_VERSION);
  bool markdown = false;
  std::string manual, shell;
  app.add_flag("--help-markdown", markdown, "Print every command's options as docs/reference/command-line.md has them");
  app.add_option("--help-man", manual, "Print a manual page: brokkr, or brokkr-COMMAND")->type_name("PAGE");
  app.add_option("--completion", shell, "Print the completion script of bash, zsh or fish")->type_name("SHELL");
  std::deque<CommandLine> lines;
  for (const Command& command : commands)
    lines.emplace_back(command, *app.add_subcommand(command.name, command.summary));

  const std::vector<std::string> words = with_command(commands, given);
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
  return run_guarded([&] { return parse_and_run({argv + 1, argv + argc}, modules); });
}

}  // namespace brokkr::app
