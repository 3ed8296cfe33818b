#include "base/ending_signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

namespace brokkr {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// The handler stores `waiting` and then reads `living`. A file is counted in `living` before it reads `waiting`.
// Therefore either the handler sees the file, or the file sees the signal.
std::atomic<int> waiting{0};  // the signal
std::atomic<int> living{0};   // files

static_assert(std::atomic<int>::is_always_lock_free);

// Calls only functions that a signal handler may call.
void end_by(int signal) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
}

void on_signal(int signal) {
  waiting.store(signal);
  if (living.load() == 0) end_by(signal);
}

void leave() {
  if (living.fetch_sub(1) == 1 && waiting.load() != 0) end_by(waiting.load());
}

}  // namespace

void end_after_files_in_the_making() {
  for (const int signal : kSignals) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART | SA_RESETHAND;
    sigaction(signal, &action, nullptr);
  }
}

FileInTheMaking::FileInTheMaking() {
  living.fetch_add(1);
  if (waiting.load() == 0) return;
  leave();
  while (true) pause();  // the last living file ends the program
}

FileInTheMaking::~FileInTheMaking() { leave(); }

bool FileInTheMaking::must_end() { return waiting.load() != 0; }

}  // namespace brokkr
