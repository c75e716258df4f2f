-- Receipts of erasures, and what is left of a person.
-- sight: receipts are the org's; service.py and verify.py let only those read them who administer it.

-- fragment: receipt
id, salt, person_sha256, pseudonym, everything, counts, hashes, outside, backups, erased_at, files, completed_at, sha256

-- name: write_receipt
INSERT INTO erasure_receipts (org_id, id, salt, person_sha256, pseudonym, everything, counts, hashes, outside, backups, erased_at)
VALUES (%(org_id)s, %(id)s, %(salt)s, %(person_sha256)s, %(pseudonym)s, %(everything)s, %(counts)s, %(hashes)s, %(outside)s,
        (SELECT coalesce(jsonb_agg(jsonb_build_object('id', b.id, 'name', b.name, 'made_at', b.made_at) ORDER BY b.made_at), '[]')
           FROM backups b WHERE b.made_at <= %(now)s),
        %(now)s)
RETURNING {receipt};

-- name: read_receipt
SELECT {receipt} FROM erasure_receipts WHERE org_id = %(org_id)s AND id = %(id)s;

-- name: list_receipts
SELECT {receipt} FROM erasure_receipts
 WHERE org_id = %(org_id)s AND id < %(older_than)s AND id > %(newer_than)s
 ORDER BY id DESC
 LIMIT %(limit)s;

-- name: note_outside
UPDATE erasure_receipts SET outside = %(outside)s WHERE org_id = %(org_id)s AND id = %(id)s RETURNING {receipt};

-- name: complete_receipt
UPDATE erasure_receipts SET files = %(files)s, completed_at = %(completed_at)s, sha256 = %(sha256)s
 WHERE org_id = %(org_id)s AND id = %(id)s
RETURNING {receipt};

-- name: find_left
SELECT place, carried, older FROM erasure_left(%(salt)s, %(person_sha256)s, %(erased_at)s);
