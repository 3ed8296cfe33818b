// Inputs of render_fuzz, and how they are changed so that most of what comes out is still a file of its kind.
//
// An input is a letter for the kind, then the parts of the file with a zero byte between them; the last part may hold
// zero bytes of its own.
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

// The forms of a kind's parts; empty for a letter that is no kind.
std::vector<PartForm> forms_of(char kind);

// Nothing for an input that is too short or of no kind.
std::optional<Document> parse_document(std::string_view input);

std::string input_of(const Document& document);

// Changes one place or a few of one part. What is put in are numbers at the edges of types and limits, names that files
// know, and pieces of `donor`, which may be the document itself. `bytes` changes a text in place as the fuzzer knows
// best, to at most so many bytes, and returns its new length.
using ChangeBytes = size_t (*)(uint8_t* data, size_t size, size_t most);
void mutate(Document& document, const Document& donor, std::minstd_rand& random, ChangeBytes bytes);

}  // namespace brokkr::fuzz
