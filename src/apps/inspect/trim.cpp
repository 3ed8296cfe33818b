#include "inspect/trim.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>

namespace brokkr {

std::vector<uint32_t> draw_commands(const Frame& frame) {
  std::vector<uint32_t> draws;
  for (uint32_t c = 0; c < frame.commands.size(); ++c) {
    if (std::holds_alternative<DrawCommand>(frame.commands[c])) draws.push_back(c);
  }
  return draws;
}

std::vector<uint32_t> all_but(const Frame& frame, uint32_t command) {
  std::vector<uint32_t> draws = draw_commands(frame);
  std::erase(draws, command);
  return draws;
}

std::optional<uint32_t> next_draw(const Frame& frame, uint32_t command) {
  const std::vector<uint32_t> draws = draw_commands(frame);
  const auto next = std::ranges::upper_bound(draws, command);
  return next != draws.end() ? std::optional(*next) : std::nullopt;
}

std::optional<uint32_t> previous_draw(const Frame& frame, uint32_t command) {
  const std::vector<uint32_t> draws = draw_commands(frame);
  const auto next = std::ranges::lower_bound(draws, command);
  return next != draws.begin() ? std::optional(*std::prev(next)) : std::nullopt;
}

void hide_draws(Frame& frame, std::span<const uint32_t> commands) {
  for (const uint32_t c : commands) {
    if (c >= frame.commands.size()) continue;
    if (auto* draw = std::get_if<DrawCommand>(&frame.commands[c])) draw->element_count = 0;
  }
}

namespace {

using Planes = uint32_t;  // one bit per TargetPlane
constexpr Planes bit_of(TargetPlane plane) { return Planes(1) << uint32_t(plane); }
constexpr Planes kDepth = bit_of(TargetPlane::depth), kStencil = bit_of(TargetPlane::stencil);
constexpr Planes kAllPlanes = (kStencil << 1) - 1;

// Processes the commands from the last to the first, and tracks what later ones need of each plane and texture.
class Contributions {
 public:
  explicit Contributions(const Frame& frame)
      : frame_(frame), needed_(frame.targets.size(), 0), textures_(frame.captured_textures.size(), false) {}

  void need(uint32_t target, Planes planes) { needed_[target] |= planes; }

  bool visit(const DrawCommand& draw) {
    const State& state = frame_.states[draw.state];
    bool kept = false;
    for (uint32_t view = 0; view < draw.view_count; ++view) {
      const uint32_t target = frame_.views[draw.first_view + view].target;
      if ((needed_[target] & written(state)) == 0) continue;
      kept = true;
      if (state.depth.test) need(target, kDepth);
      if (state.stencil) need(target, kStencil);
    }
    if (kept && draw.inputs >= 0) need_textures(frame_.inputs[size_t(draw.inputs)].textures);
    if (kept && draw.vertices >= 0) need_textures(frame_.vertex_inputs[size_t(draw.vertices)].textures);
    return kept;
  }

  bool visit(const ClearCommand& clear) {
    Planes planes = clear.color ? bit_of(TargetPlane::color0) : 0;
    if (clear.depth) planes |= kDepth;
    if (clear.stencil) planes |= kStencil;
    for (const PlaneColor& other : clear.other_colors) planes |= bit_of(other.plane);
    const bool kept = (needed_[clear.target] & planes) != 0;
    if (!clear.scissor) needed_[clear.target] &= ~planes;
    return kept;
  }

  bool visit(const BlitCommand& blit) {
    const Planes planes =
        (blit.color ? bit_of(TargetPlane::color0) : 0) | (blit.depth ? kDepth : 0) | (blit.stencil ? kStencil : 0);
    const bool kept = (needed_[blit.to] & planes) != 0;
    if (kept) need(blit.from, planes);
    return kept;
  }

  bool visit(const LoadCommand& load) {
    const bool kept = (needed_[load.target] & bit_of(load.plane)) != 0;
    if (frame_.targets[load.target].layers == 1) needed_[load.target] &= ~bit_of(load.plane);
    return kept;
  }

