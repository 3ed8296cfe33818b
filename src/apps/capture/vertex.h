// The vertex programs of a recorded frame: their texts, the values of their attributes, and their built-in state.
//
// The file gets each attribute's values as the driver fetches them. The draw runs once more with a program of the layer
// that copies each attribute to a transform-feedback varying. So the driver itself decodes arrays of every format,
// divisors, current values, immediate mode and display lists.
#pragma once

#include <glm/mat4x4.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "brokkr/frame.h"
#include "capture/program.h"

namespace brokkr::capture {

// A vertex program as the file holds it, and the layer's program that copies its attributes.
struct VertexCopy {
  VertexProgram program;
  std::string problem;  // why the file cannot hold the program; empty if it can
  GLuint copier = 0;    // 0: it has no attributes that change between vertices
  // The copier's varyings, by attribute. An attribute without components is 0, because the driver does not read it.
  std::vector<RecordedVarying> attributes;
  uint32_t components = 0;  // per vertex, without gl_Position
  // A display list may change matrices between its vertices, so the copier also records the product of the matrices,
  // from component `matrix` on.
  bool reads_matrices = false;
  std::optional<uint32_t> matrix;
  std::vector<RecordedVarying> recorded() const;
};

// Returns true if all vertices had the matrices of the context's state. `values`: what the copier recorded.
bool had_matrices(const VertexCopy& copy, const std::vector<float>& values);

// The vertex shaders `texts` of the linked program `original`, or of fixed function if that is 0. `materials`: fixed
// function that reads the materials of vertices.
std::shared_ptr<const VertexCopy> copy_of(const Context& context, const std::vector<std::string>& texts,
                                          GLuint original, bool materials);

// The product of the matrices of the context's state, as drivers compute it.
glm::mat4 transform_of_state();

// Adds the built-in uniforms among these names to the program's default block.
void add_built_ins(const std::set<std::string>& names, VertexProgram& program);

// Reads built-in state that only vertex shaders use often: matrices, lights, materials, planes, points.
bool read_vertex_built_in(const ProgramUniform& uniform, uint32_t* words);

// Finds the attribute streams of a draw's vertices in what the copier recorded, and stores equal streams once.
class AttributeStreams {
 public:
  explicit AttributeStreams(Frame& frame) : frame_(frame) {}

  // `values`: of `vertices` vertices of each instance, as many per vertex as the copy has components.
  std::vector<VertexStream> add(const VertexCopy& copy, const std::vector<float>& values, uint32_t vertices,
                                uint32_t instances);

 private:
  uint64_t add_words(const std::vector<uint32_t>& words);

  Frame& frame_;
  std::unordered_multimap<size_t, std::pair<uint64_t, size_t>> known_;  // ranges of Frame::attributes, by hash
};

}  // namespace brokkr::capture
