// Textures that draws read: their contents once each, as the application stored them, and how they are sampled.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "capture/context.h"
#include "capture/numbers.h"
#include "capture/targets.h"

namespace brokkr::capture {

class Textures {
 public:
  // Textures and samplers are added to `frame`; `targets` knows which of them the frame draws itself. At most `limit`
  // bytes are stored.
  Textures(Frame& frame, const Targets& targets, uint64_t limit) : frame_(frame), targets_(targets), limit_(limit) {}

  // The texture and sampler of a unit as they are now.
  BoundTexture read(const Context& context, TextureKind kind, GLuint unit);

  // The application changes the texture's content, or deletes it. Name 0: that of any default texture.
  void written(const Context& context, GLuint name);

  // The application has GL make the texture's levels. The texture in the file, if the frame draws its base level.
  std::optional<uint32_t> generate(const Context& context, GLenum target);

 private:
  // Share group, GL's name, and, of the default textures, which all have the name 0, their kind.
  using Name = std::tuple<uint64_t, GLuint, TextureKind>;

  static Name name_of(const Context& context, TextureKind kind, GLuint name) {
    return {context.share_group, name, name == 0 ? kind : TextureKind{}};
  }

  uint32_t add(CapturedTexture texture, const std::vector<std::byte>& data);
  int32_t add_sampler(const CapturedSampler& sampler);
  std::optional<uint32_t> read_texture(const Context& context, TextureKind kind, GLuint name);

  Frame& frame_;
  const Targets& targets_;
  uint64_t limit_;
  Numbers<CapturedSampler> samplers_;
  std::map<Name, uint32_t> known_;  // as read since the last change
  std::map<Name, uint32_t> drawn_;  // that the frame draws itself: the last description
  std::set<Name> generated_;        // of those, whose other levels are made from the base level
  std::multimap<std::pair<size_t, uint64_t>, uint32_t> of_content_;  // by number of bytes and hash
};

// The name of the texture that is bound to `target` of the active unit, whatever GL calls that binding.
GLuint bound_texture(GLenum target);

// GL's target of a kind.
GLenum texture_target(TextureKind kind);

}  // namespace brokkr::capture
