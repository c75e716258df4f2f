-- fragment: insight_columns
i.id, i.user_id, i.category, i.insight, i.source, i.confidence, i.metadata, i.version, i.created_at, i.updated_at

-- name: may_capture
-- Waits for a switch that is being turned, and holds it until the insight is in. A user nobody wrote for yet may.
SELECT u.insight_capture FROM users u WHERE u.org_id = %(org_id)s AND u.id = %(user_id)s FOR SHARE;

-- name: add_insight
-- sight: made for the user that the caller acts for.
INSERT INTO insights AS i (
    org_id, id, user_id, category, insight, source, confidence, metadata, created_at, updated_at)
VALUES (%(org_id)s, %(id)s, %(user_id)s, %(category)s, %(insight)s, %(source)s, %(confidence)s, %(metadata)s, %(now)s,
        %(now)s)
RETURNING {insight_columns};

-- name: read_insight
-- sight: `user_id` is the user that the caller acts for.
SELECT {insight_columns}
  FROM insights i
 WHERE i.org_id = %(org_id)s AND i.user_id = %(user_id)s AND i.id = %(id)s;

-- name: list_insights
-- sight: `user_id` is the user that the caller acts for.
SELECT {insight_columns}
  FROM insights i
 WHERE i.org_id = %(org_id)s
   AND i.user_id = %(user_id)s
   AND (%(category)s::text IS NULL OR i.category = %(category)s)
   AND i.id < %(older_than)s
   AND i.id > %(newer_than)s
 ORDER BY i.id DESC
 LIMIT %(limit)s;

-- name: delete_insights
-- One of a user's, or all of them (of a category).
-- sight: `user_id` is the user that the caller acts for.
DELETE FROM insights i
 WHERE i.org_id = %(org_id)s
   AND i.user_id = %(user_id)s
   AND (%(id)s::text IS NULL OR i.id = %(id)s)
   AND (%(category)s::text IS NULL OR i.category = %(category)s)
RETURNING i.id;
