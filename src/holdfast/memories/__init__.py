"""Face 4: memories, rows that are saved by key and recalled per query; the node graph beside them; learning insights.

A memory belongs to a user (`global`), a project or an agent, and only they see it. Saving its key again updates it in place.
Its history keeps every state until the memory is deleted; deleting erases the contents of the history too.
"""
