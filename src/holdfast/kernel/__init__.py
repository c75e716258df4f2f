"""What all faces need, for the same reason: identity and sight, the database, history, jobs, errors, limits.

The kernel knows no face. See ../../docs/architecture.md for the map.
"""
