"""The directory: an org's settings, workspaces, projects and their members, agents, users, sessions, keys."""

from holdfast_client.directory import calls
from holdfast_client.face import AsyncFace, Face, awaited, sync


class Directory(Face):
    """Read and change the org, workspaces, projects, agents, users, sessions and keys."""

    read_org = sync(calls.read_org)
    change_org = sync(calls.change_org)
    list_workspaces = sync(calls.list_workspaces)
    read_workspace = sync(calls.read_workspace)
    put_workspace = sync(calls.put_workspace)
    list_projects = sync(calls.list_projects)
    read_project = sync(calls.read_project)
    put_project = sync(calls.put_project)
    add_member = sync(calls.add_member)
    remove_member = sync(calls.remove_member)
    list_agents = sync(calls.list_agents)
    read_agent = sync(calls.read_agent)
    put_agent = sync(calls.put_agent)
    list_users = sync(calls.list_users)
    export_user = sync(calls.export_user)
    create_user = sync(calls.create_user)
    change_user = sync(calls.change_user)
    delete_user = sync(calls.delete_user)
    read_me = sync(calls.read_me)
    change_me = sync(calls.change_me)
    read_session = sync(calls.read_session)
    list_keys = sync(calls.list_keys)


class AsyncDirectory(AsyncFace):
    """Read and change the org, workspaces, projects, agents, users, sessions and keys."""

    read_org = awaited(calls.read_org)
    change_org = awaited(calls.change_org)
    list_workspaces = awaited(calls.list_workspaces)
    read_workspace = awaited(calls.read_workspace)
    put_workspace = awaited(calls.put_workspace)
    list_projects = awaited(calls.list_projects)
    read_project = awaited(calls.read_project)
    put_project = awaited(calls.put_project)
    add_member = awaited(calls.add_member)
    remove_member = awaited(calls.remove_member)
    list_agents = awaited(calls.list_agents)
    read_agent = awaited(calls.read_agent)
    put_agent = awaited(calls.put_agent)
    list_users = awaited(calls.list_users)
    export_user = awaited(calls.export_user)
    create_user = awaited(calls.create_user)
    change_user = awaited(calls.change_user)
    delete_user = awaited(calls.delete_user)
    read_me = awaited(calls.read_me)
    change_me = awaited(calls.change_me)
    read_session = awaited(calls.read_session)
    list_keys = awaited(calls.list_keys)
