#include "ranks/exchange.h"

#include "ranks/squares.h"

namespace brokkr::ranks {
namespace {

class PictureExchange final : public SquareExchange {
 public:
  PictureExchange(Talk& talk, const OwnedBins& owned, std::vector<TargetImage>& targets)
      : talk_(talk), owned_(owned), targets_(targets) {}

  uint64_t broadcast(const std::vector<PlaneUse>& uses) override {
    uint64_t bytes = 0;
    for (const PlaneUse& use : uses) {
      Message squares = pack_squares(targets_[use.target], owned_, owned_.rank, use);
      bytes += squares.size() * uint64_t(talk_.size() - 1);
      talk_.send_all(Channel::planes, std::move(squares));
    }
    for (const PlaneUse& use : uses) take(Channel::planes, use);
    talk_.flush();
    return bytes;
  }

  uint64_t gather(const std::vector<PlaneUse>& uses) override {
    uint64_t bytes = 0;
    for (const PlaneUse& use : uses) {
      if (talk_.rank() == 0) {
        take(Channel::picture, use);
        continue;
      }
      Message squares = pack_squares(targets_[use.target], owned_, owned_.rank, use);
      bytes += squares.size();
      talk_.send(0, Channel::picture, std::move(squares));
    }
    talk_.flush();
    return bytes;
  }

 private:
  void take(Channel channel, const PlaneUse& use) {
    for (int from = 0; from < talk_.size(); ++from) {
      if (from != talk_.rank())
        unpack_squares(talk_.receive(from, channel), owned_, uint32_t(from), use, targets_[use.target]);
    }
  }

  Talk& talk_;
  const OwnedBins& owned_;
  std::vector<TargetImage>& targets_;
};

// All messages of a call lie one behind the other in the machine's memory.
class MemoryExchange final : public SquareExchange {
 public:
  MemoryExchange(Talk& talk, const OwnedBins& owned, TargetSquares& squares)
      : talk_(talk), owned_(owned), squares_(squares), through_hosts_(talk) {}

  uint64_t broadcast(const std::vector<PlaneUse>& uses) override {
    lay_out(uses, [&](int) { return true; });
    return run([](int) { return true; });
  }
  uint64_t gather(const std::vector<PlaneUse>& uses) override {
    if (talk_.rank() != 0) {
      lay_out(uses, [&](int from) { return from == talk_.rank(); });
      return run([](int to) { return to == 0; });
    }
    // One rank's after another's: in memory for the largest of them.
    for (int next = 1; next < talk_.size(); ++next) {
      lay_out(uses, [&](int from) { return from == next; });
      run([](int) { return false; });
    }
    return 0;
  }

 private:
  // A rank's squares of some planes, and where their message is.
  struct Slot {
    int from;
    PlaneUse use;
    size_t at, bytes;
  };

  // wanted(rank): its squares go over the link, to this rank or from it.
  template <class F>
  void lay_out(const std::vector<PlaneUse>& uses, F&& wanted) {
    slots_.clear();
    size_t at = 0;
    for (const PlaneUse& use : uses) {
      for (int from = 0; from < talk_.size(); ++from) {
        if (!wanted(from)) continue;
        const size_t bytes = squares_.bytes(owned_, uint32_t(from), use.target, use.planes);
        if (bytes == 0) continue;
        slots_.push_back({from, use, at, bytes});
        at += bytes;
      }
    }
    memory_ = at > 0 ? static_cast<std::byte*>(squares_.memory(at)) : nullptr;
  }

  // takes(rank): it gets this rank's.
  template <class F>
  uint64_t run(F&& takes) {
    std::vector<SquarePiece> sent, received;
    uint64_t bytes = 0;
    for (const Slot& slot : slots_) {
      void* const at = memory_ + slot.at;
      if (slot.from != talk_.rank()) {
        received.push_back({slot.from, at, slot.bytes});
        continue;
      }
      squares_.pack(owned_, owned_.rank, slot.use.target, slot.use.planes, at);
      for (int to = 0; to < talk_.size(); ++to) {
        if (to == talk_.rank() || !takes(to)) continue;
        sent.push_back({to, at, slot.bytes});
        bytes += slot.bytes;
      }
    }
    if (sent.empty() && received.empty()) return 0;
    SquareLink& link = talk_.link() != nullptr ? *talk_.link() : through_hosts_;
    link.start(sent, received, squares_);
    talk_.wait_for([&] { return link.is_done(squares_); }, "the exchange of targets with all other ranks");
    for (const Slot& slot : slots_) {
      if (slot.from != talk_.rank())
        squares_.unpack(owned_, uint32_t(slot.from), slot.use.target, slot.use.planes, memory_ + slot.at);
    }
    return bytes;
  }

  Talk& talk_;
  const OwnedBins& owned_;
  TargetSquares& squares_;
  HostLink through_hosts_;
  std::vector<Slot> slots_;
  std::byte* memory_ = nullptr;
};

}  // namespace

std::unique_ptr<SquareExchange> exchange_in_pictures(Talk& talk, const OwnedBins& owned,
                                                     std::vector<TargetImage>& targets) {
  return std::make_unique<PictureExchange>(talk, owned, targets);
}

std::unique_ptr<SquareExchange> exchange_in_memory(Talk& talk, const OwnedBins& owned, TargetSquares& squares) {
  return std::make_unique<MemoryExchange>(talk, owned, squares);
}

}  // namespace brokkr::ranks