  bool visit(const GenerateMipsCommand& generate) {
    bool kept = textures_[generate.texture];
    for (const TextureImage& image : frame_.captured_textures[generate.texture].images)
      kept = kept || (needed_[image.target] & bit_of(image.plane)) != 0;
    if (kept) need_texture(generate.texture);
    return kept;
  }

  bool visit(const CopyCommand& copy) {
    const bool kept = (needed_[copy.to] & bit_of(copy.to_plane)) != 0;
    if (kept) need(copy.from, bit_of(copy.from_plane));
    return kept;
  }

 private:
  static Planes written(const State& state) {
    Planes planes = state.buffers.empty() ? bit_of(TargetPlane::color0) : 0;
    for (const DrawBuffer& buffer : state.buffers) {
      if (buffer.plane >= 0) planes |= Planes(1) << uint32_t(buffer.plane);
    }
    if (state.depth.test && state.depth.write) planes |= kDepth;
    if (state.stencil) planes |= kStencil;
    return planes;
  }

  void need_textures(const std::vector<BoundTexture>& all) {
    for (const BoundTexture& bound : all) {
      if (bound.texture >= 0) need_texture(size_t(bound.texture));
    }
  }

  void need_texture(size_t number) {
    textures_[number] = true;
    for (const TextureImage& image : frame_.captured_textures[number].images) need(image.target, bit_of(image.plane));
  }

  const Frame& frame_;
  std::vector<Planes> needed_;  // by target
  std::vector<bool> textures_;  // textures that are read
};

}  // namespace

std::vector<bool> contributing_commands(const Frame& frame, uint32_t target, uint32_t end) {
  // by the number of the next command; true if the target is looked at there
  std::vector<bool> looked_at(size_t(end) + 1, false);
  looked_at[end] = true;
  for (const Reference& reference : frame.references) {
    if (reference.target == target && reference.before <= end) looked_at[reference.before] = true;
  }
  Contributions contributions(frame);
  std::vector<bool> kept(end, false);
  for (size_t command = end; command-- > 0;) {
    if (looked_at[command + 1]) contributions.need(target, kAllPlanes);
    kept[command] = std::visit([&](const auto& one) { return contributions.visit(one); }, frame.commands[command]);
  }
  return kept;
}

namespace {

constexpr uint32_t kDropped = ~0u;

// An array made of ranges; equal ranges are stored once.
template <typename T>
class Packed {
 public:
  explicit Packed(std::vector<T>& values) : values_(values) {}

  // Stores the range without sharing it.
  uint64_t append(std::span<const T> range) {
    const uint64_t first = values_.size();
    values_.insert(values_.end(), range.begin(), range.end());
    return first;
  }

  // The index of the range's first element.
  uint64_t add(std::span<const T> range) {
    const std::string_view bytes(reinterpret_cast<const char*>(range.data()), range.size_bytes());
    const size_t hash = std::hash<std::string_view>()(bytes);
    for (auto [known, end] = places_.equal_range(hash); known != end; ++known) {
      const auto [first, count] = known->second;
      if (count != range.size()) continue;
      const std::string_view other(reinterpret_cast<const char*>(values_.data() + first), range.size_bytes());
      if (other == bytes) return first;
    }
    const uint64_t first = append(range);
    places_.emplace(hash, std::pair(first, range.size()));
    return first;
  }

 private:
  std::vector<T>& values_;
  std::unordered_multimap<size_t, std::pair<uint64_t, size_t>> places_;
};

// Copies used elements; among equal ones near each other, only the first. Returns the new numbers.
template <typename T>
std::vector<uint32_t> keep_used(const std::vector<T>& all, const std::vector<bool>& used, std::vector<T>& kept) {
  constexpr size_t kNear = 256;  // comparing each texture with all others would take hours for a file with a million
  std::vector<uint32_t> numbers(all.size(), kDropped);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!used[i]) continue;
    const auto near = kept.end() - std::ptrdiff_t(std::min(kept.size(), kNear));
    const auto same = std::find(near, kept.end(), all[i]);
    numbers[i] = uint32_t(same - kept.begin());
    if (same == kept.end()) kept.push_back(all[i]);
  }
  return numbers;
}

