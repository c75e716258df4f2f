-- Texts that statements of every room share; kernel/sql.py fills them in.

-- fragment: by
%(by_user)s, %(by_agent)s, %(by_project)s, %(by_workspace)s, %(by_run)s
