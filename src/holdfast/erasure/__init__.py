"""Erasing a person: every row, passage, vector, message, file and kept answer that is theirs, with a receipt.

`service.py` decides who may ask and does the erasure in one transaction; `rules.py` says for every table of the schema what
happens to it; `outside.py` erases in Redis and in the object store; `files.py` rewrites the files of the database, so that
no deleted text stays in them or in the write-ahead log; `verify.py` checks a receipt later.
"""