// The vertices of one instance that draws use, and their new numbers. Draws without indices use the first vertices,
// which keep their numbers.
struct UsedVertices {
  std::vector<bool> used;
  std::vector<uint32_t> numbers;
  uint32_t count = 0;

  void number() {
    numbers.resize(used.size());
    for (size_t i = 0; i < used.size(); ++i) numbers[i] = used[i] ? count++ : kDropped;
  }
  bool all() const { return count == used.size(); }
};

class Trimmer {
 public:
  Trimmer(const Frame& frame, const TrimRequest& request) : from_(frame), request_(request) {
    targets_.resize(frame.targets.size());
    states_.resize(frame.states.size());
    programs_.resize(frame.programs.size());
    vertex_programs_.resize(frame.vertex_programs.size());
    textures_.resize(frame.captured_textures.size());
    samplers_.resize(frame.captured_samplers.size());
  }

  TrimmedFrame run() {
    copy_words();
    for (size_t i = 0; i < from_.commands.size(); ++i) {
      if (stays(i)) std::visit([&](const auto& command) { mark(command); }, from_.commands[i]);
    }
    for (size_t i = 0; i < from_.references.size(); ++i) {
      if (request_.references[i]) targets_[from_.references[i].target] = true;
    }
    keep_targets();
    state_numbers_ = keep_used(from_.states, states_, to_.states);
    program_numbers_ = keep_used(from_.programs, programs_, to_.programs);
    vertex_program_numbers_ = keep_used(from_.vertex_programs, vertex_programs_, to_.vertex_programs);
    sampler_numbers_ = keep_used(from_.captured_samplers, samplers_, to_.captured_samplers);
    keep_textures();
    for (auto& [range, vertices] : vertices_) vertices.number();
    for (size_t i = 0; i < from_.commands.size(); ++i) {
      numbers_.push_back(uint32_t(to_.commands.size()));
      if (!stays(i)) continue;
      Command command = from_.commands[i];
      std::visit([&](auto& one) { move(one); }, command);
      to_.commands.push_back(std::move(command));
    }
    numbers_.push_back(uint32_t(to_.commands.size()));
    keep_references();
    return std::move(result_);
  }

 private:
  bool stays(size_t command) const { return command < request_.commands.size() && request_.commands[command]; }

  void copy_words() {
    to_.application = from_.application;
    to_.generator = from_.generator;
    to_.license = from_.license;
    to_.source = from_.source;
    to_.frame_number = from_.frame_number;
    to_.window_width = from_.window_width;
    to_.window_height = from_.window_height;
    to_.materials = from_.materials;
    to_.skipped_draws = from_.skipped_draws;
    to_.skipped_triangles = from_.skipped_triangles;
    to_.skipped_reasons = from_.skipped_reasons;
  }

  void mark(const DrawCommand& draw) {
    for (uint32_t i = 0; i < draw.view_count; ++i) targets_[from_.views[draw.first_view + i].target] = true;
    states_[draw.state] = true;
    mark_vertices(draw);
    if (draw.vertices >= 0) {
      const VertexInputs& inputs = from_.vertex_inputs[size_t(draw.vertices)];
      vertex_programs_[inputs.program] = true;
      mark_textures(inputs.textures);
    }
    if (draw.inputs < 0) return;
    const DrawInputs& inputs = from_.inputs[size_t(draw.inputs)];
    programs_[inputs.program] = true;
    mark_textures(inputs.textures);
  }
  void mark(const ClearCommand& clear) { targets_[clear.target] = true; }
  void mark(const BlitCommand& blit) { targets_[blit.from] = targets_[blit.to] = true; }
  void mark(const LoadCommand& load) {
    targets_[load.target] = true;
    mark_texture(load.texture);
  }
  void mark(const GenerateMipsCommand& generate) { mark_texture(generate.texture); }
  void mark(const CopyCommand& copy) { targets_[copy.from] = targets_[copy.to] = true; }

