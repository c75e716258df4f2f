"""Files attached to memories: rows in Postgres, bytes in an object store."""
