"""Memories for those who speak mem0's API: `MemoryClient(api_key="hf_live_…", host="<holdfast>/mem0")`.

A thin translation over the services of memories: `user_id` is the user acted for, `agent_id` alone an agent's memory; metadata
and the other names are tags. Deleting retires: an API key never erases. Same data, same walls.
"""
