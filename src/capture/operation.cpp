// The layer's work inside one GL call of the application, and the proof that it leaves no trace.
#include <atomic>
#include <cstdio>

#include "capture/feedback.h"
#include "capture/recorder.h"
#include "capture/report.h"
#include "capture/session.h"
#include "capture/settings.h"
#include "capture/state_guard.h"

namespace brokkr::capture {
namespace {

std::map<std::string, std::string> read_state_text(const Context& context) {
  std::map<std::string, std::string> result;
  for (const auto& [name, values] : read_state_values(context)) {
    std::string text;
    char number[32];
    for (double value : values) {
      std::snprintf(number, sizeof(number), "%.9g ", value);
      text += number;
    }
    result[name] = text;
  }
  return result;
}

void take_own_errors() {
  for (int i = 0; i < 16 && GL(GetError)() != GL_NO_ERROR; i++) {
  }
}

}  // namespace

Operation::Operation(Context& context, const char* name) : context_(context), name_(name) {
  drain_errors(context);
  if (!context.errors.empty()) g_pending_errors.store(true, std::memory_order_relaxed);
  if (settings().check_state) {
    before_ = read_state_text(context);
    take_own_errors();
  }
}

Operation::~Operation() {
  take_own_errors();
  if (!settings().check_state) return;
  const std::map<std::string, std::string> after = read_state_text(context_);
  take_own_errors();
  for (const auto& [state, value] : after) {
    const auto found = before_.find(state);
    if (found == before_.end() || found->second == value) continue;
    report(std::string(name_) + " left another " + state + ": " + value + "instead of " + found->second);
    g_state_differences.fetch_add(1, std::memory_order_relaxed);
  }
  g_state_checks.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace brokkr::capture