  void mark_textures(const std::vector<BoundTexture>& all) {
    for (const BoundTexture& bound : all) {
      if (bound.texture >= 0) mark_texture(size_t(bound.texture));
      if (bound.sampler >= 0) samplers_[size_t(bound.sampler)] = true;
    }
  }

  void mark_texture(size_t number) {
    textures_[number] = true;
    for (const TextureImage& image : from_.captured_textures[number].images) targets_[image.target] = true;
  }

  static std::pair<uint64_t, uint32_t> range_of(const DrawCommand& draw) {
    return {draw.first_vertex, draw.vertex_count};
  }

  void mark_vertices(const DrawCommand& draw) {
    std::vector<bool>& used = vertices_[range_of(draw)].used;
    used.resize(draw.vertex_count);
    // The numbers of vertices may be an input of a vertex program.
    if (draw.vertices >= 0) used.assign(draw.vertex_count, true);
    for (uint32_t i = 0; i < draw.element_count; ++i) {
      const uint32_t vertex = draw.indexed ? from_.indices[draw.first_index + i] : i;
      if (vertex < draw.vertex_count) used[vertex] = true;  // not a restart
    }
  }

  void keep_targets() {
    target_numbers_.resize(targets_.size(), kDropped);
    for (uint32_t i = 0; i < targets_.size(); ++i) {
      if (!targets_[i]) continue;
      target_numbers_[i] = uint32_t(to_.targets.size());
      to_.views.push_back({.target = uint32_t(to_.targets.size())});
      to_.targets.push_back(from_.targets[i]);
      result_.targets.push_back(i);
    }
  }

  // Textures without images of the frame are equal if their texels are.
  void keep_textures() {
    using Content = std::tuple<TextureKind, TexelFormat, TexelBase, int, int, int, int, uint64_t>;
    std::map<Content, uint32_t> known;
    texture_numbers_.resize(textures_.size(), kDropped);
    for (size_t i = 0; i < textures_.size(); ++i) {
      if (!textures_[i]) continue;
      CapturedTexture texture = from_.captured_textures[i];
      if (texture.stored) {
        const std::span bytes(from_.texture_data.data() + texture.first_byte, texture_bytes(texture));
        texture.first_byte = texels_.add(bytes);
      }
      for (TextureImage& image : texture.images) image.target = target_numbers_[image.target];
      const auto number = uint32_t(to_.captured_textures.size());
      if (texture.stored && texture.images.empty()) {
        const Content content{texture.kind,   texture.format, texture.base,   texture.width,
                              texture.height, texture.depth,  texture.levels, texture.first_byte};
        const auto [same, is_new] = known.emplace(content, number);
        texture_numbers_[i] = same->second;
        if (!is_new) continue;
      }
      texture_numbers_[i] = number;
      to_.captured_textures.push_back(std::move(texture));
    }
  }

  void move(DrawCommand& draw) {
    draw.first_view = view_of(draw);
    draw.state = state_numbers_[draw.state];
    const UsedVertices& vertices = vertices_.at(range_of(draw));
    if (draw.inputs >= 0) move_inputs(draw, vertices);
    const std::span<const uint32_t> elements(from_.indices.data() + draw.first_index,
                                             draw.indexed ? draw.element_count : 0);
    if (draw.vertices >= 0) {
      move_computed(draw);
    } else {
      draw.first_vertex = positions_.add(gather(from_.positions, draw.first_vertex, 1, draw, vertices));
    }
    if (vertices.all() || vertices.count == 0) {
      draw.first_index = indices_.add(elements);
      return;
    }
    std::vector<uint32_t> moved(elements.begin(), elements.end());
    for (uint32_t& index : moved) {
      if (index < draw.vertex_count) index = vertices.numbers[index];
    }
    draw.first_index = indices_.add(moved);
    draw.vertex_count = vertices.count;
  }
  void move(ClearCommand& clear) { clear.target = target_numbers_[clear.target]; }
  void move(BlitCommand& blit) {
    blit.from = target_numbers_[blit.from];
    blit.to = target_numbers_[blit.to];
  }
  void move(LoadCommand& load) {
    load.target = target_numbers_[load.target];
    load.texture = texture_numbers_[load.texture];
  }
  void move(GenerateMipsCommand& generate) { generate.texture = texture_numbers_[generate.texture]; }
  void move(CopyCommand& copy) {
    copy.from = target_numbers_[copy.from];
    copy.to = target_numbers_[copy.to];
  }

