// Reads command lines: translates each command's options to CLI11, for both `brokkr` and the window's program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/command.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace brokkr::app {

// "brokkr render [FILE…] [options]".
std::string usage(const Command& command);

// Makes this line the first of the help of `app`. CLI11's own usage line counts positional arguments, which readers do
// not need.
void set_usage(CLI::App& app, const std::string& line);

// Returns an empty string if `value` is valid for `option`, otherwise one line that says what is valid.
std::string problem_with(const Option& option, const std::string& value);

// A command's options in a parser. The command and the parser must outlive this object.
class CommandLine {
 public:
  // If `all` is false, help shows only the common options.
  CommandLine(const Command& command, CLI::App& app, bool all = true);
  const std::string& name() const { return command_.name; }
  bool given() const;
  // Runs the command with the values that the parser has read. `words`: the words after the command's name. Throws
  // UsageError.
  int run(std::vector<std::string> words) const;

 private:
  const Command& command_;
  CLI::App& app_;
  std::vector<CLI::Option*> options_;  // as in the command
};

// Replaces --help-all by --help, anywhere before "--". Returns false if only --help was given, so that help shows the
// common options; otherwise true. Errors of the parser do not name options that help leaves out, so without any help
// option the result is true.
bool take_help_all(std::vector<std::string>& words);

// Reads the words. Returns the exit code if nothing remains to do because help or the version was printed. Throws
// UsageError.
std::optional<int> read_words(CLI::App& app, std::vector<std::string> words);

// Runs a program that has only one command.
int run_command(const Command& command, std::vector<std::string> words);

// Runs `body`. Any exception becomes one line on standard error and an exit code.
int run_guarded(const std::function<int()>& body);

}  // namespace brokkr::app
