// A program that answers requests, one line each: how `brokkr bench` talks to its peers.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace brokkr::app {

class LineProcess {
 public:
  // Starts `command` with `environment` added to this process's own; what it says on standard error goes to the file
  // `log`. Throws std::runtime_error where it cannot be started.
  LineProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
              std::filesystem::path log);
  ~LineProcess();  // ends it
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  void send(const std::string& line);
  // The next line that it writes. Throws std::runtime_error with the last words on its standard error where it ended,
  // and where it says nothing for `seconds`; it is ended then.
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
