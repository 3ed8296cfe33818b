#include "ranks/model.h"

#include <algorithm>
#include <queue>

#include "ranks/transport.h"

namespace brokkr::ranks {
namespace {

constexpr double kBytesPerUs = 1000;  // 1 GB/s

// One segment's merges on all ranks, as in the paper. A rank does one thing at a time: it projects its share of the
// next merge if it may, and otherwise draws the oldest merge whose ids it has completely.
class SegmentModel {
 public:
  SegmentModel(const SegmentLoad& load, const ModelSettings& settings)
      : load_(load),
        settings_(settings),
        n_(size_t(settings.ranks)),
        ranks_(n_),
        projected_(load.merges.size(), std::vector<bool>(n_, false)) {}

  // Returns the time at which the last rank has drawn everything.
  double run() {
    for (size_t r = 0; r < n_; ++r) start(r, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      switch (event.kind) {
        case Kind::projected:
          projected_[event.merge][event.rank] = true;
          ++ranks_[event.rank].projected;
          end_work(event.rank);
          advance_turn();
          break;
        case Kind::drawn:
          ++ranks_[event.rank].drawn;
          end_work(event.rank);
          break;
        case Kind::turn:
          turn_is_here_ = true;
          advance_turn();
          break;
        case Kind::given:
          ++ranks_[event.rank].given;
          if (!ranks_[event.rank].busy) start(event.rank, now_);
          break;
      }
    }
    return now_;
  }
  double drawing_us(size_t rank) const { return ranks_[rank].drawing_us; }
  uint64_t bytes() const { return bytes_; }

 private:
  enum class Kind : uint8_t { projected, drawn, turn, given };
  struct Event {
    double at;
    Kind kind;
    size_t rank, merge;
    uint64_t number;  // events at the same time run in order of creation
    bool operator<(const Event& other) const { return at != other.at ? at > other.at : number > other.number; }
  };
  struct Rank {
    size_t projected = 0, given = 0, drawn = 0;  // numbers of merges
    bool busy = false;
    double drawing_us = 0;
  };

  void at(double time, Kind kind, size_t rank, size_t merge) { events_.push({time, kind, rank, merge, number_++}); }

  void end_work(size_t r) {
    ranks_[r].busy = false;
    start(r, now_);
  }

  void start(size_t r, double time) {
    Rank& rank = ranks_[r];
    const size_t merges = load_.merges.size();
    // With runahead, one merge may be projected while the previous one is distributed.
    const size_t ahead = settings_.runahead ? 1 : 0;
    if (rank.projected < merges && rank.projected <= rank.given + ahead) {
      rank.busy = true;
      at(time + load_.merges[rank.projected].project_us[r], Kind::projected, r, rank.projected);
    } else if (rank.drawn < rank.given) {
      rank.busy = true;
      const double us = load_.merges[rank.drawn].render_us[r];
      rank.drawing_us += us;
      at(time + us, Kind::drawn, r, rank.drawn);
    }
  }

  double hop_us() const { return settings_.network.hop_ns / 1000; }
  double latency(size_t from, size_t to) const {
    if (settings_.network.topology == ranks::Topology::hub) return 2 * hop_us();
    return double(from > to ? from - to : to - from) * hop_us();
  }

  // The rank whose turn it is distributes its ids after projecting. When the next rank hears of that, it gets its turn.
  void advance_turn() {
    if (!turn_is_here_ || turn_merge_ == load_.merges.size() || !projected_[turn_merge_][turn_rank_]) return;
    const MergeLoad& merge = load_.merges[turn_merge_];
    const Network& network = settings_.network;
    const uint64_t left = merge.left[turn_rank_], right = merge.right[turn_rank_];
    bytes_ += left + right;
    const double most = network.topology == ranks::Topology::line
                            ? double(std::max(left, right)) / (network.link_gb_s * kBytesPerUs)
                            : double(left + right) / (std::min(network.link_gb_s, network.hub_gb_s) * kBytesPerUs);
    const double end = now_ + most;
    const size_t sender = turn_rank_;
    const bool last = sender + 1 == n_;
    if (last) {
      for (size_t r = 0; r < n_; ++r) at(end + (r == sender ? 0 : latency(sender, r)), Kind::given, r, turn_merge_);
      ++turn_merge_;
      turn_rank_ = 0;
    } else {
      ++turn_rank_;
    }
    turn_is_here_ = false;
    at(end + latency(sender, turn_rank_), Kind::turn, turn_rank_, turn_merge_);
  }

  const SegmentLoad& load_;
  const ModelSettings& settings_;
  size_t n_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<bool>> projected_;
  std::priority_queue<Event> events_;
  uint64_t number_ = 0, bytes_ = 0;
  double now_ = 0;
  size_t turn_merge_ = 0, turn_rank_ = 0;
  bool turn_is_here_ = true;
};

// The time at which a rank that has waited since `begin` notices a message of time `arrival`, because it waits in
// sleeps.
double noticed(double begin, double arrival, const ModelSettings& settings) {
  double now = begin;
  while (now < arrival) now += turn_us(now - begin) + settings.oversleep_us;
  return now;
}

// One segment's merges on all ranks, as Brokkr runs them: after projecting a merge, a rank first receives the ids of
// the previous merge and then sends its own.
class SegmentHere {
 public:
  SegmentHere(const SegmentLoad& load, const ModelSettings& settings)
      : load_(load), settings_(settings), clock_(size_t(settings.ranks)) {}

