// Cases in which the test compares Brokkr's picture with the driver's.
#include <string>
#include <utility>
#include <vector>

#include "cases.h"
#include "scene.h"

namespace scene {
namespace {

// Converts a window position, 0 to kSize, to clip space.
float at(float pixels) { return pixels / (kSize / 2) - 1; }

// Three corners are white and the fourth is black, so that the split of the quad is visible.
void send_quad(float left, float bottom, float size) {
  glColor3f(1, 1, 1);
  glVertex2f(at(left), at(bottom));
  glVertex2f(at(left + size), at(bottom));
  glVertex2f(at(left + size), at(bottom + size));
  glColor3f(0, 0, 0);
  glVertex2f(at(left), at(bottom + size));
}

void draw_quad(float left, float bottom) {
  glBegin(GL_QUADS);
  send_quad(left, bottom, 30);
  glEnd();
  glFlush();  // llvmpipe draws and clips together whatever is sent together
}

}  // namespace

// Quads: whole, beside a clipped one, flat, as lines on their backs, from arrays, with indices, in a list, and with the
// first vertex provoking.
void draw_quads() {
  glDisable(GL_DEPTH_TEST);
  draw_quad(1, 1);
  glBegin(GL_QUADS);
  send_quad(33, 1, 30);
  send_quad(110, 1, 30);
  glEnd();
  glFlush();
  glShadeModel(GL_FLAT);
  draw_quad(65, 1);
  glShadeModel(GL_SMOOTH);
  glPolygonMode(GL_BACK, GL_LINE);
  draw_quad(1, 33);
  glPolygonMode(GL_BACK, GL_FILL);
  const GLfloat positions[] = {at(33), at(33), at(63), at(33), at(63), at(63), at(33), at(63)};
  const GLubyte colors[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0}, order[] = {0, 1, 2, 3};
  glEnableClientState(GL_VERTEX_ARRAY);
  glEnableClientState(GL_COLOR_ARRAY);
  glVertexPointer(2, GL_FLOAT, 0, positions);
  glColorPointer(3, GL_UNSIGNED_BYTE, 0, colors);
  glDrawArrays(GL_QUADS, 0, 4);
  glTranslatef(at(65) - at(33), 0, 0);
  glDrawElements(GL_QUADS, 4, GL_UNSIGNED_BYTE, order);
  glLoadIdentity();
  glDisableClientState(GL_VERTEX_ARRAY);
  glDisableClientState(GL_COLOR_ARRAY);
  const GLuint list = glGenLists(1);
  glNewList(list, GL_COMPILE);
  draw_quad(1, 65);
  glEndList();
  glCallList(list);
  glDeleteLists(list, 1);
  glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
  draw_quad(33, 65);
  glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
  glBegin(GL_QUADS);
  glBegin(GL_LINES);  // an error without effect, as is the next one
  glBindTexture(GL_TEXTURE_2D, 0);
  send_quad(65, 65, 30);
  glEnd();
}

// Edges through pixel centres: of triangles, lines, points and sprites, with both origins.
void draw_ties() {
  glDisable(GL_DEPTH_TEST);
  for (const GLenum origin : {GL_LOWER_LEFT, GL_UPPER_LEFT}) {
    const float shift = origin == GL_LOWER_LEFT ? 0.0f : 64.0f;
    glClipControl(origin, GL_NEGATIVE_ONE_TO_ONE);
    glColor3f(1, 1, 0);
    if (origin == GL_LOWER_LEFT) {
      glBegin(GL_TRIANGLES);
      for (const auto& [x, y] : {std::pair{8.5f, 10.5f}, {36.5f, 50.5f}, {8.5f, 50.5f}}) glVertex2f(at(x), at(y));
      glEnd();
    }
    glRectf(at(12.5f + shift), at(5.5f), at(40.5f + shift), at(30.5f));
    glColor3f(1, 0, 1);
    glBegin(GL_LINES);
    for (const auto& [x, y] : {std::pair{2.0f, 60.0f}, {50.0f, 60.0f}, {50.0f, 2.0f}, {50.0f, 58.0f}})
      glVertex2f(at(x + shift), at(y));
    glEnd();
    glPointSize(4);
    for (const bool sprite : {false, true}) {
      sprite ? glEnable(GL_POINT_SPRITE) : glDisable(GL_POINT_SPRITE);
      glBegin(GL_POINTS);
      glVertex2f(at((sprite ? 56.5f : 46.5f) + shift), at(70.5f));
      glEnd();
    }
    glDisable(GL_POINT_SPRITE);
    glPointSize(1);
  }
  glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
}

// Each level of a texture has a colour, and the two rows of a quad of pixels change at different rates, so the colour
// shows which row determines the quad's level.
void draw_details() {
  glDisable(GL_DEPTH_TEST);
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  for (int level = 0; level < 7; level++) {
    const std::vector<GLubyte> texels(size_t(64 >> level) * size_t(64 >> level), GLubyte(40 * level));
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, level, GL_LUMINANCE8, 64 >> level, 64 >> level, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE,
                 texels.data());
  }
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
  const GLuint program =
      link({compile(GL_FRAGMENT_SHADER,
                    "uniform sampler2D levels; void main() { vec2 at = mod(floor(gl_FragCoord.xy), 2.0);"
                    " float rate = at.y < 0.5 ? 1.0 : 4.0;"
                    " gl_FragColor = texture2D(levels, vec2(at.x * rate / 64.0, 0.5)); }")});
  glUseProgram(program);
  glRectf(-1, -1, 1, 1);
  glUseProgram(0);
  glDeleteProgram(program);
  forget_program(program);
  glDeleteTextures(1, &texture);
}

