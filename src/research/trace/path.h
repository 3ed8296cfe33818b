// Light paths, one per lane, starting at the lens.
//
// At each surface the path samples one light (a triangle or the sun) and continues in a direction that the surface
// samples. Contributions that both could have found are weighted by the balance heuristic [Veach97, 9.2]. A ray passes
// through cut-outs and transparent surfaces and continues behind them. Russian roulette ends paths, more likely if they
// carry little light; paths also end after a maximum number of bounces.
#pragma once

#include "trace/scatter.h"
#include "trace/walk.h"

BROKKR_MACHINE_BEGIN
namespace trace_machine {

// The number of cut-outs that a path's ray may pass; the next one is opaque.
BROKKR_CONSTANT int kMostPassed = 64;
// Russian roulette starts at this bounce.
BROKKR_CONSTANT int kSafeBounces = 3;

struct Path {
  Ray ray;
  V3 carries, gathered;
  Float density = 0.0f;  // density of the direction, by the surface that the path left; 0: the lens
  Int bounce = 0, passed = 0;
};

struct PathCounts {
  Uint segments = 0u, shadows = 0u;
  Effort effort;
};

// Pairs of a sample's dimensions.
enum PairOf : uint32_t { kPixelPair, kLensPair, kFirstBouncePair, kPairsOfBounce = 4 };

BROKKR_FN Path start_path(const LensRecord& lens, Float px, Float py, const Sampler& sampler) {
  const V2 in_pixel = sampler.point(uint32_t(kPixelPair));
  const Float x = px + in_pixel.x, y = py + in_pixel.y;
  V3 direction = uniform(lens.corner) + uniform(lens.right) * x + uniform(lens.up) * y;
  V3 origin = uniform(lens.eye);
  if (lens.aperture > 0.0f) {
    const V2 on_lens = disk_point(sampler.point(uint32_t(kLensPair)));
    const V3 offset =
        uniform(lens.lens_x) * (on_lens.x * lens.aperture) + uniform(lens.lens_y) * (on_lens.y * lens.aperture);
    origin = origin + offset;
    direction = direction * lens.focus - offset;
  }
  Path path;
  path.ray = make_ray(origin, normalized(direction));
  path.carries = all_of(1.0f);
  path.gathered = all_of(0.0f);
  return path;
}

// The fraction 0..1 of light that passes along the ray up to its limit, for lanes m.
BROKKR_FN Float unhindered(Warp& w, const SceneTables& scene, Ray ray, Effort& effort, uint32_t* stack, Mask m) {
  if (scene.all_opaque) return select(any_hit(w, scene, ray, effort, stack, m), 0.0f, Float(1.0f));
  Float through = 1.0f;
  Mask active = m;
  for (int passed = 0; passed < kMostPassed && w.any(active); ++passed) {
    const Hit hit = nearest_hit(w, scene, ray, effort, stack, active);
    active = active && hit.primitive != kNone;
    if (!w.any(active)) break;
    through = select(active, through * (1.0f - find_opacity(w, scene, hit, active)), through);
    active = active && through > 0.0f;
    ray.after = select(active, hit.t, ray.after);
    ray.after_primitive = select(active, as_int(hit.primitive), ray.after_primitive);
  }
  return select(active, 0.0f, through);
}

// The light from one sampled light that the surface scatters along the path.
BROKKR_FN V3 light_from_lights(Warp& w, const SceneTables& scene, const Surface& s, const Axes& axes,
                               const Scattering& scattering, Float which, V2 u, PathCounts& counts, uint32_t* stack,
                               Mask m) {
  const bool has_sun = scene.sun[0] + scene.sun[1] + scene.sun[2] > 0.0f;
  const bool has_lights = scene.light_count > 0;
  if (!has_sun && !has_lights) return all_of(0.0f);
  const float sun_part = has_sun ? (has_lights ? 0.5f : 1.0f) : 0.0f;
  const Mask by_sun = which < sun_part;
  const V3 start = s.point + s.geometric * (2.0f * scene.tolerance);  // the same origin as the path's next ray
  V3 to_light = uniform(scene.to_sun), radiance = uniform(scene.sun) * (has_sun ? 1.0f / sun_part : 0.0f);
  Float limit = 3e38f;
  Mask lit = m;
  if (has_lights) {
    const Float choice = (which - sun_part) * (1.0f / (1.0f - sun_part));
    Uint low = 0u, high = scene.light_count - 1;
    for (uint32_t size = scene.light_count; size > 1; size = (size + 1) / 2) {
      const Uint middle = (low + high) >> 1;
      const Mask above = choice >= gather_word(w, scene.lights, middle, 2, 1, m);
      const Mask open = low < high;
      low = select(open && above, middle + 1u, low);
      high = select(open && !above, middle, high);
    }
    const Uint id = gather_bits(w, scene.lights, low, 2, 0, m);
    const V3 corner = gather3(w, scene.triangles, id, kTriangleWords, 0, m);
    const V3 e1 = gather3(w, scene.triangles, id, kTriangleWords, 3, m);
    const V3 e2 = gather3(w, scene.triangles, id, kTriangleWords, 6, m);
    const Float root = sqrt(u.x);
    Hit there;
    there.u = root * (1.0f - u.y);
    there.v = root * u.y;
    there.primitive = id;
    const V3 away = corner + e1 * there.u + e2 * there.v - start;
    const Float distance2 = maximum(dot(away, away), 1e-20f);
    const Float distance = sqrt(distance2);
    const V3 direction = away * (1.0f / distance);
    const Float facing = absolute(dot(normalized(cross(e1, e2)), direction));
    const Uint material = gather_bits(w, scene.triangles, id, kTriangleWords, 9, m);
    const auto field = [&](int k) { return gather_word(w, scene.materials, material, kMaterialWords, k, m); };
    const HitAttributes at(w, scene, there, m);
    const V3 emission =
        V3{field(kEmission), field(kEmission + 1), field(kEmission + 2)} * at.texel(material, kEmissionMapping).color;
    // Densities with respect to solid angle.
    const Float its_density = field(kLightDensity) * (1.0f - sun_part) * distance2 / maximum(facing, 1e-6f);
    const V3 local = axes.to_local(direction);
    const Float other = scattering.value(local).density;
    const Float weight = its_density / maximum(its_density + other, 1e-20f);
    const Mask usable = facing > 1e-6f && its_density > 0.0f;
    to_light = select3(by_sun, to_light, direction);
    radiance = select3(by_sun, radiance, emission * (weight / maximum(its_density, 1e-20f)));
    limit = select(by_sun, limit, distance * (1.0f - 1e-4f));
    lit = lit && (by_sun || usable);
  }
  const V3 local = axes.to_local(to_light);
  lit = lit && local.z > 0.0f && dot(to_light, s.geometric) > 0.0f;
  const V3 color = scattering.value(local).color * radiance;
  lit = lit && largest(color) > 0.0f;
  if (!w.any(lit)) return all_of(0.0f);
  counts.shadows += select(lit, 1u, 0u);
  Ray ray = make_ray(start, to_light);
  ray.limit = limit;
  const Float through = unhindered(w, scene, ray, counts.effort, stack, lit);
  return select3(lit, color * through, all_of(0.0f));
}

// Advances the lanes of m to their next surface and beyond. Returns the lanes whose path continues.
BROKKR_FN Mask advance(Warp& w, const TracePlan& plan, Path& path, const Sampler& sampler, PathCounts& counts,
                       uint32_t* stack, Mask m) {
  const SceneTables& scene = plan.scene;
  counts.segments += select(m, 1u, 0u);
  const Hit hit = nearest_hit(w, scene, path.ray, counts.effort, stack, m);
  const Mask escaped = m && hit.primitive == kNone;
  path.gathered = select3(escaped, path.gathered + path.carries * uniform(scene.sky), path.gathered);
  Mask on = m && hit.primitive != kNone;
  if (!w.any(on)) return on;
  const Surface s = find_surface(w, scene, path.ray, hit, on);
  const Uint pair = as_uint(path.bounce) * uint32_t(kPairsOfBounce) + uint32_t(kFirstBouncePair);
  // Decides which surface is hit and whether the path ends; each passed cut-out transforms the first number.
  const V2 chances = sampler.point(pair);
  const Float met = fraction(chances.x + to_float(path.passed) * 0.61803399f);
  const Mask passes = on && met >= s.opacity && path.passed < kMostPassed;
  path.passed = select(passes, path.passed + 1, path.passed);
  path.ray.after = select(passes, hit.t, path.ray.after);
  path.ray.after_primitive = select(passes, as_int(hit.primitive), path.ray.after_primitive);
  on = on && !passes;
  if (!w.any(on)) return passes;

  // Light emitted by the surface itself, which could also have been sampled as a light at the previous surface.
  const Float facing = absolute(dot(s.geometric, path.ray.direction));
  const bool has_sun = scene.sun[0] + scene.sun[1] + scene.sun[2] > 0.0f;
  const Float asked = s.light_density * (has_sun ? 0.5f : 1.0f) * (hit.t * hit.t) / maximum(facing, 1e-6f);
  const Mask could = path.density > 0.0f && s.light_density > 0.0f && facing > 1e-6f;
  const Float weight = select(could, path.density / maximum(path.density + asked, 1e-20f), 1.0f);
  path.gathered = select3(on, path.gathered + path.carries * s.emission * weight, path.gathered);
  on = on && path.bounce < int(plan.bounces);
  if (!w.any(on)) return passes;

  const Axes axes = axes_around(s.normal);
  const Scattering scattering(s, axes.to_local(-path.ray.direction));
  const V2 light_which = sampler.point(pair + 1u);
  const V3 direct =
      light_from_lights(w, scene, s, axes, scattering, light_which.x, sampler.point(pair + 2u), counts, stack, on);
  path.gathered = select3(on, path.gathered + path.carries * direct, path.gathered);

  const V3 local = scattering.choose(light_which.y, sampler.point(pair + 3u));
  const Scattering::Value value = scattering.value(local);
  const V3 direction = axes.to_world(local);
  on = on && value.density > 1e-12f && dot(direction, s.geometric) > 0.0f;
  V3 carries = path.carries * value.color * (1.0f / maximum(value.density, 1e-12f));
  const Float survives = select(path.bounce >= kSafeBounces, clamp_to(largest(carries), 0.0f, 1.0f), 1.0f);
  on = on && chances.y < survives && largest(carries) > 0.0f;
  carries = carries * (1.0f / maximum(survives, 1e-12f));
  const Ray next = make_ray(s.point + s.geometric * (2.0f * scene.tolerance), normalized(direction));
  path.carries = select3(on, carries, path.carries);
  path.density = select(on, value.density, path.density);
  path.bounce = select(on, path.bounce + 1, path.bounce);
  path.passed = select(on, 0, path.passed);
  path.ray.origin = select3(on, next.origin, path.ray.origin);
  path.ray.direction = select3(on, next.direction, path.ray.direction);
  path.ray.inverse = select3(on, next.inverse, path.ray.inverse);
  path.ray.after = select(on, 0.0f, path.ray.after);
  path.ray.after_primitive = select(on, -1, path.ray.after_primitive);
  return on || passes;
}

}  // namespace trace_machine
BROKKR_MACHINE_END
