// Checks the programs of a captured frame, their inputs, and the commands that fill planes of targets.
#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "frame/sample_layers.h"
#include "frame/validate.h"

namespace brokkr {
namespace {

// The end in bytes of `count` elements of the type at the uniform's strides.
uint64_t uniform_end(const ProgramUniform& uniform) {
  const ShaderShape shape = shape_of(uniform.type);
  const bool by_rows = uniform.row_major && shape.columns > 1;
  const uint64_t vectors = by_rows ? shape.rows : shape.columns;
  const uint64_t bytes = uint64_t(by_rows ? shape.columns : shape.rows) * sizeof(float);
  return uniform.offset + uint64_t(uniform.count - 1) * uniform.array_stride +
         (vectors - 1) * uint64_t(uniform.matrix_stride) + bytes;
}

void validate_uniforms(const Place& place, std::span<const ProgramBlock> blocks,
                       std::span<const ProgramUniform> uniforms) {
  for (const ProgramBlock& block : blocks) {
    if (block.size % 4 != 0) fail_at(place, "blocks", "a size is not a multiple of 4", "round it up");
  }
  for (const ProgramUniform& uniform : uniforms) {
    require_range(place, "uniforms", uniform.block, -1, int(blocks.size()) - 1, "name a block, or -1");
    const uint64_t size = uniform.block < 0 ? uint64_t(bkf::kMaxBytes) : blocks[size_t(uniform.block)].size;
    if (uniform.offset % 4 != 0 || uniform_end(uniform) > size) {
      fail_at(place, "uniforms", "one is not inside its block", "correct its offset and strides");
    }
  }
}

void validate_program(const Frame& frame, size_t number) {
  const FragmentProgram& program = frame.programs[number];
  const Place place{"program", number};
  check_fields(frame, place, program);
  if (program.fixed ? !program.texts.empty() : program.texts.empty()) {
    fail_at(place, "fragment", "a program has texts, or is fixed function", "give one of both");
  }
  if (program.fixed && program.fixed->units.size() != program.samplers.size()) {
    fail_at(place, "samplers", "fixed function has one for each unit", "give as many");
  }
  validate_uniforms(place, program.blocks, program.uniforms);
  const uint64_t max_elements = uint64_t(bkf::kMaxElements);
  require_range(place, "varyings", varying_components(program), 0, max_elements, "a vertex has fewer components");
  require_range(place, "samplers", bound_textures(program), 0, max_elements, "a program has fewer textures");
  require_range(place, "uniforms", uniform_words(program), 0, uint64_t(bkf::kMaxBytes) / 4, "keep them below 64 MiB");
}

void validate_vertex_program(const Frame& frame, size_t number) {
  const VertexProgram& program = frame.vertex_programs[number];
  const Place place{"vertex program", number};
  check_fields(frame, place, program);
  if (program.texts.empty()) fail_at(place, "vertex", "it has no text", "give the shader's");
  validate_uniforms(place, program.blocks, program.uniforms);
  require_range(place, "attributes", program.attributes.size(), 0, size_t(256), "a vertex has fewer attributes");
  require_range(place, "samplers", bound_textures(program), 0, uint64_t(bkf::kMaxElements),
                "a program has fewer textures");
  require_range(place, "uniforms", uniform_words(program), 0, uint64_t(bkf::kMaxBytes) / 4, "keep them below 64 MiB");
}

bool is_color(TargetPlane plane) { return plane < TargetPlane::depth; }

// Rejects planes that the target does not have.
void require_plane(const Frame& frame, const Place& place, const char* field, uint32_t target, TargetPlane plane) {
  const size_t colors = std::max<size_t>(frame.targets[target].colors.size(), 1);
  if (is_color(plane) && size_t(plane) >= colors) {
    fail_at(place, field, fmt::format("target {} has no colour {}", target, size_t(plane)),
            "name a colour that it has");
  }
}

void validate_captured_texture(const Frame& frame, size_t number) {
  const CapturedTexture& texture = frame.captured_textures[number];
  const Place place{"texture", number};
  check_fields(frame, place, texture);
  const bool is_buffer = texture.kind == TextureKind::buffer;
  const int max_width = is_buffer ? 1 << 27 : kMaxTargetSize;
  require_range(place, "size", texture.width, 1, max_width, "use a smaller texture");
  require_range(place, "size", texture.height, 1, is_buffer ? 1 : kMaxTargetSize, "use a smaller texture");
  require_range(place, "size", texture.depth, 1, kMaxTargetLayers, "use fewer layers");
  const bool cube = texture.kind == TextureKind::cube || texture.kind == TextureKind::cube_array;
  if (cube && texture.depth % 6 != 0) fail_at(place, "size", "a cube has six faces", "give all of them");
  const bool multisampled = texture.kind == TextureKind::multisampled;
  if (multisampled) {
    require_range(place, "levels", texture.levels, 1, 1, "a multisampled texture has one level");
    if (texture.depth > int(kSampleLayers) && texture.depth % int(kSampleLayers) != 0)
      fail_at(place, "size", "the third number counts the samples of a pixel, at most 8, or 8 for each layer",
              "give a multiple of 8");
  }
  for (const TextureImage& image : texture.images) {
    require_range(place, "images", image.level, 0, uint32_t(texture.levels) - 1, "name a level of the texture");
    require_range(place, "images", image.layer, 0, uint32_t(texture.depth) - 1, "name a layer of the texture");
    require_plane(frame, place, "images", image.target, image.plane);
    const uint32_t sample = sample_of_layer(image.layer);
    if (multisampled && sample >= uint32_t(frame.targets[image.target].samples)) {
      fail_at(place, "images", fmt::format("target {} has no sample {}", image.target, sample),
              "name a sample of the target as the layer");
    }
  }
  if (texture.stored) {
    require_extent(place, "data", texture.first_byte, texture_bytes(texture), frame.texture_data.size(),
                   "bytes of textures");
  }
}

// Checks the ranges that programs of all stages read.
void validate_what_is_read(const Frame& frame, const ProgramNeeds& needs, const Place& place, const auto& program,
                           const auto& inputs) {
  require_extent(place, "uniforms", inputs.first_uniform, needs.uniform_words, frame.uniforms.size(), "uniforms");
  if (inputs.first_of_blocks.size() != program.blocks.size()) {
    fail_at(place, "blocks", "their number is not the program's", "give each block its values");
  }
  for (size_t i = 0; i < program.blocks.size(); i++) {
    require_extent(place, "blocks", inputs.first_of_blocks[i], program.blocks[i].size / 4, frame.uniforms.size(),
                   "uniforms");
  }
  if (inputs.textures.size() != needs.textures) {
    fail_at(place, "textures", "their number is not that of the program's samplers", "give each sampler its texture");
  }
  const int last_texture = int(frame.captured_textures.size()) - 1;
  const int last_sampler = int(frame.captured_samplers.size()) - 1;
  for (const BoundTexture& bound : inputs.textures) {
    require_range(place, "textures", bound.texture, -1, last_texture, "use -1 for no texture");
    require_range(place, "textures", bound.sampler, -1, last_sampler, "use -1 for no texture");
  }
}

}  // namespace

void validate_programs(const Frame& frame) {
  for (size_t i = 0; i < frame.programs.size(); i++) validate_program(frame, i);
  for (size_t i = 0; i < frame.vertex_programs.size(); i++) validate_vertex_program(frame, i);
  for (size_t i = 0; i < frame.captured_textures.size(); i++) validate_captured_texture(frame, i);
  for (size_t i = 0; i < frame.captured_samplers.size(); i++) {
    check_fields(frame, {"sampler", i}, frame.captured_samplers[i]);
  }
}

void validate_inputs(const Frame& frame, std::span<const ProgramNeeds> sizes, const Place& place,
                     const DrawCommand& draw) {
  require_index(place, "inputs", uint64_t(draw.inputs), frame.inputs.size(), "inputs");
  const DrawInputs& inputs = frame.inputs[size_t(draw.inputs)];
  require_index(place, "program", inputs.program, frame.programs.size(), "programs");
  const FragmentProgram& program = frame.programs[inputs.program];
  const ProgramNeeds& needs = sizes[inputs.program];
  const uint64_t vertices = uint64_t(draw.vertex_count) * draw.instances;
  require_extent(place, "varyings", inputs.first_varying, needs.varying_components * vertices, frame.varyings.size(),
                 "varyings");
  validate_what_is_read(frame, needs, place, program, inputs);
  int last_plane = 0;
  for (const DrawBuffer& buffer : frame.states[draw.state].buffers) last_plane = std::max(last_plane, buffer.plane);
  for (uint32_t i = 0; i < draw.view_count && last_plane > 0; i++) {
    require_plane(frame, place, "state", frame.views[draw.first_view + i].target, TargetPlane(last_plane));
  }
}

void validate_vertices(const Frame& frame, std::span<const ProgramNeeds> sizes, const Place& place,
                       const DrawCommand& draw) {
  require_index(place, "vertices", uint64_t(draw.vertices), frame.vertex_inputs.size(), "vertex inputs");
  if (draw.vertex_kind != VertexKind::clip_space)
    fail_at(place, "vertex_kind", "a vertex program gives positions in clip space", "use clip_space");
  const VertexInputs& inputs = frame.vertex_inputs[size_t(draw.vertices)];
  require_index(place, "vertexProgram", inputs.program, frame.vertex_programs.size(), "vertex programs");
  const VertexProgram& program = frame.vertex_programs[inputs.program];
  validate_what_is_read(frame, sizes[inputs.program], place, program, inputs);
  if (inputs.attributes.size() != program.attributes.size())
    fail_at(place, "attributes", "their number is not the program's", "give each attribute its values");
  for (size_t i = 0; i < inputs.attributes.size(); i++) {
    const VertexStream& stream = inputs.attributes[i];
    const uint64_t needed = stream.divisor == 0 ? draw.vertex_count
                            : stream.count == 1 ? 1
                                                : (uint64_t(draw.instances) - 1) / stream.divisor + 1;
    if (stream.count < std::max<uint64_t>(needed, 1)) {
      fail_at(
          place, "attributes",
          fmt::format("'{}' has {} values, and the draw reads {}", program.attributes[i].name, stream.count, needed),
          "give it more, or a divisor");
    }
    require_extent(place, "attributes", stream.first,
                   uint64_t(stream.count) * shape_of(program.attributes[i].type).components(), frame.attributes.size(),
                   "words of attributes");
  }
}

void validate_results(const Frame& frame) {
  // The ranges that vertex programs of draws write. Draws may write the same range if they are equal in everything that
  // determines the result.
  struct Range {
    uint64_t begin, end;
    std::tuple<int32_t, uint64_t, uint32_t, uint32_t, uint64_t, uint32_t> source;
    size_t command;
  };
  std::vector<Range> positions, varyings;
  for (size_t i = 0; i < frame.commands.size(); i++) {
    const auto* const draw = std::get_if<DrawCommand>(&frame.commands[i]);
    if (draw == nullptr || draw->vertices < 0) continue;
    const uint64_t vertices = uint64_t(draw->vertex_count) * draw->instances;
    const uint64_t first = draw->inputs < 0 ? 0 : frame.inputs[size_t(draw->inputs)].first_varying;
    const uint32_t program = draw->inputs < 0 ? ~0u : frame.inputs[size_t(draw->inputs)].program;
    const std::tuple source{draw->vertices, draw->first_vertex, draw->vertex_count, draw->instances, first, program};
    if (vertices == 0) continue;
    positions.push_back({draw->first_vertex, draw->first_vertex + vertices, source, i});
    if (draw->inputs < 0) continue;
    const uint64_t stride = varying_components(frame.programs[frame.inputs[size_t(draw->inputs)].program]);
    if (stride > 0) varyings.push_back({first, first + vertices * stride, source, i});
  }
  const auto check = [](std::vector<Range>& ranges, const char* field) {
    std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    for (size_t i = 1; i < ranges.size(); i++) {
      Range &before = ranges[i - 1], &one = ranges[i];
      if (one.begin < before.end && (one.begin != before.begin || one.source != before.source)) {
        fail_at({"command", one.command}, field,
                fmt::format("the vertex program of command {} writes to the same ones", before.command),
                "give each draw its own");
      }
    }
  };
  check(positions, "first_vertex");
  check(varyings, "first_varying");
}

// The caller has checked the targets of commands.
void validate_planes(const Frame& frame, const Place& place, const ClearCommand& clear) {
  for (const PlaneColor& other : clear.other_colors) {
    require_plane(frame, place, "otherColors", clear.target, other.plane);
    if (!is_color(other.plane)) fail_at(place, "otherColors", "one is not a colour", "use depth and stencil");
  }
}
void validate_planes(const Frame& frame, const Place& place, const LoadCommand& load) {
  require_plane(frame, place, "plane", load.target, load.plane);
  require_index(place, "texture", load.texture, frame.captured_textures.size(), "textures");
  const CapturedTexture& texture = frame.captured_textures[load.texture];
  const Target& target = frame.targets[load.target];
  if (!texture.stored || texture.width != target.width || texture.height != target.height || texture.depth != 1) {
    fail_at(place, "texture", "it is not a stored picture of the target's size", "store what the plane held");
  }
}
void validate_planes(const Frame& frame, const Place& place, const GenerateMipsCommand& generate) {
  require_index(place, "texture", generate.texture, frame.captured_textures.size(), "textures");
}
void validate_planes(const Frame& frame, const Place& place, const CopyCommand& copy) {
  require_plane(frame, place, "fromPlane", copy.from, copy.from_plane);
  require_plane(frame, place, "toPlane", copy.to, copy.to_plane);
  if (copy.from_plane != copy.to_plane && !(is_color(copy.from_plane) && is_color(copy.to_plane))) {
    fail_at(place, "toPlane", "it is of another kind than fromPlane", "copy colours to colours, and depth to depth");
  }
  if (copy.source.width < 0 || copy.source.height < 0) {
    fail_at(place, "source", "its size is negative", "give a size of 0 or more");
  }
}

}  // namespace brokkr