namespace {

void set_material(float red, float green, float blue) {
  const GLfloat color[] = {red, green, blue, 1};
  glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT_AND_DIFFUSE, color);
}

// Each corner has its own material; the first one has the previous material.
void send_materials(float left, float bottom) {
  glVertex2f(at(left), at(bottom));
  set_material(1, 0.5f, 0);
  glVertex2f(at(left + 30), at(bottom));
  set_material(0, 0.25f, 1);
  glVertex2f(at(left + 30), at(bottom + 30));
}

}  // namespace

// Materials that change between vertices: in immediate mode, in a list, before a list, and one that lags behind the
// colour that it should track.
void draw_materials() {
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_LIGHTING);
  glEnable(GL_LIGHT0);
  glNormal3f(0, 0, 1);
  set_material(0.5f, 1, 0.5f);
  glBegin(GL_TRIANGLES);
  send_materials(1, 1);
  glEnd();
  const GLuint lists = glGenLists(2);
  glNewList(lists, GL_COMPILE);
  set_material(1, 0, 0);
  glBegin(GL_TRIANGLES);
  send_materials(33, 1);
  glEnd();
  const GLint half[] = {1 << 30, 1 << 30, 0, 1 << 30};
  glMaterialiv(GL_FRONT, GL_EMISSION, half);
  glBegin(GL_TRIANGLES);
  send_materials(65, 1);
  glEnd();
  glEndList();
  glNewList(lists + 1, GL_COMPILE);
  glRectf(at(1), at(40), at(30), at(70));
  glEndList();
  glCallList(lists);
  set_material(0.25f, 0.75f, 0.25f);
  const GLfloat none[] = {0, 0, 0, 1};
  glMaterialfv(GL_FRONT, GL_EMISSION, none);
  glCallList(lists + 1);
  glColor3f(0.75f, 0.75f, 0.75f);
  set_material(0.2f, 0.1f, 0.1f);
  glEnable(GL_COLOR_MATERIAL);
  glColor3f(0.75f, 0.75f, 0.75f);
  glTranslatef(at(33) - at(1), 0, 0);
  glCallList(lists + 1);
  glLoadIdentity();
  glDisable(GL_COLOR_MATERIAL);
  glDisable(GL_LIGHTING);
  glDisable(GL_LIGHT0);
  glDeleteLists(lists, 2);
}

namespace {

// Eight corners of a zigzag that starts at (0, 0), 12 pixels wide.
std::vector<float> zigzag() {
  std::vector<float> corners;
  for (int i = 0; i < 8; i++) corners.insert(corners.end(), {at(14.0f * float(i / 2) + 2), at(i % 2 == 0 ? 2 : 14)});
  return corners;
}

// Each quarter of the target uses one of the ways in which a shader can read its position.
void draw_places() {
  const char* const ways[] = {"", "layout(origin_upper_left) in vec4 gl_FragCoord;\n",
                              "layout(pixel_center_integer) in vec4 gl_FragCoord;\n",
                              "layout(origin_upper_left, pixel_center_integer) in vec4 gl_FragCoord;\n"};
  for (int i = 0; i < 4; i++) {
    const std::string text = std::string("#version 150 compatibility\n") + ways[i] +
                             "void main() { gl_FragColor = vec4(gl_FragCoord.xy / 160.0,"
                             " fract(gl_FragCoord.xy) / vec2(2.0, 1.0) + gl_FragCoord.zw * 0.25); }";
    const GLuint program = link({compile(GL_FRAGMENT_SHADER, text.c_str())});
    glUseProgram(program);
    const float left = i % 2 == 0 ? -1.0f : 0.0f, bottom = i < 2 ? -1.0f : 0.0f;
    glRectf(left, bottom, left + 1, bottom + 1);
    glUseProgram(0);
    glDeleteProgram(program);
    forget_program(program);
  }
}

void draw_triangle(float left, float bottom) {
  glBegin(GL_TRIANGLES);
  glVertex2f(at(left), at(bottom));
  glVertex2f(at(left + 20), at(bottom));
  glVertex2f(at(left), at(bottom + 20));
  glEnd();
}

}  // namespace