  // Views of layer 0 are in the order of the targets; others follow them.
  uint32_t view_of(const DrawCommand& draw) {
    const View& view = from_.views[draw.first_view];
    const uint32_t target = target_numbers_[view.target];
    if (view.layer == 0) return target;
    const auto [found, is_new] = views_.emplace(std::pair(target, view.layer), uint32_t(to_.views.size()));
    if (is_new) to_.views.push_back({.target = target, .layer = view.layer});
    return found->second;
  }

  // Copies `components` values of each used vertex of each instance.
  template <typename T>
  std::span<const T> gather(const std::vector<T>& values, uint64_t first, uint64_t components, const DrawCommand& draw,
                            const UsedVertices& vertices) {
    const std::span<const T> all(values.data() + first, components * draw.vertex_count * draw.instances);
    if (vertices.all() || vertices.count == 0) return all;
    std::vector<T>& gathered = std::get<std::vector<T>>(gathered_);
    gathered.clear();
    for (uint64_t i = 0; i < uint64_t(draw.vertex_count) * draw.instances; ++i) {
      if (!vertices.used[i % draw.vertex_count]) continue;
      const auto vertex = all.subspan(i * components, components);
      gathered.insert(gathered.end(), vertex.begin(), vertex.end());
    }
    return gathered;
  }

  // Vertices that a program computes are shared by the draws that shared them before.
  void move_computed(DrawCommand& draw) {
    const uint64_t vertices = uint64_t(draw.vertex_count) * draw.instances;
    const auto [place, is_new] =
        computed_positions_.try_emplace(std::tuple(draw.vertices, draw.first_vertex, vertices), 0);
    if (is_new) place->second = positions_.append(std::span(from_.positions).subspan(draw.first_vertex, vertices));
    draw.first_vertex = place->second;
    const auto [number, is_first] = vertex_input_numbers_.try_emplace(draw.vertices, to_.vertex_inputs.size());
    if (is_first) {
      result_.vertex_inputs.push_back(uint32_t(draw.vertices));
      to_.vertex_inputs.push_back(moved_vertices(from_.vertex_inputs[size_t(draw.vertices)]));
    }
    draw.vertices = int32_t(number->second);
  }

  VertexInputs moved_vertices(VertexInputs inputs) {
    const VertexProgram& program = from_.vertex_programs[inputs.program];
    for (size_t i = 0; i < inputs.attributes.size(); ++i) {
      VertexStream& stream = inputs.attributes[i];
      const uint64_t words = uint64_t(stream.count) * shape_of(program.attributes[i].type).components();
      stream.first = attributes_.add(std::span(from_.attributes).subspan(stream.first, words));
    }
    move_what_is_read(program, inputs);
    inputs.program = vertex_program_numbers_[inputs.program];
    return inputs;
  }

  // Moves what inputs of both stages have.
  void move_what_is_read(const auto& program, auto& inputs) {
    const auto uniforms = [&](uint64_t first, uint64_t words) {
      return uniforms_.add(std::span(from_.uniforms.data() + first, words));
    };
    inputs.first_uniform = uniforms(inputs.first_uniform, uniform_words(program));
    for (size_t i = 0; i < program.blocks.size(); ++i)
      inputs.first_of_blocks[i] = uniforms(inputs.first_of_blocks[i], program.blocks[i].size / sizeof(uint32_t));
    for (BoundTexture& bound : inputs.textures) {
      if (bound.texture >= 0) bound.texture = int32_t(texture_numbers_[size_t(bound.texture)]);
      if (bound.sampler >= 0) bound.sampler = int32_t(sampler_numbers_[size_t(bound.sampler)]);
    }
  }

