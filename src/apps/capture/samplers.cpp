#include "capture/samplers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "capture/state_guard.h"
#include "frame/gl_names.h"

namespace brokkr::capture {
namespace {

float finite_or(GLfloat value, float otherwise) { return std::isfinite(value) ? value : otherwise; }

TextureWrap to_wrap(GLint wrap) {
  constexpr GLenum kWraps[] = {GL_REPEAT,          GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE,
                               GL_CLAMP_TO_BORDER, GL_CLAMP,           GL_MIRROR_CLAMP_TO_EDGE};
  return from_gl<TextureWrap>(kWraps, static_cast<GLenum>(wrap)).value_or(TextureWrap::repeat);
}

// Parameters of a sampler object or, without one, of the bound texture.
class Parameters {
 public:
  Parameters(GLuint sampler, GLenum target) : sampler_(sampler), target_(target) {}

  GLint number(GLenum name) const {
    GLint value = 0;
    sampler_ ? GL(GetSamplerParameteriv)(sampler_, name, &value) : GL(GetTexParameteriv)(target_, name, &value);
    return value;
  }
  std::array<GLfloat, 4> reals(GLenum name) const {
    std::array<GLfloat, 4> values{};
    sampler_ ? GL(GetSamplerParameterfv)(sampler_, name, values.data())
             : GL(GetTexParameterfv)(target_, name, values.data());
    return values;
  }

 private:
  GLuint sampler_;
  GLenum target_;
};

void read_filters(const Parameters& from, CapturedSampler& sampler) {
  const GLint minify = from.number(GL_TEXTURE_MIN_FILTER);
  sampler.magnify_linear = from.number(GL_TEXTURE_MAG_FILTER) == GL_LINEAR;
  sampler.minify_linear =
      minify == GL_LINEAR || minify == GL_LINEAR_MIPMAP_NEAREST || minify == GL_LINEAR_MIPMAP_LINEAR;
  sampler.mip = minify == GL_NEAREST || minify == GL_LINEAR                                 ? MipFilter::none
                : minify == GL_NEAREST_MIPMAP_NEAREST || minify == GL_LINEAR_MIPMAP_NEAREST ? MipFilter::nearest
                                                                                            : MipFilter::linear;
}

// Parameters that only textures have.
void read_texture_parameters(const Context& context, GLenum target, CapturedSampler& sampler) {
  const Parameters own(0, target);
  sampler.base_level = std::clamp(own.number(GL_TEXTURE_BASE_LEVEL), 0, 1000);
  sampler.max_level = std::clamp(own.number(GL_TEXTURE_MAX_LEVEL), 0, 1000);
  if (context.info.swizzle) {
    constexpr GLenum kSwizzles[] = {GL_RED, GL_GREEN, GL_BLUE, GL_ALPHA, GL_ZERO, GL_ONE};
    constexpr std::array<GLenum, 4> kChannels = {GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_SWIZZLE_G, GL_TEXTURE_SWIZZLE_B,
                                                 GL_TEXTURE_SWIZZLE_A};
    for (size_t i = 0; i < 4; i++) {
      const auto known = from_gl<Swizzle>(kSwizzles, static_cast<GLenum>(own.number(kChannels[i])));
      sampler.swizzle[i] = known.value_or(sampler.swizzle[i]);
    }
  }
  if (context.info.compatibility) {
    constexpr GLenum kModes[] = {GL_LUMINANCE, GL_INTENSITY, GL_ALPHA, GL_RED};
    const auto known = from_gl<DepthMode>(kModes, static_cast<GLenum>(own.number(GL_DEPTH_TEXTURE_MODE)));
    sampler.depth_mode = known.value_or(DepthMode::luminance);
  }
}

}  // namespace

CapturedSampler read_sampler(const Context& context, GLenum target) {
  const GLuint object = context.info.sampler_objects ? get_name(GL_SAMPLER_BINDING) : 0;
  const Parameters from(object, target);
  CapturedSampler sampler;
  read_filters(from, sampler);
  sampler.wrap = {to_wrap(from.number(GL_TEXTURE_WRAP_S)), to_wrap(from.number(GL_TEXTURE_WRAP_T)),
                  to_wrap(from.number(GL_TEXTURE_WRAP_R))};
  sampler.lod_min = finite_or(from.reals(GL_TEXTURE_MIN_LOD)[0], -1000);
  sampler.lod_max = finite_or(from.reals(GL_TEXTURE_MAX_LOD)[0], 1000);
  if (context.info.version >= 14) sampler.lod_bias = finite_or(from.reals(GL_TEXTURE_LOD_BIAS)[0], 0);
  if (context.info.compatibility && context.info.version >= 14) {
    GLfloat bias = 0;
    GL(GetTexEnvfv)(GL_TEXTURE_FILTER_CONTROL, GL_TEXTURE_LOD_BIAS, &bias);
    sampler.lod_bias += finite_or(bias, 0);
  }
  if (context.info.anisotropy) sampler.anisotropy = finite_or(from.reals(GL_TEXTURE_MAX_ANISOTROPY)[0], 1);
  const std::array<GLfloat, 4> border = from.reals(GL_TEXTURE_BORDER_COLOR);
  for (size_t i = 0; i < 4; i++) sampler.border[static_cast<glm::length_t>(i)] = finite_or(border[i], 0);
  if (from.number(GL_TEXTURE_COMPARE_MODE) == GL_COMPARE_REF_TO_TEXTURE) {
    sampler.compare = from_gl<CompareFunc>(kGlCompareFuncs, static_cast<GLenum>(from.number(GL_TEXTURE_COMPARE_FUNC)))
                          .value_or(CompareFunc::lequal);
  }
  if (context.info.srgb_decode) sampler.srgb_decode = from.number(GL_TEXTURE_SRGB_DECODE_EXT) != GL_SKIP_DECODE_EXT;
  if (context.info.seamless) sampler.seamless = is_enabled(GL_TEXTURE_CUBE_MAP_SEAMLESS);
  read_texture_parameters(context, target, sampler);
  take_errors();  // caused by parameters that a driver does not know
  return sampler;
}

}  // namespace brokkr::capture
