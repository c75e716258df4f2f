-- Texts that statements of stores share.

-- fragment: store
s.id, s.name, s.description, s.status, s.visibility, s.read_only, s.created_by, s.entry_count, s.total_size, s.metadata,
       s.version, s.created_at, s.updated_at, s.archived_at

-- fragment: entry
e.id, e.store_id, e.path, e.size, e.content_sha256, e.version, e.metadata, e.created_at, e.updated_at

-- fragment: version
r.id, r.parent_id AS store_id, r.object_id AS entry_id, r.label AS entry_path, r.version, r.action,
       coalesce((r.state->>'size')::int, 0) AS size, coalesce(r.state->>'content_sha256', '') AS content_sha256,
       coalesce(r.state->'metadata', '{}') AS metadata, r.actor_type, r.actor_id, r.user_id, r.session_id, r.created_at,
       r.redacted_at, r.redacted_by

-- fragment: writable
s.archived_at IS NULL AND (NOT s.read_only OR %(writes_read_only)s)
