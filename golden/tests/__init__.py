"""Tests of the generator: python -m unittest discover -s golden -t . (from the repository root)."""