// The shader shows gl_PrimitiveID, and a texture of an array that a uniform selects: for lists, strips with a restart
// and fans, for two instances, for points, lines and line loops, and for triangles as lines.
void draw_primitives() {
  glDisable(GL_DEPTH_TEST);
  const GLuint program =
      link({compile(GL_VERTEX_SHADER,
                    "#version 400 compatibility\nuniform float up; void main() { gl_Position ="
                    " gl_Vertex + vec4(0.0, up + 0.125 * float(gl_InstanceID), 0.0, 0.0); }"),
            compile(GL_FRAGMENT_SHADER,
                    "#version 400 compatibility\nuniform sampler2D maps[3]; uniform int chosen; void main() {"
                    " vec4 color = texture(maps[chosen], vec2(0.5)); int id = gl_PrimitiveID;"
                    " gl_FragColor = color * vec4(id & 3, id >> 2 & 3, id >> 4 & 3, 3) / 3.0 + color * 0.25; }")});
  glUseProgram(program);
  GLuint textures[3];
  glGenTextures(3, textures);
  for (int i = 0; i < 3; i++) {
    const GLubyte color[] = {255, GLubyte(255 - 60 * i), GLubyte(100 + 70 * i), 255};
    glActiveTexture(GL_TEXTURE0 + GLenum(i));
    glBindTexture(GL_TEXTURE_2D, textures[i]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, color);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    const char* const names[] = {"maps[0]", "maps[1]", "maps[2]"};
    glUniform1i(glGetUniformLocation(program, names[i]), i);
  }
  const std::vector<float> corners = zigzag();
  glEnableClientState(GL_VERTEX_ARRAY);
  glVertexPointer(2, GL_FLOAT, 0, corners.data());
  int row = 0;
  const auto draw = [&](const auto& call) {
    glUniform1f(glGetUniformLocation(program, "up"), float(row) / 8);
    glUniform1i(glGetUniformLocation(program, "chosen"), row % 3);
    call();
    row++;
  };
  const GLubyte order[] = {0, 1, 2, 2, 1, 3, 4, 5, 6}, restarted[] = {0, 1, 2, 3, 255, 4, 5, 6, 7};
  draw([&] { glDrawElements(GL_TRIANGLES, 9, GL_UNSIGNED_BYTE, order); });
  draw([&] {
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(255);
    glDrawElements(GL_TRIANGLE_STRIP, 9, GL_UNSIGNED_BYTE, restarted);
    glDisable(GL_PRIMITIVE_RESTART);
  });
  draw([] { glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 8, 2); });
  row++;
  draw([] { glDrawArrays(GL_LINES, 0, 8); });
  draw([] { glDrawArrays(GL_LINE_LOOP, 0, 8); });
  draw([] {
    glPointSize(5);
    glDrawArraysInstanced(GL_POINTS, 0, 8, 1);
    glPointSize(1);
  });
  draw([] {
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 8);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  });
  glDisableClientState(GL_VERTEX_ARRAY);
  glUseProgram(0);
  glDeleteProgram(program);
  forget_program(program);
  for (int i = 2; i >= 0; i--) {
    glActiveTexture(GL_TEXTURE0 + GLenum(i));
    glBindTexture(GL_TEXTURE_2D, 0);
  }
  glDeleteTextures(3, textures);
}

// gl_FragCoord from below and from above, at pixel centres and at integers; in the window, and in a target of a
// different height.
void draw_positions() {
  glDisable(GL_DEPTH_TEST);
  draw_places();
  constexpr int kWidth = 96, kHeight = 40;
  GLuint framebuffer = 0, buffers[2] = {};
  glGenFramebuffers(1, &framebuffer);
  glGenRenderbuffers(2, buffers);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  for (const int i : {0, 1}) {
    glBindRenderbuffer(GL_RENDERBUFFER, buffers[i]);
    glRenderbufferStorage(GL_RENDERBUFFER, i == 0 ? GL_RGBA8 : GL_DEPTH_COMPONENT24, kWidth, kHeight);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, i == 0 ? GL_COLOR_ATTACHMENT0 : GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                              buffers[i]);
  }
  glViewport(0, 0, kWidth, kHeight);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  draw_places();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, kSize, kSize);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteRenderbuffers(2, buffers);
}

