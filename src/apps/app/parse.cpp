#include "app/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "app/stop_signals.h"
#include "app/text.h"
#include "base/nearest_name.h"
#include "brokkr/errors.h"
#include "plan/options.h"

namespace brokkr::app {
namespace {

int fail(int code, const std::string& message) {
  complain(message);
  return code;
}

class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return "Usage: " + usage_ + "\n"; }

 private:
  std::string usage_;
};

bool is_positional(const Option& option) { return option.names.front() != '-'; }

CLI::Option* add_option(CLI::App& app, const Option& option) {
  if (option.kind == ValueKind::flag) return app.add_flag(option.names, option.help);
  CLI::Option* const added = app.add_option(
      option.names, [](const CLI::results_t&) { return true; }, option.help);
  added->check([option](const std::string& value) { return problem_with(option, value); });
  // We check for missing positional arguments after parsing, because our message is better.
  if (is_positional(option)) {
    added->type_name("");
    added->expected(1, option.repeat ? 1 << 20 : 1)->allow_extra_args(option.repeat);
  } else {
    added->type_name(option.value);
    added->expected(1)->allow_extra_args(false);
    added->multi_option_policy(option.repeat ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::Throw);
  }
  return added;
}

// Devices and named pipes may have any name.
bool is_device(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_type type = std::filesystem::status(path, error).type();
  return path.starts_with("/dev/") || type == std::filesystem::file_type::character ||
         type == std::filesystem::file_type::fifo;
}

bool is_size(const Option& option, const std::string& value) try {
  const size_t cross = value.find('x');
  if (cross == std::string::npos) return false;
  whole_number(value.substr(0, cross), option.min, option.max);
  whole_number(value.substr(cross + 1), option.min, option.max);
  return true;
} catch (const std::invalid_argument&) {
  return false;
}

// The first word that `app` did not expect, with a suggestion or a remedy.
std::string about_unexpected(const CLI::App& app, const std::vector<std::string>& words) {
  const std::string& word = words.front();
  if (!word.starts_with('-')) return "'" + word + "' is one word too many";
  const auto used = app.get_subcommands();
  std::vector<std::string> known;
  for (const CLI::Option* const option : (used.empty() ? app : *used.front()).get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  std::string text = "there is no option '" + name + "'";
  if (name.starts_with("--")) text += did_you_mean(name, known);
  // Only commands have many options, and all of them are parsed as commands.
  const bool names_no_command = used.empty() && app.get_parent() == nullptr && !app.get_subcommands({}).empty();
  if (names_no_command && words.size() > 1)
    text += "; name the COMMAND first, as in `" + app.get_name() + " render FILE " + word + " …`";
  return text;
}

// The parser's own messages count words ("--size: At Most 1 required but received 2"). Ours say what to change.
std::string message_of(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unexpected = app.remaining(true);
  const auto is = [&](CLI::ExitCodes kind) { return error.get_exit_code() == static_cast<int>(kind); };
  if (is(CLI::ExitCodes::ExtrasError) && !unexpected.empty()) return about_unexpected(app, unexpected);
  const std::string text = one_line(error.what());
  const size_t colon = text.find(": "), required = text.find(" required ");
  if (!is(CLI::ExitCodes::ArgumentMismatch) || colon == std::string::npos) return text;
  const std::string name = text.substr(0, colon);
  if (text.find("At Most 1 required") != std::string::npos) return name + " is given more than once; give it once";
  if (required == std::string::npos || !text.ends_with(" missing")) return text;
  const size_t begin = required + std::string_view(" required ").size(), end = text.rfind(" missing");
  return name + ": its value is missing; write " + name + " " + text.substr(begin, end - begin);
}

}  // namespace

std::string usage(const Command& command) {
  std::string text = "brokkr " + command.name;
  for (const Option& option : command.options) {
    if (!is_positional(option)) continue;
    const std::string name = option.value + (option.repeat ? "…" : "");
    text += option.required ? " " + name : " [" + name + "]";
  }
  return text + " [options]";
}

void set_usage(CLI::App& app, const std::string& line) { app.formatter(std::make_shared<HelpFormat>(line)); }

