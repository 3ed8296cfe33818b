#include "base/memory_budget.h"

#include "base/loading.h"

namespace brokkr {

MemoryBudget::MemoryBudget(int limit_mib, std::string remedy, std::string source)
    : limit_(memory_limit_bytes(limit_mib)), remedy_(std::move(remedy)), source_(std::move(source)) {}

void MemoryBudget::check(uint64_t bytes, std::string_view field) const {
  const uint64_t used = used_.load(std::memory_order_relaxed);
  require_memory(bytes > ~used ? ~uint64_t(0) : used + bytes, limit_, field, source_, remedy_);
}

void MemoryBudget::take(uint64_t bytes, std::string_view field) {
  check(bytes, field);
  used_.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace brokkr
