#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <variant>
#include <vector>

#include "inspect/trim.h"
#include "plan/prepare.h"

namespace brokkr {
namespace {

// Opened blocks alternate with closed ones, and Linux tracks at most 65 530 such memory ranges.
constexpr size_t kMaxBlocks = 30000;

std::atomic<TexelWatch*> active = nullptr;
struct sigaction before;

// An access to other memory is a real fault: the handler removes itself, and the fault happens again.
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
  while (pages * page / block_bytes_ > kMaxBlocks) block_bytes_ *= 2;
  blocks_ = pages * page / block_bytes_;
  // The texels belong to the prepared frame and are not constant there, because planes are copied into them.
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
  // If the system cannot track another range, open everything.
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

namespace {

// A layer of a level: where its blocks are stored, and where its texels are read.
struct Layer2D {
  std::byte* stored;
  uint64_t first_word, words;  // of the first texel; per texel
  uint32_t width, height;      // texels
};

// Returns the number of bytes in blocks that stay.
uint64_t forget_in_layer(const Layer2D& layer, const TexelBlock& block, const TexelWatch& watch) {
  const uint32_t columns = (layer.width + block.edge - 1) / block.edge;
  const uint32_t rows = (layer.height + block.edge - 1) / block.edge;
  const std::byte* filling = layer.stored;  // replaces unread blocks
  uint64_t kept = 0;
  const auto is_read = [&](uint32_t x, uint32_t y, uint32_t texels, uint32_t lines) {
    for (uint32_t line = y; line < std::min(y + lines, layer.height); ++line) {
      const uint64_t texel = uint64_t(line) * layer.width + x;
      if (watch.was_used(layer.first_word + texel * layer.words, texels * layer.words)) return true;
    }
    return false;
  };
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t y = row * block.edge;
    const bool row_is_read = is_read(0, y, layer.width, block.edge);
    for (uint32_t column = 0; column < columns; ++column) {
      std::byte* const stored = layer.stored + (uint64_t(row) * columns + column) * block.bytes;
      const uint32_t x = column * block.edge;
      if (row_is_read && is_read(x, y, std::min(block.edge, layer.width - x), block.edge)) {
        filling = stored;
        kept += block.bytes;
      } else if (filling != stored) {
        std::memcpy(stored, filling, block.bytes);
      }
    }
  }
  return kept;
}

uint64_t forget_in_texture(const CapturedTexture& texture, const TextureTexels& texels, std::byte* stored,
                           const TexelWatch& watch) {
  uint64_t kept = 0;
  for (uint32_t level = 0; level < texels.levels; ++level) {
    const TexelExtent extent = level_extent(texture, int(level));
    const uint64_t bytes = level_bytes(texture, int(level)) / uint64_t(extent.depth);
    Layer2D layer{stored, texels.first[level], words_of(texels.encoding), uint32_t(extent.width),
                  uint32_t(extent.height)};
    for (int i = 0; i < extent.depth; ++i) {
      kept += forget_in_layer(layer, texel_block(texture.format), watch);
      layer.stored += bytes;
      layer.first_word += uint64_t(extent.width) * uint64_t(extent.height) * layer.words;
    }
    stored = layer.stored;
  }
  return kept;
}

// Textures that must keep all texels: planes are loaded from them, vertex programs read them before the frame is drawn,
// or they share bytes with another one.
std::vector<bool> kept_whole(const Frame& frame) {
  const std::vector<CapturedTexture>& textures = frame.captured_textures;
  std::vector<bool> whole(textures.size(), false);
  for (const Command& command : frame.commands) {
    if (const auto* load = std::get_if<LoadCommand>(&command)) whole[load->texture] = true;
  }
  for (const VertexInputs& inputs : frame.vertex_inputs) {
    for (const BoundTexture& bound : inputs.textures) {
      if (bound.texture >= 0) whole[size_t(bound.texture)] = true;
    }
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < textures.size(); ++i) {
    if (textures[i].stored) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return textures[a].first_byte < textures[b].first_byte; });
  uint64_t end = 0;
  size_t last = 0;  // the texture that ends at that place
  for (const size_t i : order) {
    if (textures[i].first_byte < end) whole[i] = whole[last] = true;
    const uint64_t texture_end = textures[i].first_byte + texture_bytes(textures[i]);
    if (texture_end > end) end = texture_end, last = i;
  }
  return whole;
}

}  // namespace

uint64_t forget_unread_texels(Frame& frame, const PreparedFrame& prepared, const TexelWatch& watch) {
  const std::vector<bool> whole = kept_whole(frame);
  const std::vector<TextureTexels>& places = PreparedFrame::Impl::of(prepared).programs.textures().textures;
  uint64_t kept = 0;
  for (size_t i = 0; i < frame.captured_textures.size(); ++i) {
    const CapturedTexture& texture = frame.captured_textures[i];
    if (!texture.stored) continue;
    const bool is_sampled = places[i].levels == uint32_t(texture.levels) && !whole[i];
    kept += is_sampled ? forget_in_texture(texture, places[i], frame.texture_data.data() + texture.first_byte, watch)
                       : texture_bytes(texture);
  }
  return kept;
}

}  // namespace brokkr
