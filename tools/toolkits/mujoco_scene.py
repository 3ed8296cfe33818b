"""MuJoCo: bodies on a reflecting plane with shadows, and text. pip install mujoco glfw PyOpenGL"""

import glfw
import mujoco
import scene

MODEL = """<mujoco><visual><quality shadowsize="512"/></visual><asset>
<texture name="grid" type="2d" builtin="checker" rgb1=".1 .2 .3" rgb2=".2 .3 .4" width="100" height="100"/>
<material name="grid" texture="grid" texrepeat="6 6" texuniform="true" reflectance=".3"/></asset><worldbody>
<light pos="1 -1 4" dir="-.2 .2 -1" castshadow="true"/><geom type="plane" size="5 5 .1" material="grid"/>
<body pos="0 0 1"><freejoint/><geom type="capsule" size=".2 .5" rgba=".8 .6 .4 1"/></body>
<body pos=".8 .3 1.2"><freejoint/><geom type="box" size=".3 .2 .25" rgba=".4 .6 .8 1"/></body>
<body pos="-.8 -.3 1.5"><freejoint/><geom type="ellipsoid" size=".3 .2 .25" rgba=".9 .2 .2 .7"/></body>
</worldbody></mujoco>"""
model = mujoco.MjModel.from_xml_string(MODEL)
data = mujoco.MjData(model)
glfw.init()
window = glfw.create_window(scene.WIDTH, scene.HEIGHT, "MuJoCo", None, None)
glfw.make_context_current(window)
camera, options = mujoco.MjvCamera(), mujoco.MjvOption()
camera.distance, camera.elevation, camera.azimuth = 4, -20, 120
bodies = mujoco.MjvScene(model, maxgeom=100)
context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
area = mujoco.MjrRect(0, 0, scene.WIDTH, scene.HEIGHT)
for frame in range(scene.FRAMES):
    for _ in range(20):
        mujoco.mj_step(model, data)
    mujoco.mjv_updateScene(model, data, options, None, camera, mujoco.mjtCatBit.mjCAT_ALL.value, bodies)
    mujoco.mjr_render(area, bodies, context)
    mujoco.mjr_overlay(mujoco.mjtFont.mjFONT_NORMAL.value, mujoco.mjtGridPos.mjGRID_TOPLEFT.value, area, "time",
                       f"{data.time:.3f}", context)
    scene.keep_picture(frame)
    glfw.swap_buffers(window)
    glfw.poll_events()
