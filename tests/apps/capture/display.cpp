#include "display.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace brokkr::capture_test {

VirtualDisplay::VirtualDisplay() {
  int ends[2];
  if (pipe(ends) != 0) return;
  server_ = fork();
  if (server_ == 0) {
    const int silent = open("/dev/null", O_RDWR);
    dup2(silent, 0);
    dup2(silent, 2);
    dup2(ends[1], 1);
    execlp("Xvfb", "Xvfb", "-displayfd", "1", "-screen", "0", "1280x720x24", "+extension", "GLX", "-nolisten", "tcp",
           static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  // The server writes its number and a newline once it accepts connections.
  std::string text;
  for (char c = 0; text.size() < 16;) {
    pollfd ready{ends[0], POLLIN, 0};
    if (poll(&ready, 1, 20000) <= 0 || read(ends[0], &c, 1) != 1 || c == '\n') break;
    text += c;
  }
  close(ends[0]);
  if (!text.empty()) name_ = ":" + text;
}

VirtualDisplay::~VirtualDisplay() {
  if (server_ <= 0) return;
  kill(server_, SIGTERM);
  waitpid(server_, nullptr, 0);
}

}  // namespace brokkr::capture_test
