#include "linearizability.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <unordered_set>

namespace brokkr::queue_test {
namespace {

class Search {
 public:
  Search(const std::vector<Operation>& history, size_t capacity) : history_(history), capacity_(capacity) {}

  // `placed` has a bit for each operation that has taken effect; `content` is the queue's content after them.
  bool from(uint64_t placed, const std::u32string& content) {
    const size_t n = history_.size();
    if (placed == (n == 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1)) return true;
    std::u32string key = content;
    key += {char32_t(placed), char32_t(placed >> 32)};
    if (!seen_.insert(std::move(key)).second) return false;
    // The next operation must have been called before any of the remaining ones returned.
    uint64_t first_return = ~uint64_t(0);
    for (size_t i = 0; i < n; ++i) {
      if ((placed >> i & 1u) == 0) first_return = std::min(first_return, history_[i].returned);
    }
    for (size_t i = 0; i < n; ++i) {
      const Operation& o = history_[i];
      if ((placed >> i & 1u) != 0 || o.called > first_return) continue;
      const uint64_t with = placed | uint64_t(1) << i;
      if (o.enqueue && o.done) {
        if (capacity_ != 0 && content.size() >= capacity_) continue;
        if (from(with, content + char32_t(o.value))) return true;
      } else if (o.enqueue) {
        if (capacity_ != 0 && content.size() >= capacity_ && from(with, content)) return true;
      } else if (o.done) {
        if (!content.empty() && content[0] == char32_t(o.value) && from(with, content.substr(1))) return true;
      } else if (content.empty() && from(with, content)) {
        return true;
      }
    }
    return false;
  }

 private:
  const std::vector<Operation>& history_;
  size_t capacity_;
  std::unordered_set<std::u32string> seen_;
};

}  // namespace

bool is_linearizable(const std::vector<Operation>& history, size_t capacity) {
  if (history.size() > 64) throw std::invalid_argument("linearizability: at most 64 operations");
  return Search(history, capacity).from(0, {});
}

std::string describe(std::vector<Operation> history) {
  std::sort(history.begin(), history.end(), [](const Operation& a, const Operation& b) { return a.called < b.called; });
  std::ostringstream text;
  for (const Operation& o : history) {
    text << "\n  " << o.called << " .. " << o.returned << (o.enqueue ? ": enqueue " : ": dequeue ");
    if (o.enqueue || o.done) text << o.value;
    if (!o.done) text << (o.enqueue ? " (full)" : "empty");
  }
  return text.str();
}

}  // namespace brokkr::queue_test
