// Lines and words of OBJ and MTL files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/loading.h"
#include "brokkr/frame.h"

namespace brokkr {

class ObjLines {
 public:
  // `text` must stay. A byte order mark is no part of its first line.
  explicit ObjLines(std::string_view text);

  // Goes to the next line; false at the end. Lines end with \n, \r\n or \r; a backslash at the end joins a line and the
  // next one with a blank, except in comments. Throws LimitReached for lines of more than 1 MiB.
  bool next();
  // Without its end and the blanks around it. It lasts until the next call of next().
  std::string_view line() const { return line_; }
  // From 1; of joined lines the first one's.
  uint64_t number() const { return number_; }
  size_t bytes_left() const { return rest_.size(); }

 private:
  std::string_view take_line();

  std::string_view rest_, line_;
  std::string joined_;
  uint64_t number_ = 0, next_number_ = 1;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text);

// Takes the next word, between blanks, off `rest`; empty at the end.
std::string_view take_word(std::string_view& rest);

// `text` up to a # at its begin or behind a blank, without blanks around it.
std::string_view without_comment(std::string_view text);

// A whole word as a number; false where it is none. Numbers beyond float's range are infinite, those below it 0.
bool parse_number(std::string_view word, float& value);

// Reads MTL files, the materials of OBJ scenes.
//
// The reader is our own: tinyobjloader's LoadMtl takes missing numbers for 0, the words behind options for names, keeps
// the order of no two statements apart (`d`, `Tr`), and says nothing of what it does not know.

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
