// Inputs of render_fuzz, and mutations that mostly produce valid files of the same kind.
//
// An input is a letter for the kind, followed by the parts of the file, separated by zero bytes; the last part may
// contain zero bytes.
//
//   F  captured frame       JSON, blob
//   G  glTF                 JSON, binary buffer
//   O  Wavefront scene      OBJ, MTL, every texture
//   P  pattern              JSON
//   L  frame-time log       CSV, manifest (JSON)
//   Y  PLY, S  STL          the file
//   R  random shader        bytes that are its seed (tests/engine/shader/random)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace brokkr::fuzz {

enum class PartForm : uint8_t { json, lines, numbers, bytes };

struct Document {
  char kind = 0;
  std::vector<std::string> parts;
};

// The forms of a kind's parts; empty for an unknown letter.
std::vector<PartForm> forms_of(char kind);

// Empty for an input that is too short or of an unknown kind.
std::optional<Document> parse_document(std::string_view input);

std::string input_of(const Document& document);

// Changes one or a few places of one part. It inserts numbers at the limits of types and ranges, names that files use,
// and pieces of `donor`, which may be the document itself. `bytes` is the fuzzer's own mutator: it changes a text in
// place, to at most `most` bytes, and returns the new length.
using ChangeBytes = size_t (*)(uint8_t* data, size_t size, size_t most);
void mutate(Document& document, const Document& donor, std::minstd_rand& random, ChangeBytes bytes);

}  // namespace brokkr::fuzz
