#include "inspect/texel_watch.h"

#include <sys/mman.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "plan/prepare.h"

namespace brokkr {
namespace {

// Opened blocks alternate with closed ones, and Linux tracks at most 65 530 such memory ranges.
constexpr size_t kMostBlocks = 30000;

std::atomic<TexelWatch*> active = nullptr;
struct sigaction before;

// An access to other memory is a fault, as without the watch: the handler is removed, and the fault happens again.
void on_access(int, siginfo_t* info, void*) {
  const int error = errno;
  TexelWatch* const watch = active.load();
  if (watch == nullptr || !watch->open(info->si_addr)) sigaction(SIGSEGV, &before, nullptr);
  errno = error;
}

}  // namespace

TexelWatch::TexelWatch(const PreparedFrame& prepared) {
  const std::vector<uint32_t>& texels = PreparedFrame::Impl::of(prepared).programs.textures().texels;
  texels_ = reinterpret_cast<const std::byte*>(texels.data());
  const auto page = size_t(sysconf(_SC_PAGESIZE));
  const size_t bytes = texels.size() * sizeof(uint32_t);
  const size_t skipped = (page - reinterpret_cast<uintptr_t>(texels_) % page) % page;
  const size_t pages = bytes > skipped ? (bytes - skipped) / page : 0;
  block_bytes_ = page;
  while (pages * page / block_bytes_ > kMostBlocks) block_bytes_ *= 2;
  blocks_ = pages * page / block_bytes_;
  // The texels belong to the prepared frame and are not constant there: planes are copied into them.
  start_ = const_cast<std::byte*>(texels_ + std::min(skipped, bytes));
  used_ = std::make_unique<std::atomic<bool>[]>(blocks_);
}

TexelWatch::~TexelWatch() { end(); }

void TexelWatch::begin() {
  if (watching_ || blocks_ == 0) return;
  active.store(this);
  struct sigaction action {};
  action.sa_sigaction = on_access;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGSEGV, &action, &before) != 0) throw std::system_error(errno, std::generic_category(), "sigaction");
  watching_ = true;
  if (mprotect(start_, blocks_ * block_bytes_, PROT_NONE) == 0) return;
  const int error = errno;
  end();
  throw std::system_error(error, std::generic_category(), "mprotect");
}

void TexelWatch::end() {
  if (!watching_) return;
  mprotect(start_, blocks_ * block_bytes_, PROT_READ | PROT_WRITE);
  sigaction(SIGSEGV, &before, nullptr);
  active.store(nullptr);
  watching_ = false;
}

bool TexelWatch::open(const void* address) noexcept {
  const auto offset = size_t(reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(start_));
  const size_t block = offset / block_bytes_;
  if (block >= blocks_) return false;
  used_[block].store(true);
  // If the system cannot track another range, everything is opened.
  if (mprotect(start_ + block * block_bytes_, block_bytes_, PROT_READ | PROT_WRITE) == 0) return true;
  for (size_t i = 0; i < blocks_; ++i) used_[i].store(true);
  return mprotect(start_, blocks_ * block_bytes_, PROT_READ | PROT_WRITE) == 0;
}

bool TexelWatch::was_used(uint64_t first, uint64_t count) const {
  const std::byte* const begin = texels_ + first * sizeof(uint32_t);
  const std::byte* const end = begin + count * sizeof(uint32_t);
  if (begin < start_ || end > start_ + blocks_ * block_bytes_) return true;
  for (auto block = size_t(begin - start_) / block_bytes_; start_ + block * block_bytes_ < end; ++block) {
    if (used_[block].load()) return true;
  }
  return false;
}

}  // namespace brokkr
