#include "oracle/soup.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "oracle/dice.h"
#include "oracle/frame_builder.h"
#include "oracle/shapes.h"

namespace brokkr::oracle {
namespace {

template <typename Enum>
Enum any_of_enum(Dice& dice, Enum last) {
  return Enum(dice.below(int(last) + 1));
}

class Cook {
 public:
  Cook(uint32_t seed, const SoupOptions& options)
      : dice_(seed), options_(options), builder_(options.width, options.height, options.format, options.layers) {}

  Frame cook() {
    builder_.frame.source = "soup";
    if (options_.samples) frame().targets[0].mirrored_samples = dice_.chance(0.5);
    if (options_.blits) add_second_target();
    for (int i = 0; i < options_.draws; ++i) {
      if (i > 0 && options_.clears && dice_.chance(0.2)) add_clear();
      if (i > 0 && options_.blits && dice_.chance(0.3)) add_blit();
      add_draw();
    }
    return std::move(builder_.frame);
  }

 private:
  Frame& frame() { return builder_.frame; }

  void add_second_target() {
    Target target = frame().targets[0];
    target.id = 1;
    target.layers = 1;
    target.width = std::max(1, target.width / 2);
    target.height = std::max(1, target.height * 2 / 3);
    if (dice_.chance(0.5)) target.format = dice_.chance(0.5) ? ColorFormat::rgba16f : ColorFormat::rgba8;
    frame().targets.push_back(target);
    View view;
    view.target = 1;
    frame().views.push_back(view);
    builder_.add(ClearCommand{1, glm::vec4(0.5f), 1.0f, uint8_t(0), {}});
  }

  glm::vec4 random_color() {  // in a loop, since the compiler chooses the order of a call's arguments
    glm::vec4 color;
    for (int i = 0; i < 4; ++i) color[i] = float(dice_.uniform(0, 1));
    return color;
  }

  Rect random_rect(const Target& target) {
    Rect rect;
    rect.x = dice_.between(-5, target.width / 2);
    rect.y = dice_.between(-5, target.height / 2);
    rect.width = dice_.between(1, target.width);
    rect.height = dice_.between(1, target.height);
    return rect;
  }

  void add_clear() {
    ClearCommand clear;
    clear.target = uint32_t(dice_.below(int(frame().targets.size())));
    const glm::vec4 color = random_color();
    if (dice_.chance(0.5)) clear.color = color;
    if (dice_.chance(0.5)) clear.depth = float(dice_.uniform(0.3, 1));
    if (dice_.chance(0.5)) clear.stencil = uint8_t(dice_.below(4));
    if (dice_.chance(0.5)) clear.scissor = random_rect(frame().targets[clear.target]);
    builder_.add(clear);
  }

  // A blit between the two targets at 1:1 or an odd ratio, so that no sampling position falls between two pixels.
  void add_blit() {
    BlitCommand blit;
    blit.from = uint32_t(dice_.below(2));
    blit.to = 1 - blit.from;
    const Target& small = frame().targets[1];
    const int width = dice_.between(1, small.width / 3), height = dice_.between(1, small.height / 3);
    const auto place = [&](uint32_t target, int scale_x, int scale_y) {
      const Target& t = frame().targets[target];
      Rect rect{0, 0, width * scale_x, height * scale_y};
      rect.x = dice_.between(0, t.width - rect.width);
      rect.y = dice_.between(0, t.height - rect.height);
      return rect;
    };
    const std::array scales{1, 1, 3};
    const auto scale = [&] { return dice_.pick(scales); };
    const int from_x = scale(), from_y = scale(), to_x = scale(), to_y = scale();
    blit.source = place(blit.from, from_x, from_y);
    blit.destination = place(blit.to, to_x, to_y);
    if (dice_.chance(0.3)) {
      blit.destination.y += blit.destination.height;
      blit.destination.height = -blit.destination.height;
    }
    blit.color = dice_.chance(0.8);
    blit.depth = dice_.chance(0.4);
    blit.stencil = dice_.chance(0.4);
    builder_.add(blit);
  }

