// Runs code in a forked child, so that a crash or hang does not end the test.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>
#include <string>

#include "base/sanitizers.h"

namespace brokkr::test {

// Returns the result of `work`, "throws: …", or "signal N" (14: it took longer than `limit_s`).
inline std::string in_child(const std::function<std::string()>& work, unsigned limit_s = 120) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(limit_s);
    std::string said;
    try {
      said = work();
    } catch (const std::exception& error) {
      said = std::string("throws: ") + error.what();
    }
    const char* at = said.data();
    for (size_t left = said.size(); left > 0;) {
      const ssize_t wrote = write(ends[1], at, left);
      if (wrote <= 0) break;
      at += wrote;
      left -= size_t(wrote);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, size_t(got));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "no child";
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? said : "exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace brokkr::test
