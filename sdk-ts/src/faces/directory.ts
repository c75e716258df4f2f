/** The directory: an org's settings, workspaces, projects and their members, agents, users, sessions, keys. */

import type { BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Face, type ListOf } from "../face.js";

const ZIP_TIMEOUT_MS = 300_000;

/** Read and change the org, workspaces, projects, agents, users, sessions and keys. */
export class Directory extends Face {
  /** The key's org and its settings. */
  readOrg(request?: RequestOptions): Promise<Schemas["Org"]> {
    return this.json("directory.read_org", {}, request);
  }

  /** Change the given settings; null removes the token cap, or the org's own recall weights. */
  changeOrg(changes: BodyOf<"directory.change_org">, request?: RequestOptions): Promise<Schemas["Org"]> {
    return this.json("directory.change_org", { body: changes }, request);
  }

  /** The org's workspaces, newest first. */
  listWorkspaces(
    query: QueryOf<"directory.list_workspaces"> = {},
    request?: RequestOptions,
  ): ListOf<"directory.list_workspaces"> {
    return this.listing("directory.list_workspaces", query, (asked) => ({ query: asked }), request);
  }

  /** One workspace. */
  readWorkspace(workspaceId: string, request?: RequestOptions): Promise<Schemas["Workspace"]> {
    return this.json("directory.read_workspace", { path: { workspace_id: workspaceId } }, request);
  }

  /** Create a workspace, or change its name. */
  putWorkspace(
    workspaceId: string,
    fields: BodyOf<"directory.put_workspace"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["Workspace"]> {
    const parts = { path: { workspace_id: workspaceId }, body: fields };
    return this.json("directory.put_workspace", parts, request);
  }

  /** The projects that the caller may see, newest first. */
  listProjects(
    query: QueryOf<"directory.list_projects"> = {},
    request?: RequestOptions,
  ): ListOf<"directory.list_projects"> {
    return this.listing("directory.list_projects", query, (asked) => ({ query: asked }), request);
  }

  /** One project; a private one is NotFound for users who are not members. */
  readProject(projectId: string, request?: RequestOptions): Promise<Schemas["Project"]> {
    return this.json("directory.read_project", { path: { project_id: projectId } }, request);
  }

  /** Create a project, with its creator as a member, or change the given fields. */
  putProject(
    projectId: string,
    fields: BodyOf<"directory.put_project"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["Project"]> {
    return this.json("directory.put_project", { path: { project_id: projectId }, body: fields }, request);
  }

  /** Add a user to a project. */
  addMember(projectId: string, userId: string, request?: RequestOptions): Promise<Schemas["Project"]> {
    return this.json("directory.add_member", { path: { project_id: projectId, user_id: userId } }, request);
  }

  /** Remove a user from a project. */
  removeMember(projectId: string, userId: string, request?: RequestOptions): Promise<void> {
    return this.nothing("directory.remove_member", { path: { project_id: projectId, user_id: userId } }, request);
  }

  /** The agents of the active workspace, newest first. */
  listAgents(
    query: QueryOf<"directory.list_agents"> = {},
    request?: RequestOptions,
  ): ListOf<"directory.list_agents"> {
    return this.listing("directory.list_agents", query, (asked) => ({ query: asked }), request);
  }

  /** One agent of the active workspace: the given one, else the client's. */
  readAgent(agentId?: string, request?: RequestOptions): Promise<Schemas["Agent"]> {
    return this.json("directory.read_agent", { path: { agent_id: this.bound.mustAgent(agentId) } }, request);
  }

  /** Register an agent in the active workspace, or change the given fields. */
  putAgent(
    agentId?: string,
    fields: BodyOf<"directory.put_agent"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["Agent"]> {
    const path = { agent_id: this.bound.mustAgent(agentId) };
    return this.json("directory.put_agent", { path, body: fields }, request);
  }

  /** The org's users, newest first; a user key sees only its own user. */
  listUsers(
    query: QueryOf<"directory.list_users"> = {},
    request?: RequestOptions,
  ): ListOf<"directory.list_users"> {
    return this.listing("directory.list_users", query, (asked) => ({ query: asked }), request);
  }

  /** Everything that is held about a person, as a zip. */
  exportUser(userId: string, request?: RequestOptions): Promise<Uint8Array> {
    const rule = { timeoutMs: ZIP_TIMEOUT_MS };
    return this.bytes("directory.export_user", { path: { user_id: userId } }, request, rule);
  }

  /** Register a user; Conflict if the id or the e-mail address is taken. For service keys and owners. */
  createUser(
    userId: string,
    fields: Omit<BodyOf<"directory.create_user">, "user_id"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["User"]> {
    return this.json("directory.create_user", { body: { ...fields, user_id: userId } }, request);
  }

  /** Change a user's e-mail address (null removes it) or role; Conflict for the last owner. For service keys and owners. */
  changeUser(
    userId: string,
    changes: BodyOf<"directory.change_user">,
    request?: RequestOptions,
  ): Promise<Schemas["User"]> {
    return this.json("directory.change_user", { path: { user_id: userId }, body: changes }, request);
  }

  /** Delete a user with their keys and sessions; their memory stays until they are erased. For service keys and owners. */
  deleteUser(userId: string, request?: RequestOptions): Promise<void> {
    return this.nothing("directory.delete_user", { path: { user_id: userId } }, request);
  }

  /** The user that this client acts for. */
  readMe(request?: RequestOptions): Promise<Schemas["User"]> {
    return this.json("directory.read_me", {}, request);
  }

  /** Change the settings of the user that this client acts for. */
  changeMe(changes: BodyOf<"directory.change_me">, request?: RequestOptions): Promise<Schemas["User"]> {
    return this.json("directory.change_me", { body: changes }, request);
  }

  /** One session: the given one, else the client's. */
  readSession(sessionId?: string, request?: RequestOptions): Promise<Schemas["Session"]> {
    const path = { session_id: this.bound.mustSession(sessionId) };
    return this.json("directory.read_session", { path }, request);
  }

  /** API keys, newest first, without their secrets. Keys are made and revoked in a browser or on the command line. */
  listKeys(
    query: QueryOf<"directory.list_keys"> = {},
    request?: RequestOptions,
  ): ListOf<"directory.list_keys"> {
    return this.listing("directory.list_keys", query, (asked) => ({ query: asked }), request);
  }
}