  BlendTerm random_term(ColorFormat format) {
    // Factors that use the destination would make values of a floating-point target explode.
    const std::array safe{BlendFactor::zero,           BlendFactor::one,
                          BlendFactor::src_color,      BlendFactor::one_minus_src_color,
                          BlendFactor::src_alpha,      BlendFactor::one_minus_src_alpha,
                          BlendFactor::constant_color, BlendFactor::one_minus_constant_color,
                          BlendFactor::constant_alpha, BlendFactor::one_minus_constant_alpha};
    const auto factor = [&] {
      return format == ColorFormat::rgba16f ? dice_.pick(safe) : any_of_enum(dice_, BlendFactor::src_alpha_saturate);
    };
    return {factor(), factor(), dice_.chance(0.5) ? BlendEquation::add : any_of_enum(dice_, BlendEquation::max)};
  }

  StencilState random_stencil() {
    StencilState stencil;
    stencil.func = any_of_enum(dice_, CompareFunc::always);
    stencil.ref = uint8_t(dice_.below(4));
    stencil.mask = dice_.chance(0.6) ? uint8_t(0xff) : uint8_t(dice_.below(8));
    stencil.write_mask = dice_.chance(0.6) ? uint8_t(0xff) : uint8_t(dice_.below(256));
    stencil.stencil_fail = any_of_enum(dice_, StencilOp::decrement_wrap);
    stencil.depth_fail = any_of_enum(dice_, StencilOp::decrement_wrap);
    stencil.pass = any_of_enum(dice_, StencilOp::decrement_wrap);
    return stencil;
  }

  void randomise_masks(State& state, const Target& target) {
    if (dice_.chance(0.3)) {
      for (bool& channel : state.color_mask) channel = dice_.chance(0.6);
    }
    if (dice_.chance(0.3)) state.scissor = random_rect(target);
    if (dice_.chance(0.4)) state.cull = any_of_enum(dice_, CullMode::back);
    if (dice_.chance(0.02)) state.cull = CullMode::front_and_back;
    if (dice_.chance(0.5)) state.front_face = FrontFace::cw;
    if (dice_.chance(0.2)) {
      state.depth_near = float(dice_.uniform(0, 1));
      state.depth_far = float(dice_.uniform(0, 1));
    }
  }

  State random_state(const Target& target) {
    State state;
    state.viewport = {0, 0, float(target.width), float(target.height)};
    // quarters of pixels, so that no viewport edge passes through a pixel centre
    if (options_.masks && dice_.chance(0.25)) {
      const auto quarter = [&](int low, int high) {
        const int whole = dice_.between(low, high);
        return float(whole) + (dice_.chance(0.5) ? 0.25f : 0.0f);
      };
      state.viewport = {quarter(-20, target.width / 2), quarter(-20, target.height / 2), quarter(20, target.width),
                        quarter(20, target.height)};
    }
    if (options_.masks) randomise_masks(state, target);
    if (options_.depth_states && dice_.chance(0.6)) {
      state.depth.test = dice_.chance(0.85);
      state.depth.write = dice_.chance(0.7);
      state.depth.func = any_of_enum(dice_, CompareFunc::always);
    }
    if (options_.blending && dice_.chance(0.5)) {
      const glm::vec4 constant = random_color();
      const BlendTerm color = random_term(target.format), alpha = random_term(target.format);
      state.blend = BlendState{color, alpha, constant};
    }
    if (options_.logic_ops && dice_.chance(0.8)) state.logic_op = any_of_enum(dice_, LogicOp::set);
    if (options_.stencil && dice_.chance(0.25)) state.stencil = random_stencil();
    if (options_.samples) {
      if (dice_.chance(0.4)) state.sample_mask = dice_.between(0, 255);
      state.one_sample = dice_.chance(0.2);
    }
    if (options_.alpha_test && dice_.chance(0.3)) {
      state.alpha_test = AlphaTest{any_of_enum(dice_, CompareFunc::always), float(dice_.uniform(0, 1))};
    }
    if (options_.polygon_offset && dice_.chance(0.3)) {
      state.polygon_offset = PolygonOffset{float(dice_.uniform(-2, 2)), float(dice_.between(-64, 64))};
    }
    return state;
  }

