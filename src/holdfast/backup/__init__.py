"""Backup and restore of a whole deployment: database and assets in one file.

The embedded database is copied file by file while it serves (pg_basebackup, with the log that makes the copy consistent); your
own Postgres is dumped (pg_dump). `archive.py` is the file, `embedded.py` and `external.py` fill and read it, `assets.py` takes
the object store along.
"""
