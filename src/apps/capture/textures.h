// The textures that draws read, each content stored once as the application stored it, and their sampling parameters.
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
  // Adds textures and samplers to `frame`; `targets` knows which textures the frame itself renders. Stores at most
  // `limit` bytes.
  Textures(Frame& frame, Targets& targets, uint64_t limit) : frame_(frame), targets_(targets), limit_(limit) {}

  // The current texture and sampler of a unit. `array_of_samples`: the kind is multisampled, and the texture an array.
  BoundTexture read(const Context& context, TextureKind kind, GLuint unit, bool array_of_samples = false);

  // A target's colour, which is `color`, as a texture that is sampled at its first level.
  BoundTexture of_target(const Target& target, uint32_t number, TargetColor color, const CapturedSampler& sampler);

  // Why the file cannot hold a texture that was read since the last call; empty: it can.
  std::string take_problem() { return std::exchange(problem_, ""); }

  // Notes that the application changes or deletes the texture's content. Name 0: any default texture.
  void written(const Context& context, GLuint name);

  // Notes that the application makes GL generate the texture's levels. Returns the texture in the file if the frame
  // renders its base level.
  std::optional<uint32_t> generate(const Context& context, GLenum target);

 private:
  // Share group, GL's name, and the kind, which identifies default textures, because all have the name 0.
  using Name = std::tuple<uint64_t, GLuint, TextureKind>;

  static Name name_of(const Context& context, TextureKind kind, GLuint name) {
    return {context.share_group, name, name == 0 ? kind : TextureKind{}};
  }

  uint32_t add(CapturedTexture texture, const std::vector<std::byte>& data);
  int32_t add_sampler(const CapturedSampler& sampler);
  std::optional<uint32_t> read_texture(const Context& context, TextureKind kind, GLuint name,
                                       bool array_of_samples = false);
  std::optional<uint32_t> read_samples(const Context& context, GLuint name, bool is_array, CapturedTexture texture);

  Frame& frame_;
  Targets& targets_;
  uint64_t limit_;
  std::string problem_;
  Numbers<CapturedSampler> samplers_;
  // Descriptions as read since the last change, and the last level that they may have (GL_TEXTURE_MAX_LEVEL).
  std::map<Name, std::pair<uint32_t, GLint>> known_;
  std::map<Name, uint32_t> drawn_;  // textures that the frame renders, with their last description
  std::set<Name> generated_;        // textures whose other levels are generated from the base level
  std::multimap<std::pair<size_t, uint64_t>, uint32_t> of_content_;  // by size in bytes and hash
};

// The name of the texture bound to `target` of the active unit.
GLuint bound_texture(GLenum target);

// GL's target for a kind.
GLenum texture_target(TextureKind kind);

}  // namespace brokkr::capture