  ShapeKind random_kind() {
    if (options_.clipping && dice_.chance(0.5)) return dice_.chance(0.7) ? ShapeKind::crossing : ShapeKind::guard_band;
    return ShapeKind(dice_.below(int(ShapeKind::broken) + 1));
  }

  void choose_views(DrawCommand& draw) {
    const int layers = options_.layers;
    draw.first_view = uint32_t(dice_.below(layers));
    if (options_.instances) draw.view_count = uint32_t(dice_.between(1, layers - int(draw.first_view)));
    if (options_.blits && dice_.chance(0.3)) {
      draw.first_view = uint32_t(layers);  // the second target's view
      draw.view_count = 1;
    }
  }

  // Positions of all instances: those of the first, moved randomly.
  std::vector<glm::vec4> instanced(const std::vector<glm::vec4>& positions, uint32_t instances) {
    std::vector<glm::vec4> all = positions;
    for (uint32_t i = 1; i < instances; ++i) {
      const float dx = float(dice_.uniform(-0.4, 0.4)), dy = float(dice_.uniform(-0.4, 0.4));
      for (const glm::vec4& p : positions) all.push_back({p.x + dx * p.w, p.y + dy * p.w, p.z, p.w});
    }
    return all;
  }

  void add_draw() {
    DrawCommand draw;
    choose_views(draw);
    const Target& target = frame().targets[frame().views[draw.first_view].target];
    State state = random_state(target);
    const bool again = last_ && dice_.chance(0.2);  // another pass over the same triangles: depths tie
    if (again) {
      state.viewport = frame().states[last_->state].viewport;
      state.depth_near = frame().states[last_->state].depth_near;
      state.depth_far = frame().states[last_->state].depth_far;
      const uint32_t first_view = draw.first_view, view_count = draw.view_count;
      draw = *last_;
      draw.first_view = first_view;
      draw.view_count = view_count;
    } else {
      const Shape shape = make_shape(dice_, random_kind(), state.viewport, options_.triangles);
      draw.instances = options_.instances ? uint32_t(dice_.between(1, 3)) : 1;
      draw.topology = shape.topology;
      draw.restart = shape.restart;
      draw.indexed = !shape.indices.empty();
      draw.first_index = frame().indices.size();
      draw.first_vertex = frame().positions.size();
      draw.vertex_count = uint32_t(shape.positions.size());
      draw.element_count = uint32_t(draw.indexed ? shape.indices.size() : shape.positions.size());
      const std::vector<glm::vec4> positions = instanced(shape.positions, draw.instances);
      frame().positions.insert(frame().positions.end(), positions.begin(), positions.end());
      frame().indices.insert(frame().indices.end(), shape.indices.begin(), shape.indices.end());
      if (options_.depth_clamp && dice_.chance(0.5)) draw.flags |= kDepthClamp;
      if (options_.depth_clamp && dice_.chance(0.5)) draw.flags |= kZeroToOne;
    }
    draw.state = uint32_t(frame().states.size());
    draw.label = "#" + std::to_string(frame().commands.size());
    frame().states.push_back(state);
    builder_.add(draw);
    last_ = draw;
  }

  Dice dice_;
  SoupOptions options_;
  FrameBuilder builder_;
  std::optional<DrawCommand> last_;
};

}  // namespace

Frame make_soup(uint32_t seed, const SoupOptions& options) { return Cook(seed, options).cook(); }

}  // namespace brokkr::oracle
