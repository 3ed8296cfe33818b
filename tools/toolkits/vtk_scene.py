"""VTK through PyVista, four samples a pixel by default. pip install pyvista PyOpenGL"""

import pyvista
import scene

plotter = pyvista.Plotter(window_size=(scene.WIDTH, scene.HEIGHT))
plotter.add_mesh(pyvista.Sphere(theta_resolution=40, phi_resolution=40), color="orange", smooth_shading=True)
plotter.add_mesh(pyvista.Cube(center=(0.8, 0.2, 0.1), x_length=0.5), color="teal", show_edges=True)
plotter.add_axes()
plotter.add_text("VTK", font_size=12)
plotter.show(interactive_update=True, auto_close=False)
for frame in range(1, scene.FRAMES):
    plotter.camera.Azimuth(5)
    plotter.update()
    if frame == scene.SHOWN and scene.PICTURE:
        picture = plotter.screenshot(return_img=True)
        with open(scene.PICTURE, "wb") as file:
            file.write(picture.tobytes())
