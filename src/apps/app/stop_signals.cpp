#include "app/stop_signals.h"

#include "app/command.h"

namespace brokkr::app {
namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

volatile std::sig_atomic_t noted = 0;
void note(int signal) { noted = signal; }

const char* name_of(int signal) { return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : ""; }

}  // namespace

StopSignals::StopSignals() {
  noted = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &before_[i]);
    // A program in the background of a shell ignores Ctrl-C, which is meant for another one.
    if (before_[i].sa_handler == SIG_IGN) sigaction(kSignals[i], &before_[i], nullptr);
  }
}

StopSignals::~StopSignals() {
  noted = 0;
  for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

int StopSignals::number() { return noted; }

std::string StopSignals::name() const { return name_of(number()); }

void StopSignals::check() {
  const int signal = number();
  if (signal == 0) return;
  const std::string name = name_of(signal);
  throw Stopped{name, 128 + signal, "ended by " + name + "; nothing was written"};
}

int StopSignals::exit_code() const { return stopped() ? 128 + number() : kSuccess; }

}  // namespace brokkr::app
