#include "ranks/distribute.h"

#include <algorithm>
#include <atomic>
#include <functional>

#include "ranks/stopwatch.h"

namespace brokkr::ranks {
namespace {

// Primitives that a thread projects at a time: some 50 microseconds.
constexpr uint64_t kPart = 1024;

}  // namespace

Distribution::Distribution(Talk& talk, const Projector& projector, int workers, bool runahead)
    : talk_(talk), projector_(projector), workers_(std::max(1, workers)), runahead_(runahead) {}

// This rank's share of the merge. While threads project, this one carries messages forward.
IdsByRank Distribution::project(const Merge& merge, DistributionCounts& counts) {
  const Clock::time_point begin = Clock::now();
  const auto ranks = size_t(talk_.size());
  const Share share = share_of(merge, talk_.rank(), talk_.size());
  counts.projected += share.end - share.begin;
  const uint64_t parts = (share.end - share.begin + kPart - 1) / kPart;
  std::vector<IdsByRank> of_part(parts, IdsByRank(ranks));
  std::atomic<uint64_t> next = 0;
  const auto project_part = [&](uint64_t part) {
    const uint64_t first = share.begin + part * kPart;
    projector_.project(merge, first, std::min(first + kPart, share.end), of_part[part]);
  };
  const std::function<void(int)> work = [&](int) {
    for (uint64_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < parts;) project_part(part);
  };
  if (parts > 1 && workers_ > 1) {
    pool_.start(int(std::min<uint64_t>(uint64_t(workers_), parts)), work);
    while (!pool_.wait(0.2)) talk_.transport().progress();
  } else {
    for (uint64_t part = 0; part < parts; ++part) {
      project_part(part);
      talk_.transport().progress();
    }
  }
  IdsByRank ids(ranks);
  for (const IdsByRank& part : of_part) {
    for (size_t r = 0; r < ranks; ++r) ids[r].insert(ids[r].end(), part[r].begin(), part[r].end());
  }
  counts.project_ms += ms_since(begin);
  return ids;
}

void Distribution::send(IdsByRank& ids, DistributionCounts& counts) {
  for (int to = 0; to < talk_.size(); ++to) {
    std::vector<uint32_t>& list = ids[size_t(to)];
    if (to == talk_.rank()) {
      own_.push_back(std::move(list));
      continue;
    }
    list.push_back(kLastTriangle);
    Message message;
    append<uint32_t>(message, list);
    counts.id_bytes += message.size();
    talk_.send(to, Channel::ids, std::move(message));
  }
}

void Distribution::append_ids(int from, const std::vector<uint32_t>& ids, DistributionCounts& counts) {
  counts.taken_from[size_t(from)] += ids.size();
  given_.insert(given_.end(), ids.begin(), ids.end());
}

// The ids of the oldest merge under way, rank after rank: so they are in the order of the draws.
void Distribution::take(DistributionCounts& counts) {
  const Clock::time_point begin = Clock::now();
  for (int from = 0; from < talk_.size(); ++from) {
    if (from == talk_.rank()) {
      append_ids(from, own_.front(), counts);
      continue;
    }
    const Message message = talk_.receive(from, Channel::ids);
    std::vector<uint32_t> ids(message.size() / sizeof(uint32_t));
    std::memcpy(ids.data(), message.data(), ids.size() * sizeof(uint32_t));
    if (ids.empty() || ids.back() != kLastTriangle)
      throw std::runtime_error("rank " + std::to_string(from) + " sent ids without their end");
    ids.pop_back();
    append_ids(from, ids, counts);
  }
  own_.erase(own_.begin());
  counts.wait_ms += ms_since(begin);
}

std::vector<uint32_t> Distribution::run(const std::vector<Merge>& merges, DistributionCounts& counts) {
  counts.taken_from.resize(size_t(talk_.size()));
  given_.clear();
  for (const Merge& merge : merges) {
    IdsByRank ids = project(merge, counts);
    // One merge at most is ahead of what all have.
    if (!own_.empty()) take(counts);
    send(ids, counts);
    if (!runahead_) take(counts);
  }
  while (!own_.empty()) take(counts);
  talk_.flush();
  counts.merges += merges.size();
  return std::move(given_);
}

}  // namespace brokkr::ranks
