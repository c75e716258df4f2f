"""Where messages are stored: one protocol, kept by a log in Postgres, one in Redis and one in this process."""
