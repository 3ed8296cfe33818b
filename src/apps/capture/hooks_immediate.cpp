// Hooks of the fixed-function API: immediate mode, display lists, rectangles, evaluators, pixels.
//
// Vertices between glBegin and glEnd are compiled into a private display list. The list then runs twice, once as points
// for the positions and once for the picture. A list in mode GL_COMPILE_AND_EXECUTE is compiled first and called
// afterwards.
#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "capture/pixels.h"
#include "capture/session.h"

namespace brokkr::capture {

uint32_t list_bit(GLenum mode) {
  switch (feedback_primitive(mode)) {
    case GL_POINTS: return kListPoints;
    case GL_LINES: return kListLines;
    default: break;
  }
  if (mode == GL_QUADS || mode == GL_QUAD_STRIP) return kListTriangles | kListQuads;
  return mode == GL_POLYGON ? kListTriangles | kListPolygons : uint32_t(kListTriangles);
}

namespace {

// Names of private parts lie far above those that programs choose. glGenLists may return names in this range.
std::atomic<GLuint> next_piece{0x60000000};
std::atomic<bool> has_pieces{false};  // some list has more than one part

constexpr uint32_t kListDraws = kListTriangles | kListLines | kListPoints | kListPixels;

void next_compiled_piece(Context& context) {
  GL(EndList)();
  GLuint name = next_piece++;
  while (GL(IsList)(name)) name = next_piece++;
  context.compiled.push_back({name, 0});
  has_pieces = true;
  GL(NewList)(context.compiled.back().name, context.compile_mode);
}

void delete_private_pieces(GLuint list, const std::vector<ListPiece>& pieces) {
  for (const ListPiece& piece : pieces) {
    if (piece.name != list && piece.name != 0) GL(DeleteLists)(piece.name, 1);
  }
}

}  // namespace

void note_compiled(uint32_t content, const std::vector<std::shared_ptr<const Pixels>>& pixels) {
  Context* const context = current_context();
  if (!context || context->compiling == 0) return;
  // The state at the start of a draw describes it, and feedback records only one kind of primitive. So each kind of
  // primitive gets its own part, and so do commands that set state.
  const uint32_t before = context->compiled.back().content;
  // Each bitmap is drawn from its own raster position, which only GL knows.
  const bool differs = ((content | before) & kListDraws) != 0 && before != 0 && before != content;
  if (differs || (content & before & kListPixels) != 0) next_compiled_piece(*context);
  ListPiece& piece = context->compiled.back();
  piece.content |= content;
  piece.pixels.insert(piece.pixels.end(), pixels.begin(), pixels.end());
}

bool is_dropped() {
  const Context* const context = current_context();
  if (!context || context->compiling != 0) return false;
  const Context* const known = known_context();
  return !known->info.framebuffers || get_integer(GL_DRAW_FRAMEBUFFER_BINDING) == 0;
}

namespace {

std::atomic<int> compiling_lists{0}, open_begins{0};

void count_busy(std::atomic<int>& count, int change, BusyBit bit) { set_busy(bit, (count += change) > 0); }

// The primitives of an evaluator's mesh.
GLenum evaluated(GLenum mode) { return mode == GL_POINT ? GL_POINTS : mode == GL_LINE ? GL_LINES : GL_TRIANGLES; }

// The vertices of an evaluator's mesh. Mesa's evaluators leave other current attributes.
DrawCall mesh(GLenum mode) {
  return {.mode = feedback_primitive(evaluated(mode)), .opaque = true, .changes_state = true};
}

// Vertices that only GL knows, with primitives of `mode`.
DrawCall opaque(GLenum mode) {
  return {.mode = feedback_primitive(mode), .opaque = true, .faces = mode == GL_QUADS ? mode : GLenum(GL_NONE)};
}

using ListPixels = std::vector<std::shared_ptr<const Pixels>>;

// Records what one or more display lists draw in one call. All must draw the same kind of primitive; `pixels` are in
// order.
void record_lists(const char* name, uint32_t content, const ListPixels& pixels, const std::function<void()>& call) {
  const uint32_t primitives = content & (kListTriangles | kListLines | kListPoints);
  if (content & kListPixels) {
    record(name, [&](Recorder& current, Context& context) {
      std::vector<Pixels> all;
      for (const auto& one : pixels) {
        if (!one) return current.skip("pixels drawn by a display list", 0);
        all.push_back(*one);
      }
      record_pixels(current, context, "a display list", all);
    });
  }
  if (primitives == 0) return;
  record(name, [&](Recorder& current, Context& context) {
    const GLenum mode = primitives == kListTriangles ? GL_TRIANGLES : primitives == kListLines ? GL_LINES : GL_POINTS;
    const GLenum faces = (content & kListQuads) != 0      ? GL_QUADS
                         : (content & kListPolygons) != 0 ? GLenum(GL_POLYGON)
                                                          : GLenum(GL_NONE);
    current.draw(context, {.mode = mode, .submit = call, .opaque = true, .faces = faces, .changes_state = true});
  });
}

// The parts of a list. In a recorded frame, parts that are letters of a font include their bitmaps.
std::vector<ListPiece> pieces_to_call(const char* name, const Context& context, GLuint list) {
  std::vector<ListPiece> pieces = list_pieces(context, list);
  if (pieces.front().of_font && pieces.front().pixels.empty()) {
    record(name, [&](Recorder&, Context& current) {
      const std::optional<Pixels> bitmap = bitmap_of_list(current, list);
      pieces.front().pixels.push_back(bitmap ? std::make_shared<const Pixels>(*bitmap) : nullptr);
      set_list_pieces(current, list, pieces);
    });
  }
  return pieces;
}

template <typename T>
uint32_t read_element(const void* lists, GLsizei i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(lists) + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

uint32_t read_big_endian(const void* lists, GLsizei i, size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(lists) + static_cast<size_t>(i) * size;
  uint32_t value = 0;
  for (size_t b = 0; b < size; b++) value = value << 8 | bytes[b];
  return value;
}

// The i-th name of glCallLists, without the base.
uint32_t list_offset(GLenum type, const void* lists, GLsizei i) {
  switch (type) {
    case GL_BYTE: return read_element<GLbyte>(lists, i);
    case GL_UNSIGNED_BYTE: return read_element<GLubyte>(lists, i);
    case GL_SHORT: return read_element<GLshort>(lists, i);
    case GL_UNSIGNED_SHORT: return read_element<GLushort>(lists, i);
    case GL_INT: return read_element<GLint>(lists, i);
    case GL_UNSIGNED_INT: return read_element<GLuint>(lists, i);
    case GL_FLOAT: return read_element<GLfloat>(lists, i);
    case GL_2_BYTES: return read_big_endian(lists, i, 2);
    case GL_3_BYTES: return read_big_endian(lists, i, 3);
    case GL_4_BYTES: return read_big_endian(lists, i, 4);
    default: return 0;
  }
}

// The parts of the lists that glCallLists names.
std::vector<ListPiece> called_pieces(const char* name, const Context& context, GLsizei count, GLenum type,
                                     const void* lists) {
  const GLuint base = get_name(GL_LIST_BASE);
  std::vector<ListPiece> all;
  for (GLsizei i = 0; i < count; i++) {
    const std::vector<ListPiece> pieces = pieces_to_call(name, context, base + list_offset(type, lists, i));
    all.insert(all.end(), pieces.begin(), pieces.end());
  }
  return all;
}

void call_pieces(const char* name, const std::vector<ListPiece>& pieces) {
  for (const ListPiece& piece : pieces) {
    const auto call = [list = piece.name] { GL(CallList)(list); };
    // A font's letter cannot be looked up while a list is compiled.
    const ListPixels unknown(piece.of_font && piece.pixels.empty() ? 1 : 0);
    if (is_busy(kCompiling)) note_compiled(piece.content, unknown.empty() ? piece.pixels : unknown);
    record_lists(name, piece.content, piece.pixels, call);
    call();
  }
}

// Returns true if the parts cannot run in one call because they contain more than draws of one kind.
bool are_many(const std::vector<ListPiece>& pieces, size_t lists) {
  uint32_t content = 0;
  bool differ = false;
  for (const ListPiece& piece : pieces) {
    differ = differ || (content != 0 && piece.content != 0 && piece.content != content);
    content |= piece.content;
  }
  const bool several_pixels = (content & kListPixels) != 0 && pieces.size() > 1;
  return several_pixels || pieces.size() > lists || (content & kListState) != 0 || differ;
}

// `make` returns the Pixels, or nothing if they cannot be recorded. Inside a list it is called only for bitmaps,
// because other pixels need calls that the list would record.
template <typename Make>
void draw_pixels(const char* what, bool is_bitmap, Make make) {
  Context* const compiling = is_busy(kCompiling) ? current_context() : nullptr;
  if (compiling && compiling->compiling != 0) {
    note_compiled(kListPixels);
    const std::optional<Pixels> pixels = is_bitmap ? make(*known_context()) : std::nullopt;
    compiling->compiled.back().pixels.push_back(pixels ? std::make_shared<const Pixels>(*pixels) : nullptr);
  }
  record(what, [&](Recorder& current, Context& context) {
    const std::optional<Pixels> pixels = make(context);
    if (!pixels) return current.skip(std::string("pixels drawn by ") + what, 0);
    record_pixels(current, context, what, {*pixels});
  });
}

}  // namespace
}  // namespace brokkr::capture

using namespace brokkr::capture;

BROKKR_EXPORT void glBegin(GLenum mode) {
  if (!is_idle()) {
    // A second glBegin is an error without effect, but in a list it would drop the vertices that follow.
    Context* const inside = is_busy(kInBegin) ? current_context() : nullptr;
    if (inside && inside->begin_list != 0) {
      if (inside->error == GL_NO_ERROR) inside->error = GL_INVALID_OPERATION;
      g_pending_errors = true;
      return;
    }
    if (is_busy(kCompiling)) note_compiled(list_bit(mode));
    bool recorded = false;
    record("glBegin", [&](Recorder&, Context& context) {
      const GLuint list = GL(GenLists)(1);
      if (list == 0) return;
      GL(NewList)(list, GL_COMPILE);
      context.begin_list = list;
      context.begin_mode = mode;
      count_busy(open_begins, 1, kInBegin);
      recorded = true;
    });
    if (recorded) return;
  }
  GL(Begin)(mode);
}

BROKKR_EXPORT void glEnd() {
  Context* const context = is_busy(kInBegin) ? current_context() : nullptr;
  if (!context || context->begin_list == 0) return GL(End)();
  GL(EndList)();
  count_busy(open_begins, -1, kInBegin);
  const GLuint list = context->begin_list;
  const GLenum mode = context->begin_mode;
  context->begin_list = 0;
  const auto send = [list](GLenum as) {
    GL(Begin)(as);
    GL(CallList)(list);
    GL(End)();
  };
  record("glBegin", [&](Recorder& current, Context& now) {
    current.draw(
        now, {.mode = mode, .submit = [&] { send(mode); }, .opaque = true, .submit_as = send, .changes_state = true});
  });
  send(mode);
  GL(DeleteLists)(list, 1);
}

BROKKR_EXPORT void glNewList(GLuint list, GLenum mode) {
  Context* const context = is_armed() ? current_context() : nullptr;
  if (context && context->compiling == 0 && list != 0 && (mode == GL_COMPILE || mode == GL_COMPILE_AND_EXECUTE)) {
    context->call_after_compile = mode == GL_COMPILE_AND_EXECUTE && is_busy(kRecording);
    if (context->call_after_compile) mode = GL_COMPILE;
    context->compiling = list;
    context->compile_mode = mode;
    context->compiled = {{list, 0}};
    count_busy(compiling_lists, 1, kCompiling);
  }
  GL(NewList)(list, mode);
}

BROKKR_EXPORT void glEndList() {
  GL(EndList)();
  Context* const context = is_armed() ? current_context() : nullptr;
  if (!context || context->compiling == 0) return;
  const GLuint list = context->compiling;
  delete_private_pieces(list, set_list_pieces(*context, list, std::move(context->compiled)));
  context->compiled.clear();
  context->compiling = 0;
  count_busy(compiling_lists, -1, kCompiling);
  if (context->call_after_compile) glCallList(list);
  context->call_after_compile = false;
}

BROKKR_EXPORT void glDeleteLists(GLuint list, GLsizei range) {
  const Context* const context = has_pieces ? current_context() : nullptr;
  for (GLsizei i = 0; context != nullptr && i < range; i++) {
    const GLuint name = list + static_cast<GLuint>(i);
    if (list_pieces(*context, name).size() > 1)
      delete_private_pieces(name, set_list_pieces(*context, name, {{name, 0}}));
  }
  GL(DeleteLists)(list, range);
}

BROKKR_EXPORT void glCallList(GLuint list) {
  const Context* const context = is_idle() && !has_pieces ? nullptr : current_context();
  if (context == nullptr) return GL(CallList)(list);
  call_pieces("glCallList", pieces_to_call("glCallList", *context, list));
}

BROKKR_EXPORT void glCallLists(GLsizei n, GLenum type, const void* lists) {
  const Context* const context = is_idle() && !has_pieces ? nullptr : current_context();
  if (context != nullptr && context->begin_list == 0 && n > 0) {
    const std::vector<ListPiece> pieces = called_pieces("glCallLists", *context, n, type, lists);
    if (are_many(pieces, static_cast<size_t>(n))) return call_pieces("glCallLists", pieces);
    uint32_t content = 0;
    ListPixels pixels;
    for (const ListPiece& piece : pieces) {
      content |= piece.content;
      pixels.insert(pixels.end(), piece.pixels.begin(), piece.pixels.end());
    }
    if (is_busy(kCompiling)) note_compiled(content, pixels);
    record_lists("glCallLists", content, pixels, [=] { GL(CallLists)(n, type, lists); });
  }
  GL(CallLists)(n, type, lists);
}

#define BROKKR_RECT(suffix, type)                                                                               \
  BROKKR_DRAW(Rect##suffix, GL_QUADS, (type x1, type y1, type x2, type y2), (x1, y1, x2, y2), opaque(GL_QUADS)) \
  BROKKR_DRAW(Rect##suffix##v, GL_QUADS, (const type* v1, const type* v2), (v1, v2), opaque(GL_QUADS))
BROKKR_RECT(d, GLdouble)
BROKKR_RECT(f, GLfloat)
BROKKR_RECT(i, GLint)
BROKKR_RECT(s, GLshort)

BROKKR_DRAW(EvalMesh1, evaluated(mode), (GLenum mode, GLint i1, GLint i2), (mode, i1, i2), mesh(mode))

BROKKR_DRAW(EvalMesh2, evaluated(mode), (GLenum mode, GLint i1, GLint i2, GLint j1, GLint j2), (mode, i1, i2, j1, j2),
            mesh(mode))

BROKKR_EXPORT void glDrawPixels(GLsizei width, GLsizei height, GLenum format, GLenum type, const void* pixels) {
  if (!is_idle()) {
    draw_pixels("glDrawPixels", false, [&](const Context& context) {
      return read_drawn_pixels(context, width, height, format, type, pixels);
    });
  }
  GL(DrawPixels)(width, height, format, type, pixels);
}

BROKKR_EXPORT void glCopyPixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum type) {
  if (!is_idle()) {
    draw_pixels("glCopyPixels", false,
                [&](const Context& context) { return read_copied_pixels(context, x, y, width, height, type); });
  }
  GL(CopyPixels)(x, y, width, height, type);
}

BROKKR_EXPORT void glBitmap(GLsizei width, GLsizei height, GLfloat x, GLfloat y, GLfloat dx, GLfloat dy,
                            const GLubyte* bitmap) {
  // An empty bitmap only moves the raster position, which matters in lists.
  if (!is_idle() && ((width > 0 && height > 0) || is_busy(kCompiling))) {
    draw_pixels("glBitmap", true, [&](const Context& context) -> std::optional<Pixels> {
      return read_bitmap(context,
                         {.is_bitmap = true,
                          .width = width,
                          .height = height,
                          .origin_x = x,
                          .origin_y = y,
                          .move_x = dx,
                          .move_y = dy},
                         bitmap);
    });
  }
  GL(Bitmap)(width, height, x, y, dx, dy, bitmap);
}

// A list that sets the raster position is split there, because each part's bitmaps are drawn from the position before
// the part.
// Argument lists include their own parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define BROKKR_RASTER(name, parameters, arguments)      \
  BROKKR_EXPORT void gl##name parameters {              \
    if (is_busy(kCompiling)) note_compiled(kListState); \
    GL(name) arguments;                                 \
  }
// NOLINTEND(bugprone-macro-parentheses)
#define BROKKR_RASTER_TYPE(suffix, type)                                            \
  BROKKR_RASTER(RasterPos2##suffix, (type x, type y), (x, y))                       \
  BROKKR_RASTER(RasterPos3##suffix, (type x, type y, type z), (x, y, z))            \
  BROKKR_RASTER(RasterPos4##suffix, (type x, type y, type z, type w), (x, y, z, w)) \
  BROKKR_RASTER(RasterPos2##suffix##v, (const type* values), (values))              \
  BROKKR_RASTER(RasterPos3##suffix##v, (const type* values), (values))              \
  BROKKR_RASTER(RasterPos4##suffix##v, (const type* values), (values))              \
  BROKKR_RASTER(WindowPos2##suffix, (type x, type y), (x, y))                       \
  BROKKR_RASTER(WindowPos3##suffix, (type x, type y, type z), (x, y, z))            \
  BROKKR_RASTER(WindowPos2##suffix##v, (const type* values), (values))              \
  BROKKR_RASTER(WindowPos3##suffix##v, (const type* values), (values))
BROKKR_RASTER_TYPE(d, GLdouble)
BROKKR_RASTER_TYPE(f, GLfloat)
BROKKR_RASTER_TYPE(i, GLint)
BROKKR_RASTER_TYPE(s, GLshort)
