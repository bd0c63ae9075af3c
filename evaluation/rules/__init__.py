"""Graders of rule discovery, one module a game."""
