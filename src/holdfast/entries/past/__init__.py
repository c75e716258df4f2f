"""The past of entries over HTTP."""
