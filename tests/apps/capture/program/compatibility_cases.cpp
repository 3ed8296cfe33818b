// Fixed function: immediate mode, display lists, client arrays.
#include <algorithm>
#include <iterator>
#include <vector>

#include "cases.h"
#include "scene.h"

namespace scene {
namespace {

GLuint list = 0, nested_list = 0, state_list = 0, mixed_list = 0;

void send(int i) {
  const Vertex v = vertex(i);
  glVertex4f(v.x, v.y, v.z, v.w);
}

void draw_range(GLenum mode, int first, int count) {
  glBegin(mode);
  for (int i = first; i < first + count; i++) send(i);
  glEnd();
}

void draw_immediate() {
  draw_range(GL_TRIANGLES, 3, 6);
  draw_range(GL_TRIANGLE_STRIP, 8, 5);
  draw_range(GL_QUADS, 16, 4);
  draw_range(GL_QUAD_STRIP, 24, 6);
  draw_range(GL_POLYGON, 32, 5);
  draw_range(GL_LINES, 40, 4);
  draw_range(GL_POINTS, 48, 3);
  glColor4f(1, 0.5f, 0.25f, 1);
  glRectf(-0.25f, -0.5f, 0.25f, 0.5f);
}

void draw_lists() {
  glCallList(list);
  glListBase(nested_list - 7);
  const GLubyte names[] = {7, 7};
  glCallLists(2, GL_UNSIGNED_BYTE, names);  // the list moves the matrix
  glListBase(0);
  glLoadIdentity();
  const GLuint executed = glGenLists(1);
  glNewList(executed, GL_COMPILE_AND_EXECUTE);
  draw_range(GL_TRIANGLES, 40, 3);
  glEndList();
  glDeleteLists(executed, 1);
  glCallList(state_list);
  glCallList(mixed_list);
}

void draw_client_arrays() {
  const std::vector<Vertex> all = vertices();
  glEnableClientState(GL_VERTEX_ARRAY);
  glVertexPointer(4, GL_FLOAT, 0, all.data());
  glDrawArrays(GL_TRIANGLES, 3, 6);
  const GLushort indices[] = {8, 9, 17, 16, 20, 21, 29, 28};
  glDrawElements(GL_QUADS, 8, GL_UNSIGNED_SHORT, indices);
  glDrawElements(GL_TRIANGLE_STRIP, 5, GL_UNSIGNED_SHORT, indices);
  glMatrixMode(GL_MODELVIEW);
  glPushMatrix();
  glTranslatef(0.25f, 0.125f, 0);
  glDrawArrays(GL_QUAD_STRIP, 32, 4);
  glPopMatrix();
  glDisableClientState(GL_VERTEX_ARRAY);
}

void draw_fixed_function() {
  glEnable(GL_ALPHA_TEST);
  glAlphaFunc(GL_GREATER, 0.25f);
  draw_range(GL_TRIANGLES, 3, 3);
  glDisable(GL_ALPHA_TEST);
  glEnable(GL_CLIP_PLANE0);
  const GLdouble plane[] = {1, 0, 0, 0.5};
  glClipPlane(GL_CLIP_PLANE0, plane);
  draw_range(GL_TRIANGLES, 6, 3);
  // The same plane, with vertex shaders.
  static const GLuint vertex =
      link({compile(GL_VERTEX_SHADER,
                    "void main() { gl_Position = gl_Vertex; gl_ClipVertex = gl_Vertex; gl_FrontColor = gl_Color; }")});
  static const GLuint distance = link({compile(GL_VERTEX_SHADER,
                                               "#version 130\nvoid main() { gl_Position = gl_Vertex; gl_FrontColor = "
                                               "gl_Color; gl_ClipDistance[0] = gl_Vertex.x + 0.5 * gl_Vertex.w; }")});
  for (const GLuint program : {vertex, distance}) {
    glUseProgram(program);
    draw_range(GL_TRIANGLES, 6, 3);
  }
  glUseProgram(0);
  glDisable(GL_CLIP_PLANE0);
  glRasterPos2f(0, 0);
  GLubyte bits[8 * 4];  // rows of four bytes
  std::fill(std::begin(bits), std::end(bits), GLubyte(255));
  glBitmap(8, 8, 0, 0, 8, 0, bits);
  GLuint selected[16] = {};
  glSelectBuffer(16, selected);
  glRenderMode(GL_SELECT);
  draw_range(GL_TRIANGLES, 9, 3);  // picking draws nothing
  glRenderMode(GL_RENDER);
  // A fragment shader without a vertex shader: vertices use fixed function.
  static const GLuint program = link({compile(GL_FRAGMENT_SHADER, "void main() { gl_FragColor = vec4(1.0); }")});
  glUseProgram(program);
  draw_range(GL_TRIANGLES, 12, 3);
  glUseProgram(0);
}

// Fixed function with textures, light and fog; then GLSL with built-in varyings on both sides.
void draw_fixed_programs() {
  std::vector<GLubyte> texels(size_t(kTextureSize) * kTextureSize);
  for (size_t i = 0; i < texels.size(); i++) texels[i] = texel(static_cast<int>(i));
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, kTextureSize, kTextureSize, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE,
               texels.data());
  glEnable(GL_TEXTURE_2D);
  glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
  glEnable(GL_FOG);
  glFogi(GL_FOG_MODE, GL_LINEAR);
  glEnable(GL_TEXTURE_GEN_T);
  glTexGeni(GL_T, GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR);
  const auto draw = [](int first) {
    glBegin(GL_TRIANGLES);
    for (int i = first; i < first + 3; i++) {
      glColor4f(0.5f, 0.25f * float(i - first), 2.0f, 1.0f);
      glTexCoord2f(float(i), 0);
      send(i);
    }
    glEnd();
  };
  draw(3);
  glDisable(GL_FOG);
  glDisable(GL_TEXTURE_GEN_T);
  const GLfloat towards[] = {0, 0, 1, 0};
  glLightfv(GL_LIGHT0, GL_POSITION, towards);
  glEnable(GL_LIGHTING);
  glEnable(GL_LIGHT0);
  glNormal3f(0, 0, 1);
  draw(6);
  glDisable(GL_LIGHTING);
  glDisable(GL_LIGHT0);
  // The default texture with two different contents.
  glBindTexture(GL_TEXTURE_2D, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, 4, 2, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE, texels.data());
  draw(12);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_LUMINANCE, GL_UNSIGNED_BYTE, &texels[5]);
  draw(15);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, 0, 0, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE, nullptr);
  glDisable(GL_TEXTURE_2D);
  glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
  static const GLuint program = link({compile(GL_VERTEX_SHADER, R"(#version 120
    varying vec2 own;
    void main() {
      gl_Position = gl_Vertex;
      gl_FrontColor = gl_Color;
      gl_TexCoord[1] = gl_MultiTexCoord0 * 2.0;
      own = gl_Vertex.xy;
    })"),
                                      compile(GL_FRAGMENT_SHADER, R"(#version 120
    varying vec2 own;
    uniform sampler2D base;
    void main() { gl_FragColor = texture2D(base, gl_TexCoord[1].st + own) * gl_Color + gl_Fog.color; })")});
  glUseProgram(program);
  draw(9);
  glUseProgram(0);
  glDeleteTextures(1, &texture);
}

// A triangle in cell (x, y) of a grid around the origin, counter-clockwise or clockwise.
void draw_triangle(float x, float y, bool clockwise) {
  const float corners[3][2] = {{x, y}, {x + 0.375f, y}, {x, y + 0.375f}};
  glBegin(GL_TRIANGLES);
  for (const int i : {0, clockwise ? 2 : 1, clockwise ? 1 : 2}) glVertex2f(corners[i][0], corners[i][1]);
  glEnd();
}

// Points of whole pixels, sprites with a texture, sizes that decrease with the distance, sizes from a shader; wide
// lines.
void draw_points() {
  glPointSize(4.75f);
  glColor4f(1, 0.5f, 0.25f, 1);
  draw_range(GL_POINTS, 8, 4);
  std::vector<GLubyte> texels(size_t(kTextureSize) * kTextureSize);
  for (size_t i = 0; i < texels.size(); i++) texels[i] = texel(static_cast<int>(i));
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE8, kTextureSize, kTextureSize, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE,
               texels.data());
  glEnable(GL_TEXTURE_2D);
  glEnable(GL_POINT_SPRITE);
  glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, GL_TRUE);
  glPointSize(12.25f);
  draw_range(GL_POINTS, 17, 4);
  glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_LOWER_LEFT);
  draw_range(GL_POINTS, 25, 2);
  glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_UPPER_LEFT);
  const GLfloat falling[] = {0, 0, 4}, constant[] = {1, 0, 0};
  glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, falling);
  draw_range(GL_POINTS, 33, 5);
  glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, constant);
  glTexEnvi(GL_POINT_SPRITE, GL_COORD_REPLACE, GL_FALSE);
  glDisable(GL_TEXTURE_2D);
  glDeleteTextures(1, &texture);
  static const GLuint program = link({compile(GL_VERTEX_SHADER, R"(#version 120
    void main() { gl_Position = gl_Vertex; gl_PointSize = 3.0 + 16.0 * abs(gl_Vertex.x); })"),
                                      compile(GL_FRAGMENT_SHADER, R"(#version 120
    void main() { gl_FragColor = vec4(gl_PointCoord, 0.5, 1.0); })")});
  glUseProgram(program);
  glEnable(GL_PROGRAM_POINT_SIZE);
  draw_range(GL_POINTS, 44, 4);
  glDisable(GL_PROGRAM_POINT_SIZE);
  glUseProgram(0);
  glDisable(GL_POINT_SPRITE);
  glPointSize(1);
  glLineWidth(3);
  draw_range(GL_LINES, 52, 4);
  glLineWidth(1);
}

// Different colours for the two sides of faces: from lighting, and from a vertex shader.
void draw_back_faces() {
  const GLfloat away[] = {0, 0, -1, 0}, front[] = {1, 0, 0, 1}, back[] = {0, 0.5f, 1, 1};
  glLightfv(GL_LIGHT0, GL_POSITION, away);
  glMaterialfv(GL_FRONT, GL_EMISSION, front);
  glMaterialfv(GL_BACK, GL_DIFFUSE, back);
  glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
  glEnable(GL_LIGHTING);
  glEnable(GL_LIGHT0);
  glNormal3f(0, 0, 1);
  draw_triangle(-0.75f, -0.75f, false);
  draw_triangle(0, -0.75f, true);
  glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 0);
  glDisable(GL_LIGHTING);
  glDisable(GL_LIGHT0);
  static const GLuint program = link({compile(GL_VERTEX_SHADER, R"(#version 120
    void main() {
      gl_Position = gl_Vertex;
      gl_FrontColor = vec4(1.0, gl_Vertex.x, 0.0, 1.0);
      gl_BackColor = vec4(0.0, gl_Vertex.y, 1.0, 1.0);
    })"),
                                      compile(GL_FRAGMENT_SHADER, R"(#version 120
    void main() { gl_FragColor = gl_FrontFacing ? gl_Color : 0.5 * gl_Color; })")});
  glUseProgram(program);
  glEnable(GL_VERTEX_PROGRAM_TWO_SIDE);
  draw_triangle(-0.75f, 0.25f, false);
  draw_triangle(0, 0.25f, true);
  glDisable(GL_VERTEX_PROGRAM_TWO_SIDE);
  draw_triangle(0.5f, 0.25f, true);
  glUseProgram(0);
}

// A plane of 2 x 1 quads, filled and as lines.
void draw_evaluators() {
  const GLfloat corners[2][2][3] = {{{-0.5f, -0.5f, 0}, {0.5f, -0.5f, 0}}, {{-0.5f, 0.5f, 0}, {0.5f, 0.5f, 0}}};
  glMap2f(GL_MAP2_VERTEX_3, 0, 1, 3, 2, 0, 1, 6, 2, &corners[0][0][0]);
  glEnable(GL_MAP2_VERTEX_3);
  glMapGrid2f(2, 0, 1, 1, 0, 1);
  glEvalMesh2(GL_FILL, 0, 2, 0, 1);
  glEvalMesh2(GL_LINE, 0, 2, 0, 1);
  glDisable(GL_MAP2_VERTEX_3);
}

// A list of pixels, which cannot be recorded.
void draw_skipped_lists() {
  const GLuint pixels = glGenLists(1);
  const GLubyte pixel[4] = {255, 0, 0, 255};
  glNewList(pixels, GL_COMPILE);
  glRasterPos2f(0, 0);
  glDrawPixels(1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
  glEndList();
  glCallList(pixels);
  glDeleteLists(pixels, 1);
  draw_range(GL_TRIANGLES, 12, 3);
}

}  // namespace

void setup_compatibility() {
  list = glGenLists(1);
  nested_list = glGenLists(1);
  state_list = glGenLists(1);
  mixed_list = glGenLists(1);
  glNewList(nested_list, GL_COMPILE);
  draw_range(GL_TRIANGLE_FAN, 10, 4);
  glTranslatef(0.125f, 0, 0);
  glEndList();
  glNewList(list, GL_COMPILE);
  draw_range(GL_TRIANGLES, 3, 3);
  glPushMatrix();
  glCallList(nested_list);
  glPopMatrix();
  glEndList();
  for (const int first : {40, 3}) {  // the second one replaces the first
    glNewList(state_list, GL_COMPILE);
    glShadeModel(GL_FLAT);
    draw_range(GL_TRIANGLES, first, 3);
    glShadeModel(GL_SMOOTH);
    draw_range(GL_TRIANGLES, first + 3, 3);
    glEndList();
  }
  glNewList(mixed_list, GL_COMPILE);
  glPushMatrix();
  glTranslatef(0.125f, 0, 0);
  glShadeModel(GL_SMOOTH);
  draw_range(GL_TRIANGLES, 3, 3);
  glPopMatrix();
  draw_range(GL_TRIANGLES, 9, 3);
  draw_range(GL_LINES, 16, 4);
  glEndList();
}

void draw_compatibility(int number) {
  switch (number) {
    case kImmediate: draw_immediate(); break;
    case kLists: draw_lists(); break;
    case kClientArrays: draw_client_arrays(); break;
    case kFixedFunction: draw_fixed_function(); break;
    case kAssembly: draw_assembly(); break;
    case kEvaluators: draw_evaluators(); break;
    case kSkippedLists: draw_skipped_lists(); break;
    case kFixedPrograms: draw_fixed_programs(); break;
    case kPoints: draw_points(); break;
    case kBackFaces: draw_back_faces(); break;
    case kQuads: draw_quads(); break;
    case kTies: draw_ties(); break;
    case kDetails: draw_details(); break;
    case kMaterials: draw_materials(); break;
    case kPrimitives: draw_primitives(); break;
    case kPositions: draw_positions(); break;
    case kColors: draw_colors(); break;
    case kLogic: draw_logic(); break;
    case kPointSizes: draw_point_sizes(); break;
    case kDeletedShaders: draw_deleted_shaders(); break;
    case kLetters: draw_letters(); break;
    case kSamples: draw_samples(); break;
    case kStipples: draw_stipples(); break;
    case kPatterns: draw_patterns(); break;
    case kWhole: draw_whole(); break;
    case kSampleLayers: draw_sample_layers(); break;
    case kPointPlaces: draw_point_places(); break;
    case kOutlines: draw_outlines(); break;
    case kWritten: draw_written(); break;
    case kNarrow: draw_narrow(); break;
    case kListOutlines: draw_list_outlines(); break;
    case kSubroutines: draw_subroutines(); break;
    default: break;
  }
}

}  // namespace scene
