// Differentiable rendering: rasterize, interpolate, texture and antialias, each with its backward step, on plain
// arrays.
//
// Conventions. All arrays are dense, row-major float32 or int32 in the caller's memory. Pictures are [images, height,
// width, ...]; their rows run from the bottom to the top, as in OpenGL. Positions are in clip space, -w <= x, y, z <=
// w. Texture coordinates are 0..1 over the texture; its first row is at v = 0. N, H, W, V, T, A, C below are the
// numbers of images, rows, columns, vertices, triangles, channels of attributes and channels of colours.
//
// A raster is float32 [N, H, W, 4]: u, v, z/w, number of the triangle + 1. u and v are the weights of the triangle's
// first and second vertex. All four are 0 in pixels without a triangle. Its derivatives are [N, H, W, 4]: du/dX, du/dY,
// dv/dX, dv/dY, where X and Y count pixels. float32 holds numbers up to 2^24; for more triangles, pass the numbers as
// int32 too (DiffRaster::ids).
//
// Backward steps take the gradient of a loss for an output, and overwrite the gradients for the inputs. A null pointer
// omits a gradient. Sums over pixels are taken in 64-bit integers, whose unit is a power of two below the largest
// contribution. They have the same bits for any number of workers, any instruction set and any machine. If a
// contribution is not finite, the channel of that gradient is NaN everywhere.
//
// Mathematics: [Laine20, 3] and [Pidhorskyi24] for the operations, [Olano97] for homogeneous coordinates.
//
// Functions throw std::invalid_argument if an argument is out of its range. The message begins with the argument's
// name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "brokkr/choices.h"
#include "brokkr/version.h"

#pragma GCC visibility push(default)
namespace brokkr {

// Sizes of pictures, in pixels; each is at least 1.
struct DiffShape {
  int32_t images = 1, height = 0, width = 0;
};

// Triangles and the clip-space positions of their vertices.
struct DiffMesh {
  const float* pos = nullptr;  // [N, V, 4]; [V, 4] if `shared`
  int64_t vertices = 0;
  bool shared = false;           // all images have the same positions
  const int32_t* tri = nullptr;  // [T, 3], each in 0 .. V - 1
  int64_t triangles = 0;         // at most 2^29
  // [N, 2]: first triangle and number of triangles of each image; null: each image has all
  const int32_t* ranges = nullptr;
};

struct DiffRaster {
  const float* rast = nullptr;   // [N, H, W, 4]
  const int32_t* ids = nullptr;  // [N, H, W]: number of the triangle, -1: none; null: the numbers in `rast`
};

struct DiffAttributes {
  const float* attr = nullptr;  // [N, V, A]; [V, A] if `shared`
  int64_t vertices = 0;
  int32_t channels = 0;
  bool shared = false;
};

enum class DiffFilter : uint8_t { nearest, linear, linear_mipmap_nearest, linear_mipmap_linear };
enum class DiffBoundary : uint8_t { wrap, clamp, zero, cube };

// Texels, and their smaller levels in a separate array.
struct DiffTexture {
  const float* tex = nullptr;  // [N, height, width, C]; cubes: [N, 6, size, size, C], faces +x -x +y -y +z -z
  int32_t height = 0, width = 0, channels = 0;
  bool shared = false;  // one texture for all images: [1, ...]
  DiffBoundary boundary = DiffBoundary::wrap;
  const float* mips = nullptr;  // [N, M]: levels 1 .. `levels`, each laid out like `tex`; M = DiffMachine::mip_size
  int32_t levels = 0;           // levels in `mips`
};

// The place where a texture is read.
struct DiffLookup {
  DiffFilter filter = DiffFilter::linear;
  const float* uv = nullptr;     // [N, H, W, 2]; cubes: directions [N, H, W, 3]
  const float* uv_da = nullptr;  // [N, H, W, 4]: du/dX, du/dY, dv/dX, dv/dY; cubes: [N, H, W, 6]; may be null
  const float* bias = nullptr;   // [N, H, W], added to the level; may be null
};

struct DiffOptions {
  int workers = 0;  // threads of the CPU; 0: one per processor
  std::string isa;  // instruction set of the CPU machine; empty: the best
  // automatic: a GPU if there is one and `isa` is empty, otherwise the CPU. A GPU works on copies of the arrays.
  MachineKind machine = MachineKind::cpu;
};

class DiffMachine {
 public:
  // Throws std::invalid_argument if this program or processor lacks the instruction set, and MachineError if the
  // machine is missing.
  explicit DiffMachine(const DiffOptions& options = {});
  ~DiffMachine();
  DiffMachine(const DiffMachine&) = delete;
  DiffMachine& operator=(const DiffMachine&) = delete;

  // Finds the visible triangle of each pixel, as the pipeline draws it: ids [N, H, W], -1: none. Both sides of
  // triangles are drawn, and triangles are clipped to the view volume.
  void visible(const DiffShape& shape, const DiffMesh& mesh, int32_t* ids);
  // Finds all triangles that cover each pixel, from near to far. Each call of next() returns one layer.
  class Peeler;
  std::unique_ptr<Peeler> peel(const DiffShape& shape, const DiffMesh& mesh);