// Lists that change the current colour after a primitive, before it, and inside it. The next draw, and the list itself
// when it runs again, start with the colour that the program has then.
void draw_colors() {
  glDisable(GL_DEPTH_TEST);
  const GLuint lists = glGenLists(3);
  for (GLuint i = 0; i < 3; i++) {
    glNewList(lists + i, GL_COMPILE);
    if (i == 1) glColor3f(0, 0, 1);
    draw_triangle(1 + 40 * float(i), 1);
    if (i == 0) glColor3f(0, 1, 0);
    if (i == 2) {
      glBegin(GL_LINES);
      glVertex2f(at(81), at(25));
      glColor3f(0, 1, 1);
      glVertex2f(at(101), at(25));
      glEnd();
    }
    glEndList();
  }
  for (int row = 0; row < 4; row++) {
    for (GLuint i = 0; i < 3; i++) {
      if (row % 2 == 0) glColor3f(1, 0.25f * float(row), 0);
      glCallList(lists + i);
      if (row >= 2) draw_triangle(21 + 40 * float(i), 1);
    }
    glTranslatef(0, at(30) - at(0), 0);
  }
  glLoadIdentity();
  glDeleteLists(lists, 3);
}

// All logical operations over rows of many colours, while blending is enabled, and a letter as a crosshair.
void draw_logic() {
  glDisable(GL_DEPTH_TEST);
  for (int row = 0; row < 8; row++) {
    glColor3ub(GLubyte(37 * row), GLubyte(255 - 29 * row), GLubyte(91 * row & 255));
    glRectf(-1, at(16 * float(row)), 1, at(16 * float(row + 1)));
  }
  glEnable(GL_COLOR_LOGIC_OP);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  for (GLenum i = 0; i < 16; i++) {
    glLogicOp(GL_CLEAR + i);
    glColor4ub(0x5a, 0xc3, 0x0f, 0x80);
    const float left = 8 * float(i);
    glRectf(at(left + 1), -1, at(left + 7), at(120));
  }
  const GLubyte bits[] = {0x18, 0x18, 0x18, 0xff, 0xff, 0x18, 0x18, 0x18};
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glLogicOp(GL_XOR);
  glColor3f(1, 1, 1);
  glRasterPos2f(at(60), at(70));
  glBitmap(8, 8, 0, 0, 0, 0, bits);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glLogicOp(GL_COPY);
  glDisable(GL_COLOR_LOGIC_OP);
  glDisable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ZERO);
}

// Points of fractional sizes, including halves.
void draw_point_sizes() {
  glDisable(GL_DEPTH_TEST);
  glColor3f(1, 1, 1);
  for (int i = 0; i < 64; i++) {
    glPointSize(0.5f + 0.125f * float(i));
    glBegin(GL_POINTS);
    glVertex2f(at(8 + 16 * float(i % 8) + 0.375f * float(i / 8)), at(8.25f + 16 * float(i / 8)));
    glEnd();
  }
  glPointSize(1);
}

// Round points that show their coordinates, in a target of four samples.
void draw_point_places() {
  GLint window = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &window);
  GLuint color = 0, framebuffer = 0;
  glGenRenderbuffers(1, &color);
  glBindRenderbuffer(GL_RENDERBUFFER, color);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, kSize, kSize);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_DEPTH_TEST);
  const GLuint program =
      link({compile(GL_VERTEX_SHADER, "#version 120\nvoid main() { gl_Position = gl_Vertex; }"),
            compile(GL_FRAGMENT_SHADER,
                    "#version 120\nvoid main() { vec2 at = gl_PointCoord * 2.0 - 1.0;"
                    " if (dot(at, at) > 0.95) discard; gl_FragColor = vec4(gl_PointCoord, 1.0, 1.0); }")});
  glUseProgram(program);
  glEnable(GL_POINT_SPRITE);
  glPointSize(13);
  glBegin(GL_POINTS);
  for (int i = 0; i < 49; i++)
    glVertex2f(at(12 + 17 * float(i % 7) + 0.09375f * float(i)),
               at(12.40625f + 17 * float(i / 7) - 0.0625f * float(i % 7)));
  glEnd();
  glPointSize(1);
  glDisable(GL_POINT_SPRITE);
  glUseProgram(0);
  glDeleteProgram(program);
  forget_program(program);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, GLuint(window));
  glBlitFramebuffer(0, 0, kSize, kSize, 0, 0, kSize, kSize, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, GLuint(window));
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteRenderbuffers(1, &color);
}

