#include "ranks/render.h"

#include <algorithm>

namespace brokkr::ranks {
namespace {

// Calls f(first pixel, pixels) for each row of each square that the rank owns.
template <class F>
void for_rows(const Layer& layer, const OwnedBins& bins, uint32_t rank, uint32_t target, F&& f) {
  for (int y = 0; y < layer.height; ++y) {
    for (int x = 0; x < layer.width; x += bins.bin) {
      if (bins.owner(target, x, y) != rank) continue;
      f(size_t(y) * size_t(layer.width) + size_t(x), size_t(std::min(bins.bin, layer.width - x)));
    }
  }
}

// Calls f(values of a plane, values per pixel) for each requested plane of the layer.
template <class L, class F>
void for_planes(L& layer, uint32_t planes, F&& f) {
  if ((planes & kPlaneColor) != 0) {
    if (!layer.color.empty()) f(layer.color, 1);
    if (!layer.color_float.empty()) f(layer.color_float, 4);
    for (auto& more : layer.more_colors) f(more, 4);
    if (!layer.visible_id.empty()) f(layer.visible_id, 1);
    if (!layer.overdraw.empty()) f(layer.overdraw, 1);
  }
  if ((planes & kPlaneDepth) != 0) {
    f(layer.depth, 1);
    if (!layer.depth_id.empty()) f(layer.depth_id, 1);
  }
  if ((planes & kPlaneStencil) != 0) f(layer.stencil, 1);
}

}  // namespace

Message pack_squares(const TargetImage& image, const OwnedBins& bins, uint32_t rank, PlaneUse use) {
  Message message;
  for (const Layer& layer : image.layers) {
    for_planes(layer, use.planes, [&](const auto& plane, size_t values) {
      using Value = std::remove_cvref_t<decltype(plane[0])>;
      for_rows(layer, bins, rank, use.target, [&](size_t pixel, size_t count) {
        append<Value>(message, std::span(plane).subspan(pixel * values, count * values));
      });
    });
  }
  return message;
}

void unpack_squares(const Message& message, const OwnedBins& bins, uint32_t rank, PlaneUse use, TargetImage& image) {
  size_t at = 0;
  const auto fail = [&] {
    throw std::runtime_error("rank " + std::to_string(rank) + " sent " + std::to_string(message.size()) +
                             " bytes of a target, but its squares have a different size");
  };
  for (Layer& layer : image.layers) {
    for_planes(layer, use.planes, [&](auto& plane, size_t values) {
      for_rows(layer, bins, rank, use.target, [&](size_t pixel, size_t count) {
        const size_t bytes = count * values * sizeof plane[0];
        if (message.size() - at < bytes) fail();
        std::memcpy(plane.data() + pixel * values, message.data() + at, bytes);
        at += bytes;
      });
    });
  }
  if (at != message.size()) fail();
}

Message pack_color(const Layer& layer) {
  Message message;
  append<uint32_t>(message, layer.color);
  append<float>(message, layer.color_float);
  return message;
}

void unpack_color(const Message& message, int from, Layer& layer) {
  const size_t color = layer.color.size() * sizeof(uint32_t), floats = layer.color_float.size() * sizeof(float);
  if (message.size() != color + floats)
    throw std::runtime_error("rank " + std::to_string(from) + " sent a picture of a different size");
  if (color > 0) std::memcpy(layer.color.data(), message.data(), color);
  if (floats > 0) std::memcpy(layer.color_float.data(), message.data() + color, floats);
}

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

// The messages of one call lie one after another in the machine's memory.
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
    // One rank after another, with memory for the largest message.
    for (int next = 1; next < talk_.size(); ++next) {
      lay_out(uses, [&](int from) { return from == next; });
      run([](int) { return false; });
    }
    return 0;
  }

 private:
  // A rank's squares of some planes, and the position of their message.
  struct Slot {
    int from;
    PlaneUse use;
    size_t at, bytes;
  };

  // Assigns positions to messages. wanted(rank): the rank's squares go over the link, to or from this rank.
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

  // Transfers messages. takes(rank): this rank's squares are sent to that rank.
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
