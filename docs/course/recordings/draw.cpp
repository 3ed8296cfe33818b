// Draws one small OpenGL frame for each step from MP-1 on, into a pbuffer of a headless EGL display, for the course's
// recordings. `tools/research/course-recordings --draw` builds it, runs it under `brokkr capture` and keeps the
// recording.
//
//   draw SCENE     SCENE: pixels, transforms, triangles, colors, depth, textures
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES 1
#include <GL/gl.h>
#include <GL/glext.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kWidth = 160, kHeight = 120;  // pixels
constexpr float kPi = 3.14159265f;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "draw: %s (EGL error 0x%x)\n", what, unsigned(eglGetError()));
  std::exit(1);
}

// Uses window coordinates (pixels, origin at the bottom left) as object coordinates, and depth unchanged: -1 near to 1
// far.
void window_coordinates() {
  glMatrixMode(GL_PROJECTION);
  glLoadIdentity();
  glOrtho(0, kWidth, 0, kHeight, 1, -1);
}

// An anvil, in blocks of three by three points.
void draw_pixels() {
  const char* const rows[] = {"........................", "...............y........", "............y..y..y.....",
                              ".............y...y......", "..wwww.....y..yyy..y....", "..wwwwbbbbbbbbbbb.......",
                              "..wwww......y.yyy.......", "......ggggggggggggggggg.", "...gggggggggggggggggg...",
                              ".gggggggggggggggggg.....", "...gggggggggggggggg.....", ".......gggggggg.........",
                              "........gggggg..........", "........gggggg..........", ".......gggggggg.........",
                              ".....gggggggggggg.......", ".....gggggggggggg.......", "........................"};
  glClearColor(0.1f, 0.12f, 0.2f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  window_coordinates();
  glBegin(GL_POINTS);
  for (int row = 0; row < 18; ++row) {
    for (int column = 0; column < 24; ++column) {
      const char kind = rows[row][column];
      if (kind == '.') continue;
      const float light = 1 - 0.03f * float(row);
      if (kind == 'g') glColor3f(0.55f * light, 0.58f * light, 0.64f * light);
      if (kind == 'w') glColor3f(0.8f, 0.8f, 0.84f);
      if (kind == 'b') glColor3f(0.55f, 0.35f, 0.15f);
      if (kind == 'y') glColor3f(1, 0.85f - 0.05f * float(row), 0.2f);
      for (int i = 0; i < 9; ++i) {
        glVertex2f(float(44 + 3 * column + i % 3) + 0.5f, float(88 - 3 * row - i / 3) + 0.5f);
      }
    }
  }
  // Draws the same pixel several times: the last one stays. Then draws points beyond every edge.
  for (int i = 0; i < 4; ++i) {
    glColor3f(i == 3 ? 0.0f : 1.0f, i == 3 ? 1.0f : 0.0f, 0.5f);
    for (int x = 0; x < 12; ++x) glVertex2f(float(4 + x) + 0.5f, 6.5f);
  }
  glColor3f(1, 0, 0);
  for (int i = -6; i < 6; ++i) {
    glVertex2f(float(i) + 0.5f, 60.5f);
    glVertex2f(float(kWidth + i) + 0.5f, 60.5f);
    glVertex2f(80.5f, float(i) + 0.5f);
    glVertex2f(80.5f, float(kHeight + i) + 0.5f);
  }
  glEnd();
}

GLuint compile(GLenum kind, const char* text) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &text, nullptr);
  glCompileShader(shader);
  GLint compiled = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (!compiled) fail("a shader does not compile");
  return shader;
}

