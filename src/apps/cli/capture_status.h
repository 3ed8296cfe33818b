// Where `brokkr capture` hears from the capture layer (capture/settings.h): a socket that the program's processes
// inherit, and, for those that close it, one in a folder that only this user can enter. The system says who speaks.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "app/tool.h"

namespace brokkr::app {

class StatusChannel {
 public:
  struct Line {
    pid_t sender;  // as the system tells it
    std::string text;
  };

  // Throws std::runtime_error where no socket can be made.
  StatusChannel();
  ~StatusChannel();
  StatusChannel(const StatusChannel&) = delete;
  StatusChannel& operator=(const StatusChannel&) = delete;

  // The value of BROKKR_CAPTURE_STATUS.
  std::string address() const;
  // The end of the program, which this process need not keep once the program has begun.
  int inherited() const { return inherited_; }
  void close_inherited();

  // Waits for lines, for `milliseconds` at most, and returns some of those that are there. Who connects and is none of
  // the program's processes (`is_ours`) is not heard.
  std::vector<Line> read(int milliseconds, const std::function<bool(pid_t)>& is_ours);

 private:
  void accept_one(const std::function<bool(pid_t)>& is_ours);
  bool read_one(int file, pid_t sender, std::vector<Line>& lines) const;

  TemporaryFolder folder_;
  int ours_ = -1, inherited_ = -1, listener_ = -1;
  std::map<int, pid_t> connections_;  // by descriptor
};

}  // namespace brokkr::app
