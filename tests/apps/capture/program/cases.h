// The cases; each is a frame. Core cases run in a core context of OpenGL 4.5, the others in a compatibility context.
#pragma once

#ifndef GL_GLEXT_PROTOTYPES
#define GL_GLEXT_PROTOTYPES
#endif
#include <GL/gl.h>
#include <GL/glext.h>

#include <functional>
#include <string>

namespace scene {

GLuint compile(GLenum type, const char* text);
GLuint link(std::initializer_list<GLuint> shaders, const std::function<void(GLuint)>& before_link = {});

// GL's answers about the context and the programs that link() made in it.
std::string describe_context();
void note_program(GLuint program);
void forget_program(GLuint program);

// Clears everything and sets the state with which every case starts.
void begin_case();

void setup_core();
void draw_core(int number);
void draw_shaders(int number);

// These also need the core context.
void draw_layers();
void draw_stores();
void draw_parts();

void setup_compatibility();
void draw_compatibility(int number);

// These also need the compatibility context.
void draw_assembly();
void draw_quads();
void draw_ties();
void draw_details();
void draw_materials();
void draw_primitives();
void draw_positions();
void draw_colors();
void draw_point_sizes();
void draw_deleted_shaders();
void draw_letters();
void draw_samples();
void draw_logic();
void draw_stipples();
void draw_patterns();
void draw_whole();
void draw_sample_layers();
void draw_point_places();
void draw_outlines();
void draw_written();
void draw_narrow();
void draw_list_outlines();
void draw_subroutines();

// Draws to a window that encodes sRGB.
void draw_encoded();
void draw_kept();

// Fixed function alone, in a window of several samples a pixel.
void draw_old_window();

// In a context that shares objects with that of the window: the first call sets its state, the others only draw.
void draw_beside(bool first);

// Clears parts of colours and stencils, and then tests the stencil.
void clear_parts_es();

// In a context of OpenGL ES.
void draw_es(int number);

// Draws to a second window, swaps it, and then draws to the first. `make_current` selects window 0 or 1.
void draw_windows(const std::function<void(int)>& make_current, const std::function<void()>& swap_second);

// Draws from two threads, with contexts that share objects, each to its own framebuffer.
void draw_threads(const std::function<void(int)>& make_current);

}  // namespace scene
