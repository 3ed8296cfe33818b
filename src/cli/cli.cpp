#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "app/text.h"
#include "app/value_check.h"
#include "app/view_request.h"
#include "brokkr/version.h"
#include "cli/commands.h"
#include "cli/markdown.h"

namespace brokkr::app {
namespace {

// Messages of libraries can have several lines and quote a file's bytes; an error of ours is one line of text.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return printable(text);
}

int fail(int code, const std::string& message) {
  std::cout.flush();
  std::cerr << "brokkr: " << one_line(message) << '\n';
  return code;
}

// Replaces the parser's own usage line, which does not name positional arguments clearly.
class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }

 private:
  std::string usage_;
};

// A command, and the words that the parser found for it.
struct Parsed {
  const Command* command = nullptr;
  CLI::App* app = nullptr;
  std::deque<bool> flags;
  std::deque<std::vector<std::string>> values;
};

void add_option(Parsed& parsed, const Option& option) {
  if (option.kind == ValueKind::flag) {
    parsed.flags.push_back(false);
    CLI::Option* flag = parsed.app->add_flag(option.names, parsed.flags.back(), option.help);
    if (!option.group.empty()) flag->group(option.group);
    return;
  }
  const bool positional = option.names.front() != '-';
  parsed.values.emplace_back();
  CLI::Option* added = parsed.app->add_option(option.names, parsed.values.back(), option.help);
  // Required positional arguments are checked after parsing, with a message of ours.
  if (positional) {
    added->type_name("");
    added->expected(1, option.repeat ? 1 << 20 : 1)->allow_extra_args(option.repeat);
  } else {
    added->type_name(option.value);
    added->expected(1)->allow_extra_args(false);
    added->multi_option_policy(option.repeat ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::Throw);
  }
  if (!option.group.empty()) added->group(option.group);
}

// Checks the given values and passes them on by name. Throws UsageError.
Arguments arguments_of(const Parsed& parsed) {
  std::map<std::string, std::vector<std::string>> found;
  size_t flag = 0, value = 0;
  for (const Option& option : parsed.command->options) {
    const std::string name = key_of(option);
    const bool positional = option.names.front() != '-';
    if (option.kind == ValueKind::flag) {
      if (parsed.flags[flag++]) found[name] = {"true"};
      continue;
    }
    const std::vector<std::string>& given = parsed.values[value++];
    if (given.empty() && option.required) throw UsageError(option.value + " is missing");
    if (given.size() > 1 && !option.repeat) throw UsageError("--" + name + ": given more than once");
    for (const std::string& text : given) {
      const std::string error = check_value(option, text);
      if (!error.empty()) throw UsageError((positional ? option.value : "--" + name) + ": " + error);
    }
    if (!given.empty()) found[name] = given;
  }
  return Arguments(std::move(found));
}

// `brokkr FILE…` is `brokkr view FILE…` where there is a display, and `brokkr render FILE…` elsewhere; with options it
// is always the latter.
std::vector<std::string> with_command(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const auto is_command = [&](const Command& command) { return command.name == words.front(); };
  if (!words.empty() && words.front().front() != '-' &&
      std::none_of(commands().begin(), commands().end(), is_command)) {
    const bool looks_like_a_file = words.front().find_first_of("./:") != std::string::npos;
    std::error_code ignored;
    if (!looks_like_a_file && !std::filesystem::exists(words.front(), ignored)) {
      throw UsageError("'" + words.front() + "' is neither a command nor a file; see `brokkr --help`");
    }
    const auto is_option = [](const std::string& word) { return word.starts_with('-'); };
    const bool window = std::none_of(words.begin(), words.end(), is_option) && has_display() && find_viewer();
    words.insert(words.begin(), window ? "view" : "render");
  }
  return words;
}

int parse_and_run(int argc, const char* const* argv) {
  CLI::App app(
      "A streaming software rendering pipeline: game frames and OBJ scenes in, pictures and statistics out.\n"
      "`brokkr FILE` shows FILE in a window; without a display it renders it to a PNG of the same name in the current "
      "folder.");
  app.name("brokkr");
  app.formatter(std::make_shared<HelpFormat>("brokkr FILE, or brokkr COMMAND [options]"));
  app.set_version_flag("--version", "brokkr " BROKKR_VERSION);
  bool markdown = false;
  app.add_flag("--help-markdown", markdown, "Print every command's options as docs/command-line.md has them");
  std::deque<Parsed> all;
  for (const Command& command : commands()) {
    Parsed& parsed = all.emplace_back();
    parsed.command = &command;
    parsed.app = app.add_subcommand(command.name, command.summary);
    parsed.app->formatter(std::make_shared<HelpFormat>(usage(command)));
    for (const Option& option : command.options) add_option(parsed, option);
  }

  std::vector<std::string> words = with_command(argc, argv);
  if (words.empty()) {
    std::cerr << app.help();
    return kUsageError;
  }
  std::reverse(words.begin(), words.end());  // the parser takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
      return app.exit(error);  // --help, --version
    const auto used = app.get_subcommands();
    const std::string command = used.empty() ? "" : " " + used.front()->get_name();
    return fail(kUsageError, one_line(error.what()) + "; see `brokkr" + command + " --help`");
  }
  if (markdown) {
    std::cout << to_markdown(commands());
    return kSuccess;
  }
  for (const Parsed& parsed : all) {
    if (!parsed.app->parsed()) continue;
    try {
      return parsed.command->run(arguments_of(parsed));
    } catch (const UsageError& error) {
      return fail(kUsageError, error.what() + ("; see `brokkr " + parsed.command->name + " --help`"));
    }
  }
  return kUsageError;
}

}  // namespace

int run(int argc, const char* const* argv) {
  int code = kFailure;
  try {
    code = parse_and_run(argc, argv);
  } catch (const UsageError& error) {
    return fail(kUsageError, error.what());
  } catch (const std::invalid_argument& error) {
    return fail(kUsageError, error.what());  // an option out of the library's range
  } catch (const std::bad_alloc&) {
    return fail(kFailure, "not enough memory for this; choose a smaller --size, or a machine with more");
  } catch (const std::exception& error) {
    return fail(kFailure, error.what());
  }
  if (!std::cout.flush()) return fail(kFailure, "standard output could not be written; is the disk full?");
  return code;
}

}  // namespace brokkr::app
