"""Memory resources: the configuration of conversations, its validation, and its storage."""