  // Returns the time at which the last rank has drawn everything.
  double run() {
    std::vector<double> given(clock_.size(), 0);
    for (const MergeLoad& merge : load_.merges) {
      for (size_t r = 0; r < clock_.size(); ++r) {
        clock_[r] += merge.project_us[r];
        if (settings_.runahead) clock_[r] = noticed(clock_[r], given[r], settings_);
      }
      given = distribute(merge);
      for (size_t r = 0; r < clock_.size() && !settings_.runahead; ++r)
        clock_[r] = noticed(clock_[r], given[r], settings_);
    }
    double end = 0;
    for (size_t r = 0; r < clock_.size(); ++r)
      end = std::max(end, noticed(clock_[r], given[r], settings_) + whole_us(r));
    return end;
  }
  double drawing_us(size_t rank) const {
    double sum = 0;
    for (const MergeLoad& merge : load_.merges) sum += merge.render_us[rank];
    return sum;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  double whole_us(size_t rank) const { return load_.whole_us.empty() ? drawing_us(rank) : load_.whole_us[rank]; }

  // The time at which each rank has the ids of all others.
  std::vector<double> distribute(const MergeLoad& merge) {
    const Network& network = settings_.network;
    const bool line = network.topology == ranks::Topology::line;
    std::vector<double> given = clock_;
    for (size_t s = 0; s < clock_.size(); ++s) {
      const uint64_t most = line ? std::max(merge.left[s], merge.right[s]) : merge.left[s] + merge.right[s];
      bytes_ += merge.left[s] + merge.right[s];
      for (size_t r = 0; r < clock_.size(); ++r) {
        if (r == s) continue;
        const double hops = line ? double(r > s ? r - s : s - r) : 2;
        given[r] = std::max(
            given[r], clock_[s] + double(most) / (network.link_gb_s * kBytesPerUs) + hops * network.hop_ns / 1000);
      }
    }
    return given;
  }

  const SegmentLoad& load_;
  const ModelSettings& settings_;
  std::vector<double> clock_;
  uint64_t bytes_ = 0;
};

// In a line, ranks broadcast in turn, and each rank copies what it passes on. Around a hub, all broadcast at once: a
// link carries what its rank receives, and the switch forwards what all receive. As Brokkr runs it, all send to all at
// once.
double exchange_us(uint64_t bytes, const ModelSettings& settings) {
  if (bytes == 0 || settings.ranks == 1) return 0;
  const Network& network = settings.network;
  if (settings.as_here) {
    const double sent = double(bytes) * double(settings.ranks - 1) / double(settings.ranks);
    return noticed(0, sent / (network.link_gb_s * kBytesPerUs) + network.hop_ns / 1000, settings);
  }
  const auto n = double(settings.ranks);
  if (network.topology == ranks::Topology::line)
    return double(bytes) / (network.link_gb_s * kBytesPerUs) + (n - 1) * network.hop_ns / 1000;
  const double received = double(bytes) * (n - 1) / n, forwarded = double(bytes) * (network.hub_multicast ? 1 : n - 1);
  return std::max(received / network.link_gb_s, forwarded / network.hub_gb_s) / kBytesPerUs + 2 * network.hop_ns / 1000;
}

}  // namespace

ModelResult run_model(const std::vector<SegmentLoad>& segments, double geometry_us, const ModelSettings& settings) {
  ModelResult result;
  const auto n = size_t(settings.ranks);
  double stall = 0, sync = 0;
  // A launch on all ranks. No rank waits for another during it.
  const auto launch = [&](const std::vector<double>& us, const std::vector<double>& whole_us) {
    double longest = 0;
    for (size_t r = 0; r < us.size(); ++r) {
      stall += us[r] / double(n);
      longest = std::max(longest, settings.as_here && !whole_us.empty() ? whole_us[r] : us[r]);
    }
    result.frame_us += longest;
  };
  for (const SegmentLoad& segment : segments) {
    const double exchange = exchange_us(segment.exchange_bytes, settings);
    sync += exchange;
    result.frame_us += exchange;
    if (settings.ranks > 1) result.exchange_bytes += segment.exchange_bytes * (n - 1);
    if (settings.mode == ShareMode::duplicate || settings.ranks == 1) {
      launch(segment.duplicate_us, segment.duplicate_whole_us);
      continue;
    }
    if (!segment.copy_us.empty()) {
      launch(segment.copy_us, segment.whole_us);
      continue;
    }
    const auto add = [&](auto&& model) {
      result.frame_us += model.run();
      result.id_bytes += model.bytes();
      for (size_t r = 0; r < n; ++r) stall += model.drawing_us(r) / double(n);
    };
    if (settings.as_here)
      add(SegmentHere(segment, settings));
    else
      add(SegmentModel(segment, settings));
  }
  // ShareMode::duplicate: the geometry counts as time without primitives, and the rest as drawing.
  if (settings.mode == ShareMode::duplicate || settings.ranks == 1) stall = std::max(0.0, stall - geometry_us);
  result.stall_us = stall;
  result.sync_us = sync;
  result.no_primitive_us = result.frame_us - stall - sync;
  return result;
}

}  // namespace brokkr::ranks
