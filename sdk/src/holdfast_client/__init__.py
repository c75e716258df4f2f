"""The Python client of Holdfast."""
