"""Stores for those who speak Anthropic's API: `Anthropic(base_url="<holdfast>/anthropic")` and its memory_stores.

A thin translation over the services of stores: other names, a leading slash, another form of error. Same data.
"""
