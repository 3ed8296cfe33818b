// Reads command lines: every command's options become CLI11's, for `brokkr` and for the window's own program alike.
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

// The help of `app` begins with this line; the parser's own counts positional arguments in a way that nobody reads.
void set_usage(CLI::App& app, const std::string& line);

// Empty where `value` is what `option` asks for, otherwise one line that says what is.
std::string problem_with(const Option& option, const std::string& value);

// A command's options in a parser. Both must outlive it.
class CommandLine {
 public:
  // Help shows all options, or without `all` those that people use first.
  CommandLine(const Command& command, CLI::App& app, bool all = true);
  const std::string& name() const { return command_.name; }
  bool given() const;
  // Runs the command with what the parser has read. `words`: those after the command's name. Throws UsageError.
  int run(std::vector<std::string> words) const;

 private:
  const Command& command_;
  CLI::App& app_;
  std::vector<CLI::Option*> options_;  // as in the command
};

// Makes --help of --help-all, wherever it stands before --. Returns whether help, if it is asked for, shows all
// options. Without a word of help it is true: the parser's errors do not name options that help leaves out.
bool take_help_all(std::vector<std::string>& words);

// Reads the words. Returns the exit code where that was all, as help or the version was printed. Throws UsageError.
std::optional<int> read_words(CLI::App& app, std::vector<std::string> words);

// A program that has one command only.
int run_command(const Command& command, std::vector<std::string> words);

// Runs `body`. Whatever it throws becomes one line on standard error and an exit code.
int run_guarded(const std::function<int()>& body);

}  // namespace brokkr::app
