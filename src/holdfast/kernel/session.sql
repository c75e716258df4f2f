-- Sent in one implicit transaction, as the service sends its reads.

-- name: assume_role
SELECT set_config('role', 'holdfast_app', true);

-- name: read_session
-- A pooler gives its clients process ids of its own, so theirs differs from this one.
SELECT current_user::text, r.rolsuper OR r.rolbypassrls, pg_backend_pid(),
       EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
  FROM pg_roles r WHERE r.rolname = current_user;