// Shaders that are deleted while attached live until they are detached. The program is linked twice, and its built-in
// varyings are captured.
void draw_deleted_shaders() {
  const char* const vertex = R"(#version 120
    attribute vec4 spot; uniform vec4 tint[2];
    void main() {
      gl_TexCoord[0] = gl_MultiTexCoord0; gl_FrontColor = gl_Color * tint[1];
      gl_Position = ftransform() + spot; })";
  const char* const fragment = "#version 120\nvoid main() { gl_FragColor = gl_Color + gl_TexCoord[0]; }";
  const GLuint program =
      link({compile(GL_VERTEX_SHADER, vertex), compile(GL_FRAGMENT_SHADER, fragment)}, [](GLuint made) {
        GLuint shaders[2] = {};
        glGetAttachedShaders(made, 2, nullptr, shaders);
        for (const GLuint shader : shaders) glDeleteShader(shader);
        glBindAttribLocation(made, 5, "spot");
      });
  glLinkProgram(program);
  const auto triangle = [](float x) {
    glBegin(GL_TRIANGLES);
    for (const auto& [right, up] : {std::array{0.0f, -1.0f}, {0.5f, -1.0f}, {0.0f, 1.0f}}) {
      glTexCoord2f(right, 0.25f);
      glVertexAttrib4f(5, x, 0, 0, 0);
      glColor3f(0.25f, 0.5f, up * 0.25f + 0.5f);
      glVertex2f(right, up * 0.5f);
    }
    glEnd();
  };
  glUseProgram(program);
  const GLfloat tints[] = {0, 0, 0, 0, 1, 0.5f, 0.75f, 1};
  glUniform4fv(glGetUniformLocation(program, "tint"), 2, tints);
  triangle(-0.75f);
  glUseProgram(0);
}

// Bitmaps: on their own, in lists like those of fonts, and in a list that moves the raster position; and pixels.
void draw_letters() {
  const GLubyte bits[] = {0x81, 0x42, 0x24, 0x18, 0x18, 0x24, 0x5a, 0xff, 0x0f, 0x70, 0x01, 0xe0};
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  const GLuint font = glGenLists(3);
  for (GLuint i = 0; i < 3; i++) {
    glNewList(font + i, GL_COMPILE);
    if (i == 2) glRasterPos2f(at(90), at(20));
    glBitmap(8, 8, 1, GLfloat(i), 9.5f, 0.25f, bits);
    if (i == 2) {
      glColor3f(0, 1, 1);
      glRasterPos2f(at(70.5f), at(30.25f));
      glBitmap(0, 0, 0, 0, 4, 2, nullptr);
      glBitmap(12, 6, 0, 0, 0, 0, bits);
    }
    glEndList();
  }
  glColor3f(1, 0.5f, 0.25f);
  glRasterPos3f(at(10.75f), at(100), 0.25f);
  glColor3f(0, 1, 0);  // too late for this raster position
  glListBase(font);
  const GLubyte text[] = {0, 1, 1, 0};
  glCallLists(4, GL_UNSIGNED_BYTE, text);
  glCallList(font + 2);
  glPixelStorei(GL_UNPACK_SKIP_PIXELS, 2);
  glPixelStorei(GL_UNPACK_LSB_FIRST, GL_TRUE);
  glRasterPos2f(at(10), at(60));
  glBitmap(6, 8, 0, 0, 0, 0, bits);
  glPixelStorei(GL_UNPACK_SKIP_PIXELS, 0);
  glPixelStorei(GL_UNPACK_LSB_FIRST, GL_FALSE);
  const GLubyte colors[] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 128, 255, 255, 0, 255};
  glRasterPos2f(at(39.75f), at(50.25f));
  glPixelZoom(8, 4);
  glDrawPixels(2, 2, GL_RGBA, GL_UNSIGNED_BYTE, colors);
  glPixelZoom(1, 1);
  glRasterPos2f(at(100.25f), at(79.75f));
  glCopyPixels(40, 50, 16, 8, GL_COLOR);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glListBase(0);
  glDeleteLists(font, 3);
}

