"""Dear ImGui's own demonstration, and plots. pip install imgui-bundle"""

from imgui_bundle import hello_imgui, imgui, implot, immapp
import numpy

angles = numpy.linspace(0, 12, 200)


def show():
    imgui.show_demo_window()
    if implot.begin_plot("plot"):
        implot.plot_line("sine", angles, numpy.sin(angles))
        implot.end_plot()


parameters = hello_imgui.RunnerParams()
parameters.callbacks.show_gui = show
parameters.app_window_params.window_geometry.size = (1000, 700)
parameters.fps_idling.enable_idling = False
addons = immapp.AddOnsParams(with_implot=True)
immapp.run(parameters, addons)