  void move_inputs(DrawCommand& draw, const UsedVertices& vertices) {
    DrawInputs inputs = from_.inputs[size_t(draw.inputs)];
    const FragmentProgram& program = from_.programs[inputs.program];
    inputs.program = program_numbers_[inputs.program];
    const uint64_t components = varying_components(program);
    const auto varyings = gather(from_.varyings, inputs.first_varying, components, draw, vertices);
    if (draw.vertices >= 0) {
      const auto [place, is_new] =
          computed_varyings_.try_emplace(std::tuple(draw.vertices, inputs.first_varying, varyings.size()), 0);
      if (is_new) place->second = varyings_.append(varyings);
      inputs.first_varying = place->second;
    } else {
      inputs.first_varying = varyings_.add(varyings);
    }
    move_what_is_read(program, inputs);
    draw.inputs = int32_t(to_.inputs.size());
    to_.inputs.push_back(std::move(inputs));
  }

  void keep_references() {
    for (size_t i = 0; i < from_.references.size(); ++i) {
      if (!request_.references[i]) continue;
      Reference& reference = to_.references.emplace_back(from_.references[i]);
      reference.target = target_numbers_[reference.target];
      reference.before = numbers_[reference.before];
    }
  }

  const Frame& from_;
  const TrimRequest& request_;
  TrimmedFrame result_;
  Frame& to_ = result_.frame;
  std::vector<bool> targets_, states_, programs_, vertex_programs_, textures_, samplers_;  // whether each is used
  std::vector<uint32_t> target_numbers_, state_numbers_, program_numbers_, vertex_program_numbers_, texture_numbers_,
      sampler_numbers_;
  std::vector<uint32_t> numbers_;                                   // new number of each command
  std::map<std::pair<uint64_t, uint32_t>, UsedVertices> vertices_;  // by range_of
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> views_;         // by target and layer
  Packed<glm::vec4> positions_{to_.positions};
  std::map<std::tuple<int32_t, uint64_t, uint64_t>, uint64_t> computed_positions_, computed_varyings_;
  std::map<int32_t, size_t> vertex_input_numbers_;
  Packed<uint32_t> indices_{to_.indices}, uniforms_{to_.uniforms}, attributes_{to_.attributes};
  Packed<float> varyings_{to_.varyings};
  Packed<std::byte> texels_{to_.texture_data};
  std::tuple<std::vector<glm::vec4>, std::vector<float>> gathered_;
};

}  // namespace

TrimmedFrame trim_frame(const Frame& frame, const TrimRequest& request) { return Trimmer(frame, request).run(); }

std::vector<std::pair<const char*, uint64_t>> bytes_by_kind(const Frame& frame) {
  uint64_t texts = 0, references = 0;
  for (const FragmentProgram& program : frame.programs) {
    for (const std::string& text : program.texts) texts += text.size();
  }
  for (const VertexProgram& program : frame.vertex_programs) {
    for (const std::string& text : program.texts) texts += text.size();
  }
  for (const Reference& reference : frame.references)
    references += reference.color_file.size() + reference.depth.size() * sizeof(float);
  return {{"textures", frame.texture_data.size()},
          {"positions", frame.positions.size() * sizeof(glm::vec4)},
          {"varyings", frame.varyings.size() * sizeof(float)},
          {"attributes", frame.attributes.size() * sizeof(uint32_t)},
          {"indices", frame.indices.size() * sizeof(uint32_t)},
          {"uniforms", frame.uniforms.size() * sizeof(uint32_t)},
          {"programs", texts},
          {"references", references}};
}

}  // namespace brokkr
