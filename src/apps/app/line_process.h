// A program of its own that answers requests: it is started, asked and ended.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace brokkr::app {

// A program that answers requests, one line each.
class LineProcess {
 public:
  // Starts `command` with `environment` added to this process's own; its standard error goes to the file `log`. Throws
  // std::runtime_error where it cannot be started.
  LineProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
              std::filesystem::path log);
  ~LineProcess();  // ends it
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  void send(const std::string& line);
  // The next line of its standard output. Throws std::runtime_error with the last words of its standard error where the
  // program has ended, and where it writes nothing for `seconds`; the program is then ended.
  std::string receive(int seconds);

 private:
  [[noreturn]] void fail(const std::string& what);

  std::string name_;
  std::filesystem::path log_;
  pid_t process_ = -1;
  int socket_ = -1;
  std::string pending_;  // received beyond the last line
};

}  // namespace brokkr::app
