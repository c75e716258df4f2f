"""Face 4: memories, rows that are saved by key and recalled per query; the node graph beside them; learning insights.

A memory belongs to a user (`global`), a project or an agent, and only they see it. Saving its key again updates it in
place; every state it had stays in its history until it is deleted, and then nothing of it does.
"""
