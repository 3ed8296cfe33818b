// Simulates weak memory: stores that only their thread or block sees for a while (BROKKR_PTX_STORES), and loads that
// return older values (BROKKR_PTX_STALE). Both are stronger than the PTX memory model requires.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

namespace brokkr::ptx {

struct Random {
  uint64_t state = 0x9e3779b97f4a7c15u;
  uint64_t next() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
  }
  uint32_t below(uint32_t n) { return uint32_t((next() >> 32) * n >> 32); }
};

// A store that other threads do not see yet.
struct HeldStore {
  uint8_t* to;
  uint8_t bytes;
  uint64_t until;  // it becomes visible at this time at the latest
  uint8_t value[16];

  bool overlaps(const uint8_t* at, uint32_t n) const { return to < at + n && at < to + bytes; }
};

// The stores that a lane must see: for each block, its stores up to a time.
struct LaneView {
  static constexpr uint32_t kBlocks = 16;  // other blocks share an entry
  uint64_t synchronized[kBlocks] = {};

  void synchronize(uint64_t now) { std::fill(synchronized, synchronized + kBlocks, now); }
  void synchronize_with(uint32_t block, uint64_t now) { synchronized[block % kBlocks] = now; }
  void join(const LaneView& other) {
    for (uint32_t i = 0; i < kBlocks; ++i) synchronized[i] = std::max(synchronized[i], other.synchronized[i]);
  }
};
// For each word, the latest store that a lane of a block has seen. After that, all lanes of the block see that store or
// a later one, which is more than the model requires.
using SeenStores = std::unordered_map<uint64_t, uint64_t>;

// Older values of overwritten words.
class StoreHistory {
 public:
  uint64_t now() const { return time_; }
  void forget() {
    words_.clear();
    messages_.clear();
  }

  // Stores the view that a release leaves with a word for a later acquire. `keep`: merges it with the current view.
  void send(const uint8_t* at, const LaneView& view, bool keep) {
    LaneView& message = messages_[granule_of(at)];
    if (!keep) message = LaneView();
    message.join(view);
  }
  void receive(const uint8_t* at, LaneView& view) const {
    const auto message = messages_.find(granule_of(at));
    if (message != messages_.end()) view.join(message->second);
  }
  void drop_messages(const uint8_t* at, uint32_t bytes) {
    for (uint64_t granule = granule_of(at); granule < reinterpret_cast<uint64_t>(at) + bytes; granule += 4)
      messages_.erase(granule);
  }

  // Call before a block changes bytes.
  void overwrite(const uint8_t* at, uint32_t bytes, uint32_t block, SeenStores& seen) {
    ++time_;
    for_words(at, bytes, [&](uint64_t word) {
      Versions& versions = words_[word];
      Version& old = versions.old[versions.count++ % kVersions];
      old.until = time_;
      old.value = *reinterpret_cast<const uint64_t*>(word);
      old.block = block % LaneView::kBlocks;
      for (uint64_t half = 0; half < 2; ++half) {
        const auto message = messages_.find(word + 4 * half);
        old.message[half] = message == messages_.end() ? nullptr : std::make_unique<LaneView>(message->second);
      }
      seen[word] = time_;
    });
  }
  // A load of `bytes` from `from`, whose newest value is in `to`. An acquire takes over the view that was released with
  // the value.
  struct Load {
    const uint8_t* from;
    void* to;
    uint32_t bytes;
    bool acquire;
  };
  // May replace the value by an older one.
  void look_back(const Load& load, LaneView& view, SeenStores& seen_stores, Random& random) const {
    const auto [from, to, bytes, acquire] = load;
    const uint64_t address = reinterpret_cast<uint64_t>(from), word = address & ~uint64_t(7);
    const auto known = words_.find(word);
    if (known == words_.end() || address + bytes > word + 8) {
      if (acquire) receive(from, view);
      return;
    }
    const Versions& versions = known->second;
    const uint32_t have = std::min(versions.count, kVersions);
    uint64_t& seen = seen_stores[word];
    uint32_t back = 0;  // number of versions that may be missed
    while (back < have) {
      const Version& old = versions.old[(versions.count - 1 - back) % kVersions];
      if (old.until <= seen || old.until <= view.synchronized[old.block]) break;
      ++back;
    }
    if (random.below(2) == 0) back = random.below(back + 1);
    if (back > 0) {
      const Version& old = versions.old[(versions.count - back) % kVersions];
      std::memcpy(to, reinterpret_cast<const uint8_t*>(&old.value) + (address - word), bytes);
      const std::unique_ptr<LaneView>& message = old.message[(address - word) / 4];
      if (acquire && message != nullptr) view.join(*message);
    } else if (acquire) {
      receive(from, view);
    }
    if (back < have) seen = std::max(seen, versions.old[(versions.count - 1 - back) % kVersions].until);
  }

 private:
  static constexpr uint32_t kVersions = 4;
  struct Version {
    uint64_t until = 0, value = 0;
    uint32_t block = 0;                    // the block that wrote the next value
    std::unique_ptr<LaneView> message[2];  // left with each half of the word
  };
  struct Versions {
    Version old[kVersions];
    uint32_t count = 0;
  };
  static uint64_t granule_of(const uint8_t* at) { return reinterpret_cast<uint64_t>(at) & ~uint64_t(3); }
  template <class F>
  static void for_words(const uint8_t* at, uint32_t bytes, F&& f) {
    const uint64_t begin = reinterpret_cast<uint64_t>(at);
    for (uint64_t word = begin & ~uint64_t(7); word < begin + bytes; word += 8) f(word);
  }

  std::unordered_map<uint64_t, Versions> words_;
  std::unordered_map<uint64_t, LaneView> messages_;  // for each 4 bytes, so that neighbours are separate
  uint64_t time_ = 1;
};

}  // namespace brokkr::ptx