  // Computes the raster of the triangles `ids` [N, H, W] (-1: none). rast_db [N, H, W, 4] may be null. u, v >= 0 and u
  // + v <= 1.
  void rasterize(const DiffShape& shape, const DiffMesh& mesh, const int32_t* ids, float* rast, float* rast_db);
  // Takes the gradients of u, v, z/w (grad_rast [N, H, W, 4]; its last channel is not read) and of their derivatives
  // (grad_db [N, H, W, 4]). Either may be null. grad_pos has the shape of mesh.pos.
  void rasterize_backward(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                          const float* grad_rast, const float* grad_db, float* grad_pos);

  // out [N, H, W, A] is 0 in pixels without a triangle. With rast_db [N, H, W, 4] and out_da [N, H, W, 2 D], also
  // computes the derivatives d/dX, d/dY of D channels, whose numbers are in `diff_attrs`.
  void interpolate(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster, const DiffAttributes& attr,
                   float* out, const float* rast_db = nullptr, const std::vector<int32_t>& diff_attrs = {},
                   float* out_da = nullptr);
  // grad_attr has the shape of attr.attr; grad_rast and grad_rast_db are [N, H, W, 4]. Each may be null.
  void interpolate_backward(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                            const DiffAttributes& attr, const float* grad_out, const float* rast_db,
                            const std::vector<int32_t>& diff_attrs, const float* grad_out_da, float* grad_attr,
                            float* grad_rast, float* grad_rast_db);

  // The number of smaller levels down to 1 x 1, at most `limit` (-1: no limit). Throws if a side is odd and not 1.
  static int mip_levels(const DiffTexture& texture, int limit);
  // The number of floats in levels 1 .. texture.levels of one texture.
  static int64_t mip_size(const DiffTexture& texture);
  // Makes levels 1 .. texture.levels of `images` textures by averages of 2 x 2 texels (2 x 1 if a side is 1).
  void construct_mip(const DiffTexture& texture, int32_t images, float* mips);
  // Adds the contribution of the levels' gradients to grad_tex. Overwrites grad_mips with sums.
  void construct_mip_backward(const DiffTexture& texture, int32_t images, float* grad_mips, float* grad_tex);

  // out [N, H, W, C]. Mipmap filters choose the level by the longer axis of the pixel's footprint, plus the bias.
  void texture(const DiffShape& shape, const DiffTexture& texture, const DiffLookup& lookup, float* out);
  // grad_tex and grad_mips have the shapes of the texels and of their levels. grad_uv, grad_uv_da and grad_bias have
  // the shapes of the lookup's arrays. Each may be null.
  void texture_backward(const DiffShape& shape, const DiffTexture& texture, const DiffLookup& lookup,
                        const float* grad_out, float* grad_tex, float* grad_mips, float* grad_uv, float* grad_uv_da,
                        float* grad_bias);

  // For each edge of each triangle, from its vertex i to its vertex i + 1, finds the other triangle at that edge and
  // stores its opposite vertex; -1 if there is none, or more than one. `opposite` is [T, 3]. Returns the number of open
  // edges. If vertices have the same position but different numbers, each of their edges counts as a silhouette.
  static int64_t topology(const int32_t* tri, int64_t triangles, int64_t vertices, int32_t* opposite);
  // Blends neighbouring pixels over the silhouettes that pass between their centres. color and out are [N, H, W, C].
  void antialias(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster, const int32_t* opposite,
                 const float* color, int32_t channels, float* out);
  // grad_pos is multiplied by `boost`. grad_color and grad_pos may be null.
  void antialias_backward(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster,
                          const int32_t* opposite, const float* color, int32_t channels, const float* grad_out,
                          float boost, float* grad_color, float* grad_pos);

  // The gradient of positions from boundaries between triangles, for a picture `color` [N, H, W, C] that is used as it
  // is: [Pidhorskyi24]. raster.ids may be null. grad_pos has the shape of mesh.pos and is multiplied by `boost`.
  // Triangles that share an edge by their vertices' numbers have no boundary.
  void edges_backward(const DiffShape& shape, const DiffMesh& mesh, const DiffRaster& raster, const float* color,
                      int32_t channels, const float* grad_out, float boost, float* grad_pos);

  struct [[gnu::visibility("hidden")]] Impl;  // diff/machine.h

 private:
  std::unique_ptr<Impl> impl_;
};

class DiffMachine::Peeler {
 public:
  ~Peeler();
  // Writes the next layer's triangle of each pixel, [N, H, W], -1: none. Returns false if no pixel has one.
  bool next(int32_t* ids);

 private:
  friend class DiffMachine;
  Peeler();
  struct [[gnu::visibility("hidden")]] Layers;
  std::unique_ptr<Layers> layers_;
};

}  // namespace brokkr
#pragma GCC visibility pop
