"""The directory: an org's settings, workspaces, projects and their members, agents, users, sessions.

Promise: names are the client's, each lives once per org, and what a caller may not see is not there for it.
"""