// Four samples a pixel, with the states and programs that depend on them. The window gets each sample of the texture in
// a quarter, and what a blit makes of them in the middle.
void draw_samples() {
  constexpr GLsizei kPart = kSize / 2;
  GLint window = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &window);
  GLuint texture = 0, depth = 0, framebuffers[2] = {}, resolved = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
  glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, kPart, kPart, GL_TRUE);
  glGenRenderbuffers(1, &depth);
  glBindRenderbuffer(GL_RENDERBUFFER, depth);
  glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_DEPTH_COMPONENT24, kPart, kPart);
  glGenFramebuffers(2, framebuffers);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffers[0]);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, texture, 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
  glViewport(0, 0, kPart, kPart);
  glClearColor(0.25f, 0, 0.25f, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  const auto program = [](const char* fragment) {
    return link({compile(GL_VERTEX_SHADER, R"(#version 450 compatibility
    out vec2 a; centroid out vec2 c; sample out vec2 s;
    void main() { gl_Position = gl_Vertex; a = c = s = gl_Vertex.xy * 0.5 + 0.5; })"),
                 compile(GL_FRAGMENT_SHADER, fragment)});
  };
  const GLuint plain =
      program("#version 450 compatibility\nin vec2 a; void main() { gl_FragColor = vec4(a, 0.0, a.x); }");
  const GLuint numbers = program(R"(#version 450 compatibility
    sample in vec2 s; void main() { gl_FragColor = vec4(s, float(gl_SampleID) / 4.0, 1.0); })");
  const GLuint masks = program(R"(#version 450 compatibility
    centroid in vec2 c; void main() {
      gl_SampleMask[0] = int(c.x * 64.0);
      gl_FragColor = vec4(c, float(gl_SampleMaskIn[0]) / 16.0, 1.0);
    })");
  int row = 0;
  const auto triangle = [&](GLuint with) {
    const float low = -1 + 0.25f * float(row++);
    glUseProgram(with);
    glBegin(GL_TRIANGLES);
    glVertex2f(-0.96f, low + 0.02f);
    glVertex2f(0.93f, low + 0.09f);
    glVertex2f(-0.21f, low + 0.23f);
    glEnd();
  };
  triangle(plain);
  glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
  triangle(plain);
  glEnable(GL_SAMPLE_ALPHA_TO_ONE);
  triangle(plain);
  glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
  glDisable(GL_SAMPLE_ALPHA_TO_ONE);
  glEnable(GL_SAMPLE_MASK);
  glSampleMaski(0, 6);
  triangle(masks);
  glDisable(GL_SAMPLE_MASK);
  glEnable(GL_SAMPLE_COVERAGE);
  glSampleCoverage(0.5f, GL_TRUE);
  triangle(numbers);
  glDisable(GL_SAMPLE_COVERAGE);
  glEnable(GL_SAMPLE_SHADING);
  glMinSampleShading(0.5f);
  triangle(plain);
  glDisable(GL_SAMPLE_SHADING);
  glDisable(GL_MULTISAMPLE);
  triangle(masks);
  glEnable(GL_MULTISAMPLE);

  glGenTextures(1, &resolved);
  glBindTexture(GL_TEXTURE_2D, resolved);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, kPart, kPart, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers[1]);
  glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, resolved, 0);
  glBlitFramebuffer(0, 0, kPart, kPart, 0, 0, kPart, kPart, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[1]);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(window));
  glViewport(0, 0, kSize, kSize);
  const GLuint reading = program(R"(#version 450 compatibility
    uniform sampler2DMS map; void main() {
      ivec2 at = ivec2(gl_FragCoord.xy), size = textureSize(map);
      gl_FragColor = texelFetch(map, at % size, at.x / size.x + 2 * (at.y / size.y));
    })");
  glUseProgram(reading);
  glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
  glDisable(GL_DEPTH_TEST);
  glRectf(-1, -1, 1, 1);
  glBlitFramebuffer(0, 0, kPart, kPart, kPart / 2, kPart / 2, kPart / 2 + kPart, kPart / 2 + kPart, GL_COLOR_BUFFER_BIT,
                    GL_NEAREST);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(window));
  glUseProgram(0);
}

namespace {

// A framebuffer of four samples a pixel in the size of the window.
class Sampled {
 public:
  Sampled() {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &window_);
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glGenRenderbuffers(1, &color_);
    glBindRenderbuffer(GL_RENDERBUFFER, color_);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, kSize, kSize);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  Sampled(const Sampled&) = delete;
  Sampled& operator=(const Sampled&) = delete;
  ~Sampled() {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &color_);
  }
  // Copies the upper half, averaged, to that of the window.
  void show() const {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, GLuint(window_));
    glBlitFramebuffer(0, kSize / 2, kSize, kSize, 0, kSize / 2, kSize, kSize, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, GLuint(window_));
  }

 private:
  GLint window_ = 0;
  GLuint framebuffer_ = 0, color_ = 0;
};

