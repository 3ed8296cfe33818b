// Programs: the shaders that they were linked from, and how the current program computes clip-space positions.
//
// The layer never changes the application's programs. It notes each successful link with the texts of its shaders. A
// draw of a recorded frame runs a second time with a program of the layer. That program has the same shaders before
// rasterization, records gl_Position and the fragment shader's inputs as transform-feedback varyings, and has the
// values of the application's uniforms. Drivers do not record built-in varyings (gl_TexCoord) correctly. If a fragment
// shader reads any, an additional vertex shader, whose main calls the application's, copies them to varyings of the
// layer. The layer refuses program binaries that this process has not read itself, so that the application compiles
// from source.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "brokkr/programs.h"
#include "capture/context.h"
#include "capture/primitives.h"
#include "capture/state_guard.h"

namespace brokkr::capture {

// Fixed function: its fragment state in the file's form, and its vertex state as the text of a vertex shader.

// The replacement of a fragment shader. `program` has `fixed`, the samplers and the varyings.
struct FixedFragment {
  FragmentProgram program;
  std::vector<std::string> notes;  // properties that the file cannot hold
};
FixedFragment read_fixed_fragment(const Context& context);

// Outputs of fixed-function vertices that rasterization needs in addition to the inputs of `program`: kPointSize, if
// sizes depend on the distance, and the colours of back faces.
std::vector<std::string> more_fixed_varyings(const Context& context, const FragmentProgram& program);

// The layer's name for the varying to which a vertex shader copies built-in varying number `i` of a list.
std::string copied_name(size_t i);

// The text of a vertex shader (GLSL 1.20) that computes gl_Position and these built-in varyings as fixed function
// currently does. `opaque`: only GL knows the vertices, which may have their own materials. `for_file`: the shader
// writes the built-in outputs, and otherwise varyings of the layer.
std::string fixed_vertex_text(const Context& context, const std::vector<std::string>& built_ins, bool opaque,
                              bool for_file = false);

// Reads built-in state that a fragment shader may use as a uniform (gl_Fog.color), as 32-bit words. Returns false if it
// is unknown.
bool read_built_in(const Context& context, const ProgramUniform& uniform, uint32_t* words);

// The inputs and outputs of a fragment shader, from the driver's reflection.

// Vertex outputs that rasterization reads.
inline constexpr const char *kPointSize = "gl_PointSize", *kBackColor = "gl_BackColor",
                            *kBackSecondaryColor = "gl_BackSecondaryColor";

// Returns true for a built-in colour of either side.
inline bool is_color(const std::string& built_in) {
  return built_in == "gl_Color" || built_in == "gl_SecondaryColor" || built_in == kBackColor ||
         built_in == kBackSecondaryColor;
}

// Returns true if a built-in varying is a float; all others have four components.
inline bool is_scalar(const std::string& built_in) { return built_in == "gl_FogFragCoord" || built_in == kPointSize; }

struct FragmentInterface {
  FragmentProgram program;
  std::string problem;  // why the file cannot hold the program; empty if it can
};

// `texts`: all fragment shaders of one program. They are linked in a temporary program without other stages.
std::shared_ptr<const FragmentInterface> inspect_fragment(const Context& context,
                                                          const std::vector<std::string>& texts);

// Adds the attributes, uniforms, blocks and samplers of a program's vertex shaders, except built-in ones. They are
// linked like fragment shaders. Returns the reason if files cannot hold the program, and otherwise nothing.
std::string inspect_vertex(const Context& context, const std::vector<std::string>& texts, VertexProgram& program);

// Names of the output variables of the last stage before rasterization, linked without other stages.
std::vector<std::string> vertex_outputs(const Context& context, GLenum type, const std::vector<std::string>& texts);

// Built-in inputs whose names differ in vertex shaders. is_built_in: `name` is a vertex output; vertex_expression: the
// expression for it in a vertex shader.
bool is_built_in(const std::string& name);
std::string vertex_expression(const std::string& built_in);

// Kind, result and comparison of a sampler type. Returns false if files do not support the type.
bool describe_sampler(GLenum type, ProgramSampler& sampler);

// The type for GL's constant, if files support it.
std::optional<ShaderType> shader_type(GLenum type);

// Records a new program, and forgets a deleted one of the same name.
void program_created(GLuint program);

// Call it after a link: keeps the texts of the shaders if the link succeeded.
void program_linked(GLuint program);

// Call it after glCreateShaderProgramv.
void shader_program_created(GLuint program, GLenum type, GLsizei count, const GLchar* const* strings);

// Records that the application has read this binary of a program.
void binary_read(GLuint program, std::vector<std::byte> binary);
// Records that the application links a program from a binary. Returns false if the binary's content is unknown.
bool binary_linked(GLuint program, const std::vector<std::byte>& binary);

// Deletes the programs of the layer that drew in this context alone.
void delete_shadows(const Context& context);

// A varying that feedback records after gl_Position, at `offset` in components.
struct RecordedVarying {
  std::string name;  // name in the fragment shader
  uint32_t offset = 0, components = 0;
};

// A program of the application, the layer's program for it, and the stages that a pipeline takes from it.
struct ShadowStage {
  GLuint original = 0, shadow = 0;
  GLbitfield bits = 0;
};

struct VertexCopy;

// Describes how the current state computes positions and shades fragments.
struct VertexStage {
  enum class Kind : uint8_t { fixed_function, program, impossible } kind = Kind::impossible;
  std::string reason;               // the reason, if impossible; empty: the draw is an error in GL and draws nothing
  std::vector<ShadowStage> stages;  // for `program`: the stages before rasterization
  bool expands = false;             // a geometry or tessellation shader generates the primitives
  GLenum primitive = GL_POINTS;     // if `expands`: the kind of primitive, GL_POINTS, GL_LINES or GL_TRIANGLES
  bool draw_id = false;             // the shader reads gl_DrawID
  bool clip_distances = false;      // the last stage writes gl_ClipDistance
  bool cull_distances = false;      // it writes gl_CullDistance
  bool viewport_index = false;      // it writes gl_ViewportIndex
  bool layer = false;               // it writes gl_Layer
  uint32_t flags = 0;               // DrawFlag bits from the fragment stage
  std::string fixed_text;           // for `fixed_function`: text of the program that feedback runs instead
  bool vertex_materials = false;    // true: that program reads materials of vertices
  // The vertex program for the file, and the program of the application that holds its uniforms (0: fixed function).
  // Null if the file gets vertices instead; `expanded` is the reason.
  std::shared_ptr<const VertexCopy> vertex;
  GLuint vertex_program = 0;
  std::string expanded;
  std::vector<RecordedVarying> recorded;
  bool records_all = false;      // for `program`: `recorded` has all varyings that the program writes
  uint32_t components() const {  // per vertex, including its position
    return recorded.empty() ? 4 : 4 + recorded.back().offset + recorded.back().components;
  }

