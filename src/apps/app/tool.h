// Temporary folders, plots of logs, and other programs that answer.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "log/log_reader.h"

namespace brokkr::app {

// A temporary folder. The destructor removes it.
class TemporaryFolder {
 public:
  // Throws std::runtime_error if no folder can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Reads the curves of frame-time logs: of all applications, or of `application` alone. Throws std::runtime_error for a
// log that cannot be read and for more than kMaxPlottedLogs curves.
std::vector<FrameLog> read_curves(const std::vector<std::string>& logs, const std::string& application = {},
                                  bool strict = false);

// A child process that answers requests, one line each.
class LineProcess {
 public:
  // Starts `command`, adding `environment` to this process's variables; its standard error goes to the file `log`.
  // Throws std::runtime_error if it cannot be started.
  LineProcess(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
              std::filesystem::path log);
  ~LineProcess();  // ends the process
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  void send(const std::string& line);
  // Reads the next line of the process's standard output. Throws std::runtime_error with the last words of its standard
  // error if the process has ended or writes nothing for `seconds`; in the second case it is killed first.
  std::string receive(int seconds);

 private:
  [[noreturn]] void fail(const std::string& what);

  std::string name_;
  std::filesystem::path log_;
  pid_t process_ = -1;
  int socket_ = -1;
  std::string pending_;  // bytes received after the last complete line
};

}  // namespace brokkr::app
