"""raylib: solids, a grid, letters, a picture that is drawn to. pip install raylib"""

from pyray import *

set_config_flags(ConfigFlags.FLAG_MSAA_4X_HINT)
init_window(800, 600, "raylib")
camera = Camera3D(Vector3(6, 5, 6), Vector3(0, 0.5, 0), Vector3(0, 1, 0), 45, CameraProjection.CAMERA_PERSPECTIVE)
shown = load_render_texture(256, 256)
model = load_model_from_mesh(gen_mesh_torus(0.4, 1.2, 16, 24))
model.materials[0].maps[0].texture = load_texture_from_image(gen_image_checked(128, 128, 16, 16, ORANGE, DARKBLUE))
for frame in range(2000):
    if window_should_close():
        break
    begin_texture_mode(shown)
    clear_background(SKYBLUE)
    draw_circle(128, 128, 40 + frame % 60, MAROON)
    draw_text("to a texture", 20, 20, 30, BLACK)
    end_texture_mode()
    begin_drawing()
    clear_background(RAYWHITE)
    begin_mode_3d(camera)
    draw_model_ex(model, Vector3(0, 1, 0), Vector3(0.3, 1, 0), 3.0 * frame, Vector3(1, 1, 1), WHITE)
    draw_cube(Vector3(2, 0.5, -1), 1, 1, 1, RED)
    draw_cube_wires(Vector3(2, 0.5, -1), 1, 1, 1, BLACK)
    draw_sphere(Vector3(-2, 0.7, 1), 0.7, LIME)
    draw_grid(10, 1)
    end_mode_3d()
    draw_texture_rec(shown.texture, Rectangle(0, 0, 256, -256), Vector2(530, 20), WHITE)
    draw_text("raylib", 20, 20, 40, DARKGRAY)
    end_drawing()