  GLuint fragment_program = 0;            // the program that holds the uniforms
  std::optional<StipplePattern> stipple;  // of its triangles
  bool draws_outlines = false;            // its faces are drawn as lines
  bool draws_flat = false;                // a primitive has the colours of its provoking vertex
  int moves_point_coord = 0;              // not 0: the direction of with_moved_point_coord, which its fragments need
  // null for fixed function, and for a program that files cannot hold
  std::shared_ptr<const FragmentInterface> fragment;
  std::optional<FixedFragment> fixed;
  // Entries of `recorded` that the draw needs beyond the fragment shader's inputs: kPointSize, kBackColor, …
  std::vector<std::string> more;
};

// `opaque`: only GL knows the draw's vertices.
VertexStage current_vertex_stage(Context& context, bool opaque);

// Uses the layer's programs for a stage of kind `program`, with the uniforms of the application's.
void use_shadow(const Context& context, const VertexStage& stage, Restore& restore);

// A vertex program from this text that records gl_Position and `copies` copied varyings; 0 if the driver rejects it.
// Its attributes have the locations that they have in `original`, or those of materials if that is 0.
GLuint make_vertex_program(const Context& context, const std::string& text, size_t copies, GLuint original = 0);

// Materials that change between vertices. A vertex shader sees only the material in the state (gl_FrontMaterial),
// whereas Mesa's fixed function uses each vertex's own material. So glMaterial also sets generic attributes inside
// glBegin and glEnd and in display lists, and the layer's vertex shader reads these.
struct MaterialAttribute {
  const char* name;  // name in the layer's vertex shader, after "brokkr_front_" or "brokkr_back_"
  GLenum value;      // parameter of glMaterial
};
inline constexpr std::array kMaterialAttributes = {
    MaterialAttribute{"ambient", GL_AMBIENT}, MaterialAttribute{"diffuse", GL_DIFFUSE},
    MaterialAttribute{"specular", GL_SPECULAR}, MaterialAttribute{"emission", GL_EMISSION},
    MaterialAttribute{"shininess", GL_SHININESS}};
inline constexpr std::array kMaterialSides = {"brokkr_front_", "brokkr_back_"};
// The current colour before the draw, used by vertices without a colour.
inline constexpr const char* kColorBefore = "brokkr_color_before";

// Returns true if the context lights fixed-function vertices with their own materials, and generic attributes do not
// alias fixed-function ones.
bool has_vertex_materials(const Context& context);

// Declares the attributes in GLSL 1.20.
std::string material_declarations();
// Call it before a link: sets the attributes' locations.
void place_materials(GLuint program);
// Sets the attributes to the state's values, for the following draws.
void set_materials(Restore& restore);

}  // namespace brokkr::capture
