// Programs in assembly (GL_ARB_vertex_program, GL_ARB_fragment_program): one cell of the window for each instruction,
// binding and option.
#include <array>
#include <string>
#include <vector>

#include "cases.h"
#include "scene.h"

namespace scene {
namespace {

// Loads a program, and uses it until destruction.
class Assembly {
 public:
  Assembly(GLenum target, const std::string& text) : target_(target) {
    glGenProgramsARB(1, &name_);
    glBindProgramARB(target, name_);
    glProgramStringARB(target, GL_PROGRAM_FORMAT_ASCII_ARB, GLsizei(text.size()), text.data());
    glEnable(target);
  }
  ~Assembly() {
    glDisable(target_);
    glDeleteProgramsARB(1, &name_);
  }
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

 private:
  GLenum target_;
  GLuint name_ = 0;
};

// Draws a rectangle in cell number `cell` of 8 x 8, with coordinates from -2 to 2.
void draw_cell(int cell) {
  const auto edge = [](int number) { return float(number) / 4 - 1; };
  const int column = cell % 8, row = cell / 8;
  glBegin(GL_TRIANGLE_STRIP);
  for (int corner = 0; corner < 4; corner++) {
    const int right = corner % 2, up = corner / 2;
    glColor4f(0.25f + 0.5f * float(right), 0.75f, 0.5f * float(up), 0.75f);
    glSecondaryColor3f(0.125f, 0.25f * float(up), 0.5f);
    glFogCoordf(0.5f + float(right));
    glNormal3f(0.5f, 0.25f * float(up), 1);
    glMultiTexCoord4f(GL_TEXTURE0, 4 * float(right) - 1.95f, 2 * float(up) - 0.95f, 0.25f, 0.5f);
    glMultiTexCoord4f(GL_TEXTURE1, float(right), float(up), 0.5f, 2);
    glVertexAttrib4f(6, 0.5f, 0.25f * float(right), 0.75f, 1);
    glVertex3f(edge(column + right), edge(row + up), 0.25f);
  }
  glEnd();
}

// Instructions of fragments: r is the result, a a coordinate, b and c parameters.
constexpr const char* kOfFragments[] = {"ABS r, a",
                                        "ADD r, a, b",
                                        "CMP r, a, b, c",
                                        "COS r, a.x",
                                        "DP3 r, a, b",
                                        "DP4 r, a, c",
                                        "DPH r, a, b",
                                        "DST r, a, c",
                                        "EX2 r, a.x",
                                        "FLR r, a",
                                        "FRC r, a",
                                        "LG2 r, b.y",
                                        "LIT r, a.xyzz",
                                        "LRP r, c, a, b",
                                        "MAD r, a, -b, c",
                                        "MAX r, a, b",
                                        "MIN r, a, b",
                                        "MOV r, -a.wzyx",
                                        "MUL r, a.yxzw, b",
                                        "POW r, c.x, a.x",
                                        "RCP r, c.y",
                                        "RSQ r, -c.x",
                                        "SCS r.xy, a.x",
                                        "SGE r, a, b",
                                        "SIN r, a.y",
                                        "SLT r, a, b",
                                        "SUB r, a, {0.5, 0.25}",
                                        "SWZ r, a, -y, 0, x, -1",
                                        "XPD r.xyz, a, b",
                                        "MOV_SAT r, a",
                                        "ADD r, a, 0.5",
                                        "MUL r.xz, a, p[1]",
                                        "TEX r, t, texture[0], 2D",
                                        "TXP r, t, texture[0], 2D",
                                        "TXB r, t, texture[0], 2D",
                                        "TEX r, t, texture[1], 1D",
                                        "TEX r, t, texture[2], RECT",
                                        "MOV r, fragment.color.secondary",
                                        "MUL r, fragment.position, {0.0078125, 0.0078125, 1, 1}",
                                        "MOV r, fragment.fogcoord",
                                        "MOV r, state.fog.color",
                                        "MOV r, program.env[3]"};

// Instructions of vertices.
constexpr const char* kOfVertices[] = {"EXP r, a.x",
                                       "LOG r, b.y",
                                       "ARL i.x, a.y; MOV r, p[i.x + 1]",
                                       "ARL i.x, a.y; MOV r, q[i.x]",
                                       "DP4 r, m[1], a",
                                       "MOV r, state.matrix.projection.inverse.row[1]",
                                       "MOV r, state.matrix.modelview.transpose.row[3]",
                                       "MOV r, state.matrix.mvp.invtrans.row[2]",
                                       "MOV r, state.matrix.texture[1].row[3]",
                                       "MOV r, state.matrix.program[1].row[0]",
                                       "MOV r, state.material.diffuse",
                                       "MOV r, state.light[1].diffuse",
                                       "MOV r, state.lightprod[1].ambient",
                                       "MOV r, state.lightmodel.ambient",
                                       "MOV r, vertex.attrib[6]",
                                       "MOV r, vertex.normal"};

std::string of_fragments(const std::string& instruction) {
  return "!!ARBfp1.0\n# r: the result\nPARAM b = program.local[0];\nPARAM c = program.local[2];\n"
         "PARAM p[] = { program.local[0..2], { 1, 0.5, 0.25, 1 } };\nATTRIB a = fragment.texcoord[0];\n"
         "ATTRIB t = fragment.texcoord[1];\nTEMP r;\nMOV r, {0.25, 0.5, 0.75, 1};\n" +
         instruction + ";\nMAD_SAT result.color, r, 0.25, { .5, .5, .5, 1 };\nEND\n";
}

std::string of_vertices(const std::string& instruction) {
  return "!!ARBvp1.0\nPARAM p[4] = { program.local[1..4] };\nPARAM q[] = { program.env[2], { .5, 1 }, program.local[4] "
         "};\n"
         "PARAM m[4] = { state.matrix.mvp };\nPARAM b = program.env[2];\nATTRIB a = vertex.texcoord[1];\nTEMP "
         "r;\nADDRESS i;\n"
         "OUTPUT color = result.color;\nALIAS place = a;\nDP4 result.position.x, m[0], vertex.position;\n"
         "DP4 result.position.y, m[1], vertex.position;\nDP4 result.position.z, m[2], vertex.position;\n"
         "DP4 result.position.w, m[3], vertex.position;\nMOV r, place;\n" +
         instruction + ";\nMAD color, r, 0.25, 0.5;\nEND\n";
}

void set_parameters() {
  for (const GLenum target : {GL_VERTEX_PROGRAM_ARB, GL_FRAGMENT_PROGRAM_ARB}) {
    for (GLuint i = 0; i < 5; i++) {
      const float x = 0.25f * float(i);
      glProgramEnvParameter4fARB(target, i, x, 1 - x, 0.5f, 1);
    }
  }
}

void set_local(GLenum target) {
  for (GLuint i = 0; i < 5; i++)
    glProgramLocalParameter4fARB(target, i, 0.25f + 0.5f * float(i), 0.5f, 1 - 0.25f * float(i), 1);
}

void make_textures(std::array<GLuint, 3>& textures) {
  glGenTextures(3, textures.data());
  std::vector<GLubyte> texels;
  for (int i = 0; i < 8 * 8 * 4; i++) texels.push_back(GLubyte(i * 37 + 11));
  constexpr std::array<GLenum, 3> kTargets = {GL_TEXTURE_2D, GL_TEXTURE_1D, GL_TEXTURE_RECTANGLE};
  for (GLuint unit = 0; unit < 3; unit++) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(kTargets[unit], textures[unit]);
    glTexParameteri(kTargets[unit], GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    if (unit == 1) {
      glTexImage1D(GL_TEXTURE_1D, 0, GL_RGBA8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    } else {
      glTexImage2D(kTargets[unit], 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    }
  }
  glActiveTexture(GL_TEXTURE0);
}

void draw_instructions() {
  int cell = 0;
  for (const char* const instruction : kOfFragments) {
    const Assembly program(GL_FRAGMENT_PROGRAM_ARB, of_fragments(instruction));
    set_local(GL_FRAGMENT_PROGRAM_ARB);
    draw_cell(cell++);
  }
  for (const char* const instruction : kOfVertices) {
    const Assembly program(GL_VERTEX_PROGRAM_ARB, of_vertices(instruction));
    set_local(GL_VERTEX_PROGRAM_ARB);
    draw_cell(cell++);
  }
}

// Programs of both kinds together, with options, back faces, and depth.
void draw_pairs() {
  const Assembly vertex(GL_VERTEX_PROGRAM_ARB,
                        "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.texcoord[0], vertex.texcoord[0];\n"
                        "MOV result.texcoord[1].xy, vertex.texcoord[1];\nMOV result.color.secondary, vertex.color;\n"
                        "MOV result.fogcoord.x, vertex.fogcoord.x;\nEND\n");
  for (const char* const option : {"linear", "exp", "exp2"}) {
    const Assembly fragment(GL_FRAGMENT_PROGRAM_ARB, std::string("!!ARBfp1.0\nOPTION ARB_fog_") + option +
                                                         ";\nMOV result.color, fragment.color.secondary;\nEND\n");
    draw_cell(option[3] == 0 ? 58 : option[3] == '2' ? 59 : 60);
  }
  {
    const Assembly fragment(
        GL_FRAGMENT_PROGRAM_ARB,
        "!!ARBfp1.0\nTEMP r;\nSUB r, fragment.texcoord[1].x, .45;\nKIL r;\n"
        "MOV result.depth.z, fragment.texcoord[1].y;\nMOV result.color, fragment.texcoord[1];\nEND\n");
    draw_cell(61);
  }
  const GLuint glsl =
      link({compile(GL_FRAGMENT_SHADER, "void main() { gl_FragColor = gl_TexCoord[0] * 0.25 + 0.5; }")});
  glUseProgram(glsl);
  draw_cell(62);
  glUseProgram(0);
  glDeleteProgram(glsl);
  forget_program(glsl);
}

}  // namespace

void draw_assembly() {
  glPushAttrib(GL_FOG_BIT | GL_LIGHTING_BIT);  // other frames expect the values of a new context
  glDisable(GL_DEPTH_TEST);
  const GLfloat fog[] = {0.25f, 0.5f, 0.75f, 1}, diffuse[] = {0.5f, 0.25f, 0.125f, 1};
  glFogfv(GL_FOG_COLOR, fog);
  glFogf(GL_FOG_START, 0.25f);
  glFogf(GL_FOG_END, 2);
  glLightfv(GL_LIGHT1, GL_DIFFUSE, diffuse);
  glMatrixMode(GL_MATRIX1_ARB);
  glLoadIdentity();
  glScalef(0.5f, 2, 1);
  glMatrixMode(GL_MODELVIEW);
  set_parameters();
  std::array<GLuint, 3> textures{};
  make_textures(textures);
  draw_instructions();
  draw_pairs();
  glDeleteTextures(3, textures.data());
  {
    const Assembly program(GL_VERTEX_PROGRAM_ARB, "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND\n");
    glBegin(GL_TRIANGLES);  // its colour has no value
    for (int i = 3; i < 6; i++) glVertex4f(vertex(i).x, vertex(i).y, vertex(i).z, vertex(i).w);
    glEnd();
  }
  glPopAttrib();
}

}  // namespace scene