// Draws a knot of points. The fragment shader also reads position and matrices (they affect its alpha), so that the
// recording holds the data that the vertex shader uses.
void draw_transforms() {
  const GLuint program = glCreateProgram();
  glAttachShader(program, compile(GL_VERTEX_SHADER, R"(#version 120
    uniform mat4 modelview, projection;
    varying vec4 object, color;
    void main() { object = gl_Vertex; color = gl_Color; gl_Position = projection * (modelview * gl_Vertex); })"));
  glAttachShader(program, compile(GL_FRAGMENT_SHADER, R"(#version 120
    uniform mat4 modelview, projection;
    varying vec4 object, color;
    void main() { gl_FragColor = vec4(color.rgb, (projection * (modelview * object)).w); })"));
  glLinkProgram(program);
  glUseProgram(program);
  const float c = std::cos(0.7f), s = std::sin(0.7f), d = std::cos(0.4f), t = std::sin(0.4f);
  // Column by column: a rotation of 0.4 about x after 0.7 about y, at a distance of 6; then a lens of 50 degrees, from
  // 1 to 20.
  const float modelview[16] = {c, t * s, -d * s, 0, 0, d, t, 0, s, -t * c, d * c, 0, 0.25f, -0.125f, -6, 1};
  const float lens = 1 / std::tan(25 * kPi / 180);
  const float projection[16] = {
      lens * kHeight / kWidth, 0, 0, 0, 0, lens, 0, 0, 0, 0, -21.0f / 19, -1, 0, 0, -40.0f / 19, 0};
  glUniformMatrix4fv(glGetUniformLocation(program, "modelview"), 1, GL_FALSE, modelview);
  glUniformMatrix4fv(glGetUniformLocation(program, "projection"), 1, GL_FALSE, projection);
  glClearColor(0.05f, 0.05f, 0.08f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glBegin(GL_POINTS);
  for (int i = 0; i < 600; ++i) {
    const float a = 2 * kPi * float(i) / 600, r = 1.6f + 0.7f * std::cos(3 * a);
    const float wave = 0.12f * float(i % 3);
    glColor3f(0.5f + 0.5f * std::cos(a), 0.5f + 0.5f * std::cos(a + 2.1f), 0.5f + 0.5f * std::cos(a + 4.2f));
    glVertex3f((r + wave) * std::cos(2 * a), (r + wave) * std::sin(2 * a), 0.9f * std::sin(3 * a));
  }
  for (int i = 0; i < 40; ++i) {  // a ray that leaves the picture
    glColor3f(0.9f, 0.9f, 0.9f);
    glVertex3f(-0.3f * float(i), 0.1f * float(i), -0.2f * float(i));
  }
  glEnd();
  glUseProgram(0);
}

void fan(float x, float y, float radius, int points, bool wheel) {
  glBegin(GL_TRIANGLE_FAN);
  glColor3f(1, 1, 1);
  glVertex2f(x, y);
  for (int i = 0; i <= points; ++i) {
    const float a = 2 * kPi * float(i) / float(points);
    const float r = wheel || i % 2 == 0 ? radius : 0.45f * radius;
    glColor3f(0.5f + 0.5f * std::cos(a), 0.5f + 0.5f * std::cos(a - 2.1f), 0.5f + 0.5f * std::cos(a + 2.1f));
    glVertex2f(x + r * std::cos(a), y + r * std::sin(a));
  }
  glEnd();
}

void ribbon() {
  glBegin(GL_TRIANGLE_STRIP);
  for (int i = 0; i <= 24; ++i) {
    const float x = 6 + 6.13f * float(i), y = 22 + 9 * std::sin(0.55f * float(i));
    glColor3f(0.2f + 0.03f * float(i), 0.9f - 0.03f * float(i), i % 2 ? 0.9f : 0.3f);
    glVertex2f(x, y - 6.5f);
    glVertex2f(x + 2.3f, y + 6.5f);
  }
  glEnd();
}

// Draws single triangles, slivers and one that is partly left of and below the picture; quads that share their edges; a
// star, a ribbon.
void shapes() {
  window_coordinates();
  glBegin(GL_TRIANGLES);
  for (int i = 0; i < 9; ++i) {
    const float x = 8 + 5.37f * float(i), height = 3.0f * float(i * i % 7);
    glColor3f(0.1f * float(i), 0.3f, 0.8f);
    glVertex2f(x, 52.1f);
    glColor3f(0.9f, 0.1f * float(i), 0.3f);
    glVertex2f(x + 0.4f * float(i), 50 - height);
    glColor3f(0.9f, 0.8f, 0.1f * float(i));
    glVertex2f(x + 21, 58.3f - height);
  }
  const float large[][2] = {{-30, 117.5f}, {33.3f, 66.6f}, {41.7f, 140}};
  for (const auto& corner : large) {
    glColor3f(corner[0] > 0 ? 0.9f : 0.1f, 0.5f, corner[1] > 117 ? 0.9f : 0.2f);
    glVertex2f(corner[0], corner[1]);
  }
  glEnd();
  glBegin(GL_QUADS);
  for (int i = 0; i < 12; ++i) {
    const int column = i % 4, row = i / 4;
    const auto corner = [&](int x, int y) {
      glColor3f(0.25f * float(x), 0.3f * float(y), 0.7f);
      glVertex2f(106 + 12.3f * float(x) + 2.1f * float(y), 44 + 9.7f * float(y) - 3.3f * float(x % 2));
    };
    corner(column, row);
    corner(column + 1, row);
    corner(column + 1, row + 1);
    corner(column, row + 1);
  }
  glEnd();
  ribbon();
}

void draw_triangles() {
  glClearColor(0.1f, 0.1f, 0.12f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glShadeModel(GL_FLAT);
  shapes();
  fan(76.6f, 91.4f, 26, 14, false);
}

void draw_colors() {
  glClearColor(0.1f, 0.1f, 0.12f, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glShadeModel(GL_SMOOTH);
  shapes();
  fan(76.6f, 91.4f, 26, 24, true);
}

// The sine test. Each of eight bars has a black plane at depth 0, then a wave of depths from -1 (red) to 1 (blue) that
// one of the eight functions lets through. The wave has steps at depth 0, where only equality decides.
void draw_depth() {
  const GLenum functions[] = {GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
  const auto quad = [](float x0, float x1, float y, float z0, float z1) {
    const auto color = [](float z) { glColor3f(0.5f - 0.5f * z, 0.1f, 0.5f + 0.5f * z); };
    color(z0);
    glVertex3f(x0, y, z0);
    color(z1);
    glVertex3f(x1, y, z1);
    glVertex3f(x1, y + 12, z1);
    color(z0);
    glVertex3f(x0, y + 12, z0);
  };
  glClearColor(0.8f, 0.8f, 0.8f, 1);
  glClearDepth(1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
  window_coordinates();
  for (int bar = 0; bar < 8; ++bar) {
    const float y = float(106 - 15 * bar);
    glDepthFunc(GL_ALWAYS);
    glColor3f(0, 0, 0);
    glBegin(GL_QUADS);
    glVertex3f(4, y, 0);
    glVertex3f(156, y, 0);
    glVertex3f(156, y + 12, 0);
    glVertex3f(4, y + 12, 0);
    glEnd();
    glDepthFunc(functions[bar]);
    glBegin(GL_QUADS);
    for (int i = 0; i < 38; ++i) {
      const auto wave = [](int k) {
        const int phase = k % 19;
        return phase < 3 ? 0.0f : std::sin(2 * kPi * float(phase - 2) / 17.0f);
      };
      quad(float(4 + 4 * i), float(8 + 4 * i), y, wave(i), (i + 1) % 19 == 0 ? 0.0f : wave(i + 1));
    }
    glEnd();
  }
}

GLuint make_texture(int width, int height, int kind) {
  std::vector<unsigned char> texels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool mortar = kind == 0 && (y % 4 == 3 || (x + (y / 4 % 2) * 4) % 8 == 7);
      const int noise = (x * 73 + y * 151 + x * y * 31) % 48;
      const int r = kind == 0 ? (mortar ? 150 : 150 + noise) : kind == 1 ? 8 * x : 40 + 200 * ((x / 2 + y / 2) % 2);
      const int g = kind == 0 ? (mortar ? 150 : 60 + noise / 2) : kind == 1 ? 32 * y : 160 - noise;
      const int b = kind == 0 ? (mortar ? 140 : 40) : kind == 1 ? 200 - 6 * x : 60 + noise;
      for (const int channel : {r, g, b}) texels.push_back(static_cast<unsigned char>(channel));
    }
  }
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, width, height, 0, GL_RGB, GL_UNSIGNED_BYTE, texels.data());
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  return texture;
}

// Draws a brick wall at an angle, a tiled floor, and two flat quads: one texture is not square, and one is repeated
// with negative coordinates. The flat quads are parallelograms, so that the diagonal by which the driver splits a quad
// does not matter.
void draw_textures() {
  const GLuint bricks = make_texture(16, 16, 0), band = make_texture(32, 8, 1), tiles = make_texture(8, 8, 2);
  glClearColor(0.45f, 0.6f, 0.8f, 1);
  glClearDepth(1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glEnable(GL_DEPTH_TEST);
  glEnable(GL_TEXTURE_2D);
  const auto quad = [](GLuint texture, const float(&corners)[4][3], float s0, float t0, float s1, float t1) {
    glBindTexture(GL_TEXTURE_2D, texture);
    glBegin(GL_QUADS);
    for (int i = 0; i < 4; ++i) {
      const float light = corners[i][2] < -4 ? 0.6f : 1.0f;
      glColor3f(light, light, light);
      glTexCoord2f(i == 1 || i == 2 ? s1 : s0, i >= 2 ? t1 : t0);
      glVertex3fv(corners[i]);
    }
    glEnd();
  };
  glMatrixMode(GL_PROJECTION);
  glLoadIdentity();
  glFrustum(-0.8, 0.8, -0.6, 0.6, 1, 20);
  quad(tiles, {{-2, -1.1f, -1.9f}, {2, -1.1f, -1.9f}, {6, -1.1f, -11}, {-6, -1.1f, -11}}, -1, 0, 2, 5);
  quad(bricks, {{-2.1f, -1.1f, -2.7f}, {2.8f, -1.1f, -8.5f}, {2.8f, 1.9f, -8.5f}, {-2.1f, 1.9f, -2.7f}}, 0, 0, 3, 1.5f);
  window_coordinates();
  glDisable(GL_DEPTH_TEST);
  quad(band, {{98.3f, 88.2f, 0}, {154.6f, 92.7f, 0}, {151.4f, 114.1f, 0}, {95.1f, 109.6f, 0}}, 0, 0, 1, 1);
  quad(bricks, {{118.4f, 14.3f, 0}, {153.7f, 12.1f, 0}, {155.2f, 41.9f, 0}, {119.9f, 44.1f, 0}}, -1.3f, -0.7f, 0.6f,
       1.1f);
}

void make_window(EGLDisplay display) {
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) fail("no surfaceless EGL display");
  eglBindAPI(EGL_OPENGL_API);
  const EGLint wanted[] = {EGL_SURFACE_TYPE,
                           EGL_PBUFFER_BIT,
                           EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_BIT,
                           EGL_RED_SIZE,
                           8,
                           EGL_GREEN_SIZE,
                           8,
                           EGL_BLUE_SIZE,
                           8,
                           EGL_DEPTH_SIZE,
                           24,
                           EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) fail("no config");
  const EGLint size[] = {EGL_WIDTH, kWidth, EGL_HEIGHT, kHeight, EGL_NONE};
  EGLSurface surface = eglCreatePbufferSurface(display, config, size);
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
  if (!eglMakeCurrent(display, surface, surface, context)) fail("no context");
  glViewport(0, 0, kWidth, kHeight);
}

}  // namespace

int main(int count, char** words) {
  const struct {
    const char* name;
    void (*draw)();
  } scenes[] = {{"pixels", draw_pixels}, {"transforms", draw_transforms}, {"triangles", draw_triangles},
                {"colors", draw_colors}, {"depth", draw_depth},           {"textures", draw_textures}};
  for (const auto& scene : scenes) {
    if (count != 2 || std::strcmp(words[1], scene.name) != 0) continue;
    EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    make_window(display);
    scene.draw();
    eglSwapBuffers(display, eglGetCurrentSurface(EGL_DRAW));
    eglTerminate(display);
    return 0;
  }
  std::fprintf(stderr, "usage: draw pixels|transforms|triangles|colors|depth|textures\n");
  return 2;
}
