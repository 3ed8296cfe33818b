"""pygame 2 with PyOpenGL's fixed function: lights, a display list, a stippled box, text. pip install pygame PyOpenGL"""

import math

import pygame
from OpenGL.GL import *  # noqa: F403

pygame.init()
pygame.display.set_mode((800, 600), pygame.OPENGL | pygame.DOUBLEBUF)
font = pygame.font.Font(None, 64).render("letters", True, (255, 255, 255, 255))
letters = glGenTextures(1)
glBindTexture(GL_TEXTURE_2D, letters)
glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR)
glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, *font.get_size(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
             pygame.image.tostring(font, "RGBA", True))
shape = glGenLists(1)
glNewList(shape, GL_COMPILE)
for ring in range(24):
    glBegin(GL_TRIANGLE_STRIP)
    for side in range(13):
        for step in (ring, ring + 1):
            a, b = step * math.tau / 24, side * math.tau / 12
            glNormal3f(math.cos(a) * math.cos(b), math.sin(b), math.sin(a) * math.cos(b))
            glVertex3f(math.cos(a) * (1 + 0.4 * math.cos(b)), 0.4 * math.sin(b), math.sin(a) * (1 + 0.4 * math.cos(b)))
    glEnd()
glEndList()
glEnable(GL_DEPTH_TEST)
glEnable(GL_LIGHT0)
glEnable(GL_COLOR_MATERIAL)
glLightfv(GL_LIGHT0, GL_POSITION, (1, 2, 3, 0))
for frame in range(400):
    pygame.event.pump()
    glClearColor(0.2, 0.25, 0.3, 1)
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT)
    glMatrixMode(GL_PROJECTION)
    glLoadIdentity()
    glFrustum(-0.4, 0.4, -0.3, 0.3, 0.5, 20)
    glMatrixMode(GL_MODELVIEW)
    glLoadIdentity()
    glTranslatef(0, 0, -3.5)
    glRotatef(25 + frame, 1, 0.3, 0)
    glEnable(GL_LIGHTING)
    glColor3f(0.9, 0.5, 0.2)
    glCallList(shape)
    glDisable(GL_LIGHTING)
    glEnable(GL_LINE_STIPPLE)
    glLineStipple(3, 0x5ad3)
    glColor3f(0.5, 0.9, 1)
    for z in (-1, 1):
        glBegin(GL_LINE_LOOP)
        for x, y in ((-1.5, -1), (1.5, -1), (1.5, 1), (-1.5, 1)):
            glVertex3f(x, y, z)
        glEnd()
    glDisable(GL_LINE_STIPPLE)
    glEnable(GL_TEXTURE_2D)
    glEnable(GL_BLEND)
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA)
    glColor3f(1, 1, 1)
    glBegin(GL_QUADS)
    for s, t in ((0, 0), (1, 0), (1, 1), (0, 1)):
        glTexCoord2f(s, t)
        glVertex3f(2 * s - 1, 0.5 * t - 1.6, 0)
    glEnd()
    glDisable(GL_BLEND)
    glDisable(GL_TEXTURE_2D)
    pygame.display.flip()
