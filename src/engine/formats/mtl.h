// Reads MTL files, the materials of OBJ scenes.
//
// The reader is our own: tinyobjloader's LoadMtl takes missing numbers for 0, the words behind options for names, keeps
// the order of no two statements apart (`d`, `Tr`), and says nothing of what it does not know.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "brokkr/frame.h"

namespace brokkr {

// A statement map_…: a picture and how it is read.
struct ObjMap {
  std::string file;                     // as the MTL file has it; empty: none
  std::string short_file;               // the same without what may be a comment behind it
  std::string place;                    // "a.mtl, line 3"
  glm::vec2 scale{1.0f}, offset{0.0f};  // it is read at scale * (u, v) + offset
  bool clamped = false;                 // else it repeats
  float base = 0, gain = 1;             // of -mm: a channel c counts as base + gain * c
  float bump = 1;                       // of -bm
  bool operator==(const ObjMap&) const = default;
};

struct ObjMaterial {
  Material material{.kind = MaterialKind::blinn_phong};  // without textures
  std::string alias;  // a name without the comment that may be behind it; empty: as the name
  ObjMap diffuse, alpha, emission;
  ObjMap normal;               // map_Bump, bump or norm: heights or normals
  ObjMap roughness, metallic;  // map_Pr, map_Pm: grey
  ObjMap packed;               // map_ORM: occlusion, roughness, metalness in red, green, blue
};

// Appends the materials of `text`, the file `name`. Statements that mean nothing here are told to Loading::warn, with
// their line.
void read_mtl(std::string_view text, std::string_view name, std::vector<ObjMaterial>& materials, Loading& loading);

}  // namespace brokkr
