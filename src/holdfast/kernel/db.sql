-- sight: registers the caller's own user and writes the revision of a change that was let through.

-- name: enter
-- The role is taken on for this transaction only (SET LOCAL ROLE), in the same statement: a pooler between would drop a role
-- that was set for the session or at its start.
SELECT set_config('role', 'holdfast_app', true), enter_org(%(org_id)s);

-- name: enter_with_proof
SELECT set_config('role', 'holdfast_app', true), set_config('holdfast.org', '-', true),
       set_config('holdfast.proof', %(proof)s, true);

-- name: plan_for_any_values
-- Until the transaction ends, statements keep one plan for all values. Postgres would plan a list anew for each call, because it
-- knows then how many audiences the caller has, and comes to the same plan.
SELECT set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: plan_for_these_values
-- Until the transaction ends, statements are planned for their values. Where the filters of a list are optional and have an
-- index each, one plan for all values would walk past what these leave out.
SELECT set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: register_user
INSERT INTO users (org_id, id, created_at, updated_at)
VALUES (%(org_id)s, %(user_id)s, %(now)s, %(now)s)
ON CONFLICT (org_id, id) DO NOTHING;

-- name: write_revision
INSERT INTO revisions ({written_revision})
VALUES (
    %(org_id)s, %(id)s, %(kind)s, %(object_id)s, %(parent_id)s, %(label)s, %(version)s, %(action)s,
    %(actor_type)s, %(actor_id)s, %(user_id)s, %(agent_id)s, %(session_id)s, %(request_id)s, %(now)s,
    %(state)s, %(content)s
);

-- name: notify_keys_changed
-- Where a trigger cannot: on Citus, whose processes all listen on the coordinator. See migrations/0003_access.sql.
SELECT pg_notify('holdfast_keys', '');
