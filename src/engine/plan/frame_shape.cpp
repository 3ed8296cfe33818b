#include "plan/prepare.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

namespace brokkr {
namespace {

struct List {
  const char* name;
  size_t size;
};

auto lists_of(const Frame& f) {
  return std::array{List{"targets", f.targets.size()},
                    List{"views", f.views.size()},
                    List{"states", f.states.size()},
                    List{"materials", f.materials.size()},
                    List{"textures", f.textures.size()},
                    List{"commands", f.commands.size()},
                    List{"indices", f.indices.size()},
                    List{"positions", f.positions.size()},
                    List{"normals", f.normals.size()},
                    List{"texcoords", f.texcoords.size()},
                    List{"second_texcoords", f.second_texcoords.size()},
                    List{"colors", f.colors.size()},
                    List{"models", f.models.size()},
                    List{"programs", f.programs.size()},
                    List{"captured_textures", f.captured_textures.size()},
                    List{"captured_samplers", f.captured_samplers.size()},
                    List{"inputs", f.inputs.size()},
                    List{"varyings", f.varyings.size()},
                    List{"uniforms", f.uniforms.size()},
                    List{"texture_data", f.texture_data.size()},
                    List{"vertex_programs", f.vertex_programs.size()},
                    List{"vertex_inputs", f.vertex_inputs.size()},
                    List{"attributes", f.attributes.size()}};
}

std::pair<uint32_t, uint32_t> place_of(const View& v) { return {v.target, v.layer}; }

[[noreturn]] void refuse_change(const std::string& field, const std::string& problem) {
  throw std::invalid_argument("frame, field '" + field + "': " + problem +
                              " since the frame was prepared; prepare it again");
}

// An FNV-1a hash of words.
class Hash {
 public:
  template <class... T>
  void add(T... values) {
    ((word_ = (word_ ^ uint64_t(values)) * 0x100000001b3u), ...);
    word_ ^= word_ >> 29;
  }
  uint64_t value() const { return word_; }

 private:
  uint64_t word_ = 0xcbf29ce484222325u;
};

std::array<int, 4> size_of(const Target& t) {
  Hash formats;
  formats.add(t.format, t.samples, t.depth.has_value(), t.stencil.has_value());
  for (const TargetColor& color : t.colors) formats.add(color.format, color.base);
  return {t.width, t.height, t.layers, int(formats.value())};
}

// Adds everything that locates data: the numbers of lists, and ranges in them.
void add(Hash& hash, const DrawCommand& d) {
  hash.add(d.topology, d.vertex_kind, d.indexed, d.restart, d.first_index, d.element_count, d.first_vertex,
           d.vertex_count, d.first_instance, d.instances, d.first_view, d.view_count, d.state, d.material, d.inputs,
           d.flags);
}
void add(Hash& hash, const ClearCommand& c) { hash.add(c.target, c.other_colors.size()); }
void add(Hash& hash, const BlitCommand& b) { hash.add(b.from, b.to); }
void add(Hash& hash, const LoadCommand& l) { hash.add(l.target, l.plane, l.texture); }
void add(Hash& hash, const GenerateMipsCommand& g) { hash.add(g.texture); }
void add(Hash& hash, const CopyCommand& c) { hash.add(c.from, c.to, c.from_plane, c.to_plane); }

uint64_t hash_of_commands(const Frame& frame) {
  Hash hash;
  for (const Command& command : frame.commands) {
    hash.add(command.index());
    std::visit([&](const auto& one) { add(hash, one); }, command);
  }
  for (const DrawInputs& inputs : frame.inputs) {
    hash.add(inputs.program, inputs.first_varying, inputs.first_uniform, inputs.first_of_blocks.size(),
             inputs.textures.size());
    for (const uint64_t first : inputs.first_of_blocks) hash.add(first);
    for (const BoundTexture& bound : inputs.textures) hash.add(bound.texture, bound.sampler);
  }
  return hash.value();
}

}  // namespace

FrameShape::FrameShape(const Frame& frame) : commands_(hash_of_commands(frame)) {
  const auto lists = lists_of(frame);
  static_assert(std::tuple_size_v<std::remove_const_t<decltype(lists)>> == kLists);
  for (size_t i = 0; i < kLists; ++i) sizes_[i] = lists[i].size;
  for (const Target& target : frame.targets) targets_.push_back(size_of(target));
  for (const View& view : frame.views) views_.push_back(place_of(view));
}

void FrameShape::require(const Frame& frame) const {
  const auto lists = lists_of(frame);
  for (size_t i = 0; i < kLists; ++i) {
    if (lists[i].size != sizes_[i])
      refuse_change(lists[i].name, fmt::format("there were {} of them and are {}", sizes_[i], lists[i].size));
  }
  for (size_t i = 0; i < targets_.size(); ++i) {
    const std::array<int, 4> was = targets_[i], is = size_of(frame.targets[i]);
    if (was != is)
      refuse_change(
          "targets",
          fmt::format("target {} was {} x {} with layers: {}, and is {} x {} with layers: {}, or has other formats", i,
                      was[0], was[1], was[2], is[0], is[1], is[2]));
  }
  for (size_t i = 0; i < views_.size(); ++i) {
    const auto was = views_[i], is = place_of(frame.views[i]);
    if (was != is)
      refuse_change("views", fmt::format("view {} was of target {}, layer {}, and is of target {}, layer {}", i,
                                         was.first, was.second, is.first, is.second));
  }
}

void FrameShape::require_commands(const Frame& frame) const {
  if (hash_of_commands(frame) != commands_) refuse_change("commands", "they, or their inputs, have changed");
}

}  // namespace brokkr
