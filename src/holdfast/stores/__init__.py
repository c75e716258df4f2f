"""Stores: text entries at paths, with every version kept.

Promise: content is kept byte for byte, nobody overwrites what they have not read, the counts of a store are exact at
every moment, and what was redacted is gone from every place it ever was.

service.py stores · entries.py what lies in them · listing.py by path · records.py what is written down ·
versions.py their history · changes.py diffs · transfer.py, archive.py zip in and out · paths.py which paths there are
"""
