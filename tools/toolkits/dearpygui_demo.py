"""Dear PyGui's own demonstration. pip install dearpygui"""

import dearpygui.dearpygui as gui
from dearpygui import demo

gui.create_context()
gui.create_viewport(title="demo", width=1000, height=700)
gui.setup_dearpygui()
demo.show_demo()
with gui.window(label="plot", pos=(480, 80), width=480, height=400), gui.plot(width=-1, height=-1):
    gui.add_plot_axis(gui.mvXAxis)
    with gui.plot_axis(gui.mvYAxis):
        gui.add_line_series([i / 10 for i in range(100)], [(i * i) % 37 for i in range(100)])
gui.show_viewport()
gui.start_dearpygui()