// Stippled lines, a strip, a loop, and a line with perspective that begins behind the near plane, 60 pixels high.
void send_stippled(float bottom) {
  glLineStipple(1, 0x3f07);
  glBegin(GL_LINES);
  glColor3f(1, 1, 1);
  glVertex2f(at(4.25f), at(bottom + 3.25f));
  glVertex2f(at(60.75f), at(bottom + 8.75f));
  glColor3f(1, 0.5f, 0);
  glVertex2f(at(70.25f), at(bottom + 2.25f));
  glColor3f(0, 0.5f, 1);
  glVertex2f(at(64.25f), at(bottom + 55.75f));
  glEnd();
  glLineStipple(3, 0x0f35);
  glBegin(GL_LINE_STRIP);
  for (int i = 0; i < 6; i++) {
    glColor3f(float(i & 1), 1, float(i >> 1 & 1));
    glVertex2f(at(4.25f + 10.5f * float(i)), at(bottom + (i % 2 == 0 ? 14.25f : 29.5f)));
  }
  glEnd();
  glLineWidth(3);
  glBegin(GL_LINE_LOOP);
  glColor3f(1, 0, 1);
  glVertex2f(at(6.25f), at(bottom + 33.25f));
  glVertex2f(at(56.25f), at(bottom + 36.25f));
  glColor3f(1, 1, 0);
  glVertex2f(at(50.25f), at(bottom + 56.25f));
  glEnd();
  glLineWidth(1);
  glBegin(GL_LINES);
  glColor3f(1, 0, 0);
  glVertex4f(at(80.25f), at(bottom + 5.25f), -1.5f, 1);
  glColor3f(0, 1, 0);
  glVertex4f(4 * at(124.25f), 4 * at(bottom + 55.25f), 2, 4);
  glEnd();
}

}  // namespace

// Stippled lines in the window, flat and smooth colours, and with four samples a pixel.
void draw_stipples() {
  glDisable(GL_DEPTH_TEST);
  glEnable(GL_LINE_STIPPLE);
  send_stippled(0);
  const Sampled sampled;
  glShadeModel(GL_FLAT);
  send_stippled(64);
  glShadeModel(GL_SMOOTH);
  sampled.show();
  glLineStipple(1, 0xffff);
  glDisable(GL_LINE_STIPPLE);
}

// Triangles with a pattern that no mirror image equals: by fixed function, by a program, whole, as lines, which have no
// pattern, and with four samples a pixel.
void draw_patterns() {
  glDisable(GL_DEPTH_TEST);
  std::array<GLubyte, 129> pattern{};
  for (size_t i = 0; i < pattern.size(); i++) pattern[i] = GLubyte(i * i * 11 + i / 4 * 3 + 1);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glPixelStorei(GL_PACK_LSB_FIRST, GL_TRUE);
  glPolygonStipple(pattern.data());
  const auto triangle = [](float left, float bottom) {
    glBegin(GL_TRIANGLES);
    glColor3f(1, 0.5f, 0);
    glVertex2f(at(left + 2.25f), at(bottom + 3.5f));
    glColor3f(0, 1, 0.5f);
    glVertex2f(at(left + 40.25f), at(bottom + 5.75f));
    glColor3f(0.5f, 0, 1);
    glVertex2f(at(left + 17.5f), at(bottom + 50.25f));
    glEnd();
  };
  glEnable(GL_POLYGON_STIPPLE);
  triangle(0, 0);
  const GLuint shaded = link({compile(GL_FRAGMENT_SHADER,
                                      "void shade(); void main() { shade(); if (gl_FragCoord.x < 50.0) discard; }"
                                      " void shade() { gl_FragColor = vec4(gl_Color.bgr, 1.0); }")});
  glUseProgram(shaded);
  triangle(42, 0);
  glUseProgram(0);
  glDeleteProgram(shaded);
  forget_program(shaded);
  glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
  triangle(84, 0);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  const Sampled sampled;
  glPolygonStipple(pattern.data() + 1);  // Mesa would keep the same pattern as it turned it for the window
  triangle(0, 64);
  glDisable(GL_POLYGON_STIPPLE);
  triangle(42, 64);
  sampled.show();
  glPixelStorei(GL_PACK_LSB_FIRST, GL_FALSE);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  pattern.fill(0xff);
  glPolygonStipple(pattern.data());
}