std::string problem_with(const Option& option, const std::string& value) try {
  const bool known = std::find(option.choices.begin(), option.choices.end(), value) != option.choices.end();
  switch (option.kind) {
    case ValueKind::flag:
    case ValueKind::text: break;
    case ValueKind::file:
      if (value.empty()) return "the file name is empty";
      if (value.starts_with('=') && option.names.starts_with('-'))
        return "the file name begins with '='; write '" + value.substr(1) + "' after the option and a space";
      if (!option.ending.empty() && value != "-" && !is_device(value) && !value.ends_with(option.ending))
        return "'" + value + "' does not end in " + option.ending + "; name a file, or - to print";
      break;
    case ValueKind::integer: whole_number(value, option.min, option.max); break;
    case ValueKind::power_of_two: whole_number(value, option.min, option.max, true); break;
    case ValueKind::real: real_number(value, option.min, option.max); break;
    case ValueKind::size:
      if (!is_size(option, value))
        return "'" + value + "' is not WIDTHxHEIGHT, each of " + std::to_string(int64_t(option.min)) + " to " +
               std::to_string(int64_t(option.max));
      break;
    case ValueKind::choice:
      if (!known) refuse_choice(value, option.choices);
      break;
    case ValueKind::choice_or_file:
      if (known || value.find_first_of("./") != std::string::npos) break;
      refuse_choice(value, option.choices);
  }
  return {};
} catch (const std::invalid_argument& error) {
  return error.what();
}

CommandLine::CommandLine(const Command& command, CLI::App& app, bool all) : command_(command), app_(app) {
  set_usage(app, usage(command));
  size_t hidden = 0;
  for (const Option& option : command.options) {
    options_.push_back(add_option(app, option));
    if (!option.group.empty()) options_.back()->group(option.group);
    if (all || !option.rare) continue;
    options_.back()->group("");  // help leaves the group out
    ++hidden;
  }
  if (hidden > 0)
    app.footer("These are the common options. `brokkr " + command.name + " --help-all` shows " +
               std::to_string(hidden) + " more.");
}

bool take_help_all(std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  const auto found = std::find(words.begin(), end, "--help-all");
  if (found == end)
    return std::none_of(words.begin(), end, [](const std::string& word) { return word == "-h" || word == "--help"; });
  *found = "--help";
  return true;
}

bool CommandLine::given() const { return app_.parsed(); }

int CommandLine::run(std::vector<std::string> words) const try {
  std::map<std::string, std::vector<std::string>> found;
  for (size_t i = 0; i < options_.size(); ++i) {
    const Option& option = command_.options[i];
    if (options_[i]->count() > 0)
      found[key_of(option)] = options_[i]->results();
    else if (option.required)
      throw UsageError(option.value + " is missing");
  }
  const Arguments arguments(std::move(found), std::move(words));
  require_distinct_files(command_.options, arguments);
  const int code = command_.run(arguments);
  announce_files(command_.options, arguments);
  return code;
} catch (const UsageError& error) {
  throw UsageError(error.what() + ("; see `brokkr " + command_.name + " --help`"));
}

std::optional<int> read_words(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // the parser takes words from the back
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    const auto used = app.get_subcommands();
    const std::string command = used.empty() ? "" : " " + used.front()->get_name();
    throw UsageError(message_of(app, error) + "; see `" + app.get_name() + command + " --help`");
  }
  return std::nullopt;
}

int run_command(const Command& command, std::vector<std::string> words) {
  CLI::App app(command.summary);
  app.name("brokkr " + command.name);
  const CommandLine line(command, app, take_help_all(words));
  if (const std::optional<int> code = read_words(app, words)) return *code;
  return line.run(words);
}

namespace {

// The option that the library's remedy names.
std::string option_of(const MachineError& error) {
  const std::string& remedy = error.remedy();
  const auto has = [&](const char* word) { return remedy.find(word) != std::string::npos; };
  if (has("gpu_timeout_s")) return " (--gpu-timeout)";
  if (has("the CPU")) return " (--machine cpu)";
  return has("shaders ") ? " (--shaders, --machine)" : "";
}

}  // namespace

int run_guarded(const std::function<int()>& body) {
  int code = kFailure;
  try {
    code = body();
  } catch (const Stopped& stopped) {
    return fail(stopped.exit_code, stopped.line);
  } catch (const UsageError& error) {
    return fail(kUsageError, error.what());
  } catch (const std::invalid_argument& error) {
    return fail(kUsageError, error.what());  // an option outside the library's range
  } catch (const std::bad_alloc&) {
    return fail(kFailure, "not enough memory; choose a smaller --size, or a machine with more memory");
  } catch (const std::length_error&) {  // a container would exceed the address space
    return fail(kFailure, "not enough memory; choose a smaller --size, or a smaller file");
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(kFailure, error.path1().string() + ": " + error.code().message() +
                              "; check the name, the permissions of its folder, and that the current folder exists");
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) return fail(kFailure, error.what());
    return fail(kFailure,
                "workers: the system cannot start more threads; choose fewer --workers, or raise the limits of "
                "processes and memory (ulimit -u, ulimit -v)");
  } catch (const MachineError& error) {
    return fail(kFailure, error.what() + option_of(error));
  } catch (const std::exception& error) {
    return fail(kFailure, error.what());
  }
  if (!std::cout.flush()) return fail(kFailure, "standard output could not be written; is the disk full?");
  return code;
}

}  // namespace brokkr::app
