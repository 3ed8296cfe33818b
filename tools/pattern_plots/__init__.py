"""Figures and report of tools/plot-patterns."""
