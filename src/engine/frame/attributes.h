// Vertex attributes in frame files: numbers of 1, 2 or 4 bytes, which become 32-bit words of the attribute's type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "brokkr/programs.h"
#include "frame/bkf_fields.h"

namespace brokkr::bkf {

// The bytes of one number.
uint32_t bytes_of(AttributeType type);

// A stored form of an attribute's numbers.
struct AttributeForm {
  AttributeType type = AttributeType::f32;
  bool normalized = false;
  bool operator==(const AttributeForm&) const = default;
};

// Returns true if an attribute of this type can be stored in this form: integers only as integers that are not
// normalized, and floats in every form.
bool may_store(ShaderType type, const AttributeForm& form);

// The words of a stored attribute. `bytes` holds whole numbers, and `type` is the attribute's.
std::vector<uint32_t> decode_attribute(ShaderType type, const AttributeForm& form, std::span<const std::byte> bytes);

// The smallest form of which decode_attribute gives the same words, and its bytes.
struct StoredAttribute {
  AttributeForm form;
  std::vector<std::byte> bytes;
};
StoredAttribute store_attribute(ShaderType type, std::span<const uint32_t> words);

}  // namespace brokkr::bkf
