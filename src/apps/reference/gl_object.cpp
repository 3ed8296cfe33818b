#include "reference/gl_object.h"

#include "frame/gl_names.h"

namespace brokkr {
namespace {

void apply_primitive_state(const State& state) {
  enable(GL_CULL_FACE, state.cull != CullMode::none);
  if (state.cull != CullMode::none) {
    static constexpr GLenum kFaces[] = {GL_BACK, GL_FRONT, GL_BACK, GL_FRONT_AND_BACK};
    glCullFace(kFaces[size_t(state.cull)]);
  }
  glFrontFace(state.front_face == FrontFace::ccw ? GL_CCW : GL_CW);
  static constexpr GLenum kModes[] = {GL_FILL, GL_LINE, GL_POINT};
  glPolygonMode(GL_FRONT_AND_BACK, kModes[size_t(state.polygon_mode)]);
  for (int mode : {GL_POLYGON_OFFSET_FILL, GL_POLYGON_OFFSET_LINE, GL_POLYGON_OFFSET_POINT})
    enable(GLenum(mode), state.polygon_offset.has_value());
  if (state.polygon_offset) glPolygonOffset(state.polygon_offset->factor, state.polygon_offset->units);
}

void apply_fragment_state(const State& state) {
  enable(GL_DEPTH_TEST, state.depth.test);  // if off, depth is not written either
  glDepthMask(state.depth.write);
  glDepthFunc(to_gl(kGlCompareFuncs, state.depth.func));

  enable(GL_STENCIL_TEST, state.stencil.has_value());
  if (state.stencil) {
    glStencilFunc(to_gl(kGlCompareFuncs, state.stencil->func), state.stencil->ref, state.stencil->mask);
    glStencilMask(state.stencil->write_mask);
    glStencilOp(to_gl(kGlStencilOps, state.stencil->stencil_fail), to_gl(kGlStencilOps, state.stencil->depth_fail),
                to_gl(kGlStencilOps, state.stencil->pass));
  }

  enable(GL_COLOR_LOGIC_OP, state.logic_op.has_value());
  if (state.logic_op) glLogicOp(to_gl(kGlLogicOps, *state.logic_op));
  enable(GL_BLEND, state.blend.has_value());
  if (state.blend) {
    const BlendState& blend = *state.blend;
    glBlendEquationSeparate(to_gl(kGlBlendEquations, blend.color.equation),
                            to_gl(kGlBlendEquations, blend.alpha.equation));
    glBlendFuncSeparate(to_gl(kGlBlendFactors, blend.color.src), to_gl(kGlBlendFactors, blend.color.dst),
                        to_gl(kGlBlendFactors, blend.alpha.src), to_gl(kGlBlendFactors, blend.alpha.dst));
    glBlendColor(blend.constant.x, blend.constant.y, blend.constant.z, blend.constant.w);
  }
  glColorMask(state.color_mask[0], state.color_mask[1], state.color_mask[2], state.color_mask[3]);
}

// Sets blending and mask of one draw buffer; without `blend` its colours are overwritten.
void apply_buffer(GLuint number, const DrawBuffer& buffer) {
  buffer.blend ? glEnablei(GL_BLEND, number) : glDisablei(GL_BLEND, number);
  if (buffer.blend) {
    const BlendTerm &color = buffer.blend->color, &alpha = buffer.blend->alpha;
    glBlendEquationSeparatei(number, to_gl(kGlBlendEquations, color.equation),
                             to_gl(kGlBlendEquations, alpha.equation));
    glBlendFuncSeparatei(number, to_gl(kGlBlendFactors, color.src), to_gl(kGlBlendFactors, color.dst),
                         to_gl(kGlBlendFactors, alpha.src), to_gl(kGlBlendFactors, alpha.dst));
    const glm::vec4& constant = buffer.blend->constant;
    glBlendColor(constant.x, constant.y, constant.z, constant.w);
  }
  const auto& mask = buffer.color_mask;
  glColorMaski(number, mask[0], mask[1], mask[2], mask[3]);
}

}  // namespace

void enable(GLenum capability, bool on) { on ? glEnable(capability) : glDisable(capability); }

void apply_state(const State& state, uint32_t flags) {
  glViewportIndexedf(0, state.viewport.x, state.viewport.y, state.viewport.z, state.viewport.w);
  glDepthRange(double(state.depth_near), double(state.depth_far));
  glClipControl(flags & kOriginUpperLeft ? GL_UPPER_LEFT : GL_LOWER_LEFT,
                flags & kZeroToOne ? GL_ZERO_TO_ONE : GL_NEGATIVE_ONE_TO_ONE);
  enable(GL_DEPTH_CLAMP, flags & kDepthClamp);
  glProvokingVertex(flags & kProvokingFirst ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
  enable(GL_SCISSOR_TEST, state.scissor.has_value());
  if (state.scissor) glScissor(state.scissor->x, state.scissor->y, state.scissor->width, state.scissor->height);
  apply_primitive_state(state);
  apply_fragment_state(state);
}

void apply_samples(const State& state) {
  enable(GL_MULTISAMPLE, !state.one_sample);
  enable(GL_SAMPLE_SHADING, state.sample_shading);
  glMinSampleShading(1.0f);
  enable(GL_SAMPLE_ALPHA_TO_COVERAGE, state.alpha_to_coverage);
  enable(GL_SAMPLE_ALPHA_TO_ONE, state.alpha_to_one);
  enable(GL_SAMPLE_MASK, state.sample_mask != 0xff);
  glSampleMaski(0, GLbitfield(state.sample_mask));
}

void apply_program_state(const State& state) {
  for (size_t i = 0; i < state.buffers.size(); ++i) apply_buffer(GLuint(i), state.buffers[i]);
  enable(GL_ALPHA_TEST, state.alpha_test.has_value());
  if (state.alpha_test) glAlphaFunc(to_gl(kGlCompareFuncs, state.alpha_test->func), state.alpha_test->ref);
  enable(GL_FRAMEBUFFER_SRGB, state.framebuffer_srgb);
  glShadeModel(state.flat_shading ? GL_FLAT : GL_SMOOTH);
  enable(GL_POINT_SPRITE, state.point_sprites);
  glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, state.point_origin_low ? GL_LOWER_LEFT : GL_UPPER_LEFT);
  for (int unit = 0; unit < 8; ++unit) {
    glActiveTexture(GL_TEXTURE0 + GLenum(unit));
    glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, state.coord_replace >> unit & 1);
  }
  glLineWidth(state.line_width);
  enable(GL_LINE_SMOOTH, state.smooth_lines);
  glPointSize(state.point_size);
  apply_samples(state);
}

}  // namespace brokkr
