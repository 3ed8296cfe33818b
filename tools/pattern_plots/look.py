"""Names, colours and means of the figures of bin patterns."""
import math

from plotting import (AMBER, BLACK, GREEN, GREY, MINT, NAVY, ORANGE, PINK, PURPLE, RED, ROSE, SKY, STEEL, legend)

COLORS = {
    "diagonal": GREY, "z-curve": RED, "hilbert": ORANGE, "pseudo-random": STEEL,
    "hierarchical-maximized-distance": GREEN, "x-shift": SKY, "y-shift": ROSE, "x-shift-offset": NAVY,
    "sudoku": MINT, "van-der-corput": PURPLE, "g80": AMBER, "searched": BLACK, "searched-shifts": PINK,
}
SHORT = {"hierarchical-maximized-distance": "HMD", "pseudo-random": "pseudo-random (PRUT)", "x-shift-offset": "X-shift+offset",
         "van-der-corput": "Van der Corput", "diagonal": "Diagonal", "hilbert": "Hilbert", "z-curve": "Z-curve",
         "x-shift": "X-shift", "y-shift": "Y-shift", "sudoku": "Sudoku", "g80": "G80", "searched": "searched tile",
         "searched-shifts": "searched shifts"}


def color_of(pattern):
    return COLORS.get(pattern, BLACK)


def short(name):
    return SHORT.get(name, name)


def gmean(values):
    values = [v for v in values if v > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def hmean(values):
    return len(values) / sum(1 / v for v in values) if values else math.nan


def below(figure, axes_list, columns=6, bottom=0.1):
    """Adds a legend of all axes below them, and leaves room for a title above."""
    legend(figure, axes_list, columns)
    figure.tight_layout(rect=(0, bottom, 1, 0.95))