// Without GL_MULTISAMPLE, a target of four samples gets whole pixels: of triangles, lines, smooth lines, points, and
// triangles as lines and as points.
void draw_whole() {
  glDisable(GL_DEPTH_TEST);
  const Sampled sampled;
  glDisable(GL_MULTISAMPLE);
  const auto corners = [](float left) {
    glColor3f(1, 0.25f, 0);
    glVertex2f(at(left + 1.25f), at(66.5f));
    glColor3f(0.25f, 1, 0);
    glVertex2f(at(left + 17.75f), at(77.25f));
    glColor3f(0, 0.25f, 1);
    glVertex2f(at(left + 6.25f), at(121.25f));
  };
  const auto send = [&](GLenum mode, float left) {
    glBegin(mode);
    corners(left);
    glEnd();
  };
  send(GL_TRIANGLES, 0);
  send(GL_LINE_LOOP, 20);
  glLineWidth(3);
  send(GL_LINE_LOOP, 40);
  glLineWidth(1);
  glEnable(GL_LINE_SMOOTH);
  glEnable(GL_BLEND);
  glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  send(GL_LINE_LOOP, 60);
  glDisable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ZERO);
  glDisable(GL_LINE_SMOOTH);
  glPointSize(5);
  send(GL_POINTS, 80);
  glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
  send(GL_TRIANGLES, 90);
  glPointSize(1);
  glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
  send(GL_TRIANGLES, 105);
  glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  glEnable(GL_MULTISAMPLE);
  sampled.show();
}

// A texture with two layers of four samples. The window gets each sample of both.
void draw_sample_layers() {
  constexpr GLsizei kPart = kSize / 4;
  glDisable(GL_DEPTH_TEST);
  GLint window = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &window);
  GLuint texture = 0, framebuffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, texture);
  glTexImage3DMultisample(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 4, GL_RGBA8, kPart, kPart, 2, GL_TRUE);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, kPart, kPart);
  for (int layer = 0; layer < 2; layer++) {
    glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0, layer);
    glClearColor(0.25f * float(layer), 0, 0.25f, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glBegin(GL_TRIANGLES);
    glColor3f(1, float(layer), 0);
    glVertex2f(-0.96f, -0.93f);
    glColor3f(0, 1, float(layer));
    glVertex2f(0.93f, -0.71f + float(layer));
    glColor3f(float(layer), 0, 1);
    glVertex2f(-0.21f, 0.97f);
    glEnd();
  }
  glBindFramebuffer(GL_FRAMEBUFFER, GLuint(window));
  glViewport(0, 0, kSize, kSize);
  const GLuint reading =
      link({compile(GL_VERTEX_SHADER, "#version 450 compatibility\nvoid main() { gl_Position = gl_Vertex; }"),
            compile(GL_FRAGMENT_SHADER, R"(#version 450 compatibility
    uniform sampler2DMSArray map; void main() {
      ivec3 size = textureSize(map);
      ivec2 at = ivec2(gl_FragCoord.xy), place = at / size.xy;
      gl_FragColor = texelFetch(map, ivec3(at % size.xy, place.y % size.z), place.x);
      if (place.y >= size.z) gl_FragColor = vec4(size, textureSamples(map)) / 64.0;
    })")});
  glUseProgram(reading);
  glRectf(-1, -1, 1, 1);
  glUseProgram(0);
  glDeleteProgram(reading);
  forget_program(reading);
  glBindTexture(GL_TEXTURE_2D_MULTISAMPLE_ARRAY, 0);
  glDeleteFramebuffers(1, &framebuffer);
  glDeleteTextures(1, &texture);
}

// A subroutine selects the colour, for two draws.
void draw_subroutines() {
  const auto triangle = [](float x) {
    glBegin(GL_TRIANGLES);
    glVertex2f(x, -1);
    glVertex2f(x + 0.5f, -1);
    glVertex2f(x, 0.5f);
    glEnd();
  };
  const char* const choosing = R"(#version 400 compatibility
    subroutine vec4 Choice(); subroutine uniform Choice choice; out vec4 shade;
    subroutine(Choice) vec4 red() { return vec4(0.75, 0.25, 0.0, 1.0); }
    subroutine(Choice) vec4 blue() { return vec4(0.0, 0.25, 0.75, 1.0); }
    void main() { shade = choice(); gl_Position = gl_Vertex + vec4(0.25, 0.0, 0.0, 0.0); })";
  const char* const shading = "#version 400 compatibility\nin vec4 shade; void main() { gl_FragColor = shade; }";
  const GLuint second = link({compile(GL_VERTEX_SHADER, choosing), compile(GL_FRAGMENT_SHADER, shading)});
  glUseProgram(second);
  const GLuint blue = glGetSubroutineIndex(second, GL_VERTEX_SHADER, "blue");
  glUniformSubroutinesuiv(GL_VERTEX_SHADER, 1, &blue);
  triangle(-0.75f);
  triangle(0);
  glUseProgram(0);
}

}  // namespace scene
