"""freeglut, old OpenGL: lighting, a display list, letters. apt install libglut3.12; pip install PyOpenGL"""

import os
import sys

import scene
from OpenGL.GL import *
from OpenGL.GLUT import *

glutInit(sys.argv)
glutInitDisplayMode(GLUT_DOUBLE | GLUT_RGB | GLUT_DEPTH | GLUT_MULTISAMPLE)
glutInitWindowSize(scene.WIDTH, scene.HEIGHT)
glutCreateWindow(b"glut")
teapot = glGenLists(1)
glNewList(teapot, GL_COMPILE)
glutSolidTeapot(0.5)
glEndList()
frame = 0


def display():
    global frame
    glEnable(GL_DEPTH_TEST)
    glEnable(GL_LIGHTING)
    glEnable(GL_LIGHT0)
    glClearColor(0.1, 0.1, 0.2, 1)
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT)
    glPushMatrix()
    glRotatef(10 * frame, 0, 1, 0)
    glCallList(teapot)
    glPopMatrix()
    glDisable(GL_LIGHTING)
    glColor3f(1, 1, 0)
    glRasterPos2f(-0.9, -0.9)
    for letter in b"frame %d" % frame:
        glutBitmapCharacter(GLUT_BITMAP_HELVETICA_18, letter)
    scene.keep_picture(frame)
    glutSwapBuffers()
    frame += 1
    if frame == scene.FRAMES:
        sys.stdout.flush()
        os._exit(0)
    glutPostRedisplay()


glutDisplayFunc(display)
glutMainLoop()
