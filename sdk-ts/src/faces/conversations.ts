/** Conversations: message lists inside a token budget, and the memory resources that configure them. */

import type { AnswerOf, BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { ASKS, Face, type ListOf } from "../face.js";
import { Listing, type Onward } from "../pages.js";

/** The configuration of a kind of conversation. To change it, put a changed copy without revision and times. */
export type MemoryResource = Schemas["MemoryResource"];

/** The faults that were found; without faults, the resources as they were read. */
export type Validation = Schemas["ResourceValidation"];

/** A text (stored with the role `user`), or a message with its `role`, and a `content` or `tool_calls`. */
export type Said = string | { role?: string; content?: string | null; [field: string]: unknown };

/** The messages as the document has them. TypeScript infers `role: string` for an array in a variable, so that the service checks the roles. */
export function asSent(messages: Said | Said[]): Schemas["Append"]["messages"] {
  return messages as Schemas["Append"]["messages"];
}

/** Names an instance: by its key, or by variables for the resource's key template. */
export interface Instance {
  key?: string;
  variables?: Record<string, unknown>;
  agent_id?: string;
}

export type Messages = Schemas["Messages"];
export type Message = Schemas["Message"];
export type AppendResult = Schemas["AppendResult"];

type ReadQuery = Omit<QueryOf<"conversations.read">, "key" | "variables" | "agent_id">;
type WithSession = { session_id?: string; project_id?: string };

const BY_OFFSET: Onward<ReadQuery, Messages, Message> = {
  items: (page) => page.messages,
  next: (asked, page) => {
    if (!page.has_more || asked.tail !== undefined) {
      return undefined;
    }
    return { ...asked, offset: (asked.offset ?? 0) + page.messages.length };
  },
};

/**
 * Message lists, by resource and key. If a call names no instance, a client that is bound to a session fills the resource's
 * key template with its `session_id`.
 */
export class Conversations extends Face {
  /** The org's memory resources, newest first. */
  listResources(
    query: QueryOf<"conversations.list_resources"> = {},
    request?: RequestOptions,
  ): ListOf<"conversations.list_resources"> {
    return this.listing("conversations.list_resources", query, (asked) => ({ query: asked }), request);
  }

  /** One memory resource. */
  readResource(resourceId: string, request?: RequestOptions): Promise<MemoryResource> {
    return this.json("conversations.read_resource", { path: { resource_id: resourceId } }, request);
  }

  /**
   * Create or change a memory resource, given as an object or as YAML text; `ifMatch` is its `revision`.
   *
   * Throws Invalid with every fault in `errors`, and Conflict if the change would move existing messages.
   */
  putResource(
    resourceId: string,
    config: Record<string, unknown> | string,
    request?: RequestOptions,
  ): Promise<MemoryResource> {
    const parts = { path: { resource_id: resourceId }, body: configOf(config) };
    return this.json("conversations.put_resource", parts, request);
  }

  /** Delete a memory resource; Conflict if it has instances, unless `force`, which deletes them too. */
  deleteResource(
    resourceId: string,
    query: QueryOf<"conversations.delete_resource"> = {},
    request?: RequestOptions,
  ): Promise<void> {
    return this.nothing("conversations.delete_resource", { path: { resource_id: resourceId }, query }, request);
  }

  /** List every fault of a resource, or of YAML text with resources; nothing is stored. */
  validateResource(config: Record<string, unknown> | string, request?: RequestOptions): Promise<Validation> {
    return this.json("conversations.validate_resource", { body: configOf(config) }, request, ASKS);
  }

  /** The JSON Schema of a memory resource. */
  readSchema(request?: RequestOptions): Promise<AnswerOf<"conversations.read_schema">> {
    return this.json("conversations.read_schema", {}, request);
  }

  /** The key that the resource's template gives for these variables. */
  async resolve(
    resourceId: string,
    variables: Record<string, unknown>,
    options: Pick<Instance, "agent_id"> = {},
    request?: RequestOptions,
  ): Promise<string> {
    const body = { variables, agent_id: options.agent_id ?? this.bound.agent };
    const parts = { path: { resource_id: resourceId }, body };
    return (await this.json("conversations.resolve", parts, request, ASKS)).key;
  }

  /**
   * Messages, oldest first: awaited, one part; iterated, all of them. `tail` is a number of newest messages,
   * `include_flushed` adds flushed ones. An instance that does not exist is read as empty.
   */
  read(
    resourceId: string,
    options: ReadQuery & Instance = {},
    request?: RequestOptions,
  ): Listing<ReadQuery, Messages, Message> {
    const { key, variables, agent_id, ...query } = options;
    const which = this.#inQuery({ key, variables, agent_id });
    const path = { resource_id: resourceId };
    const read = (asked: ReadQuery) =>
      this.json("conversations.read", { path, query: { ...which, ...asked } }, request);
    return new Listing(read, query, BY_OFFSET);
  }

  get(...args: Parameters<Conversations["read"]>): Listing<ReadQuery, Messages, Message> {
    return this.read(...args);
  }

  /** Add up to 100 messages, all or none; a message whose `id` exists already is ignored. */
  append(
    resourceId: string,
    messages: Said | Said[],
    options: Instance & WithSession = {},
    request?: RequestOptions,
  ): Promise<AppendResult> {
    const body = { ...this.#inBody(options), ...this.#session(options), messages: asSent(messages) };
    return this.json("conversations.append", { path: { resource_id: resourceId }, body }, request);
  }

  /** Replace all messages by these (up to 1,000). */
  write(
    resourceId: string,
    messages: Said | Said[],
    options: Instance & WithSession = {},
    request?: RequestOptions,
  ): Promise<AppendResult> {
    const body = { ...this.#inBody(options), ...this.#session(options), messages: asSent(messages) };
    return this.json("conversations.write", { path: { resource_id: resourceId }, body }, request);
  }

  put(...args: Parameters<Conversations["write"]>): Promise<AppendResult> {
    return this.write(...args);
  }

  /** Flush the list down to its budget; below the threshold only with `force`. A dry run only reports the result. */
  flush(
    resourceId: string,
    options: Pick<BodyOf<"conversations.flush">, "strategy" | "dry_run" | "force"> & Instance = {},
    request?: RequestOptions,
  ): Promise<Schemas["FlushResult"]> {
    const { strategy, dry_run, force } = options;
    const body = { ...this.#inBody(options), strategy, dry_run, force };
    const parts = { path: { resource_id: resourceId }, body };
    return this.json("conversations.flush", parts, request, dry_run ? ASKS : {});
  }

  /** Remove all messages; needs `confirm: true`. With `backup`, `restore` can bring them back. */
  clear(
    resourceId: string,
    options: { confirm: boolean; backup?: boolean } & Instance,
    request?: RequestOptions,
  ): Promise<Schemas["Cleared"]> {
    const body = { ...this.#inBody(options), confirm: options.confirm, backup: options.backup };
    return this.json("conversations.clear", { path: { resource_id: resourceId }, body }, request);
  }

  /** Replace all messages by those of a backup. */
  restore(
    resourceId: string,
    backupId: string,
    options: Instance = {},
    request?: RequestOptions,
  ): Promise<Schemas["Restored"]> {
    const body = { ...this.#inBody(options), backup_id: backupId };
    const parts = { path: { resource_id: resourceId }, body };
    return this.json("conversations.restore", parts, request);
  }

  /** Delete the instance; returns whether there was one. */
  async delete(resourceId: string, options: Instance = {}, request?: RequestOptions): Promise<boolean> {
    const parts = { path: { resource_id: resourceId }, body: this.#inBody(options) };
    return (await this.json("conversations.delete", parts, request)).deleted;
  }

  /** Remove and return the newest message. */
  pop(resourceId: string, options: Instance = {}, request?: RequestOptions): Promise<Schemas["Popped"]> {
    const parts = { path: { resource_id: resourceId }, body: this.#inBody(options) };
    return this.json("conversations.pop", parts, request);
  }

  /** The counts and limits of an instance. */
  stats(resourceId: string, options: Instance = {}, request?: RequestOptions): Promise<Schemas["Stats"]> {
    const parts = { path: { resource_id: resourceId }, query: this.#inQuery(options) };
    return this.json("conversations.stats", parts, request);
  }

  /** Whether an instance can be written to and is persisted. */
  health(resourceId: string, options: Instance = {}, request?: RequestOptions): Promise<Schemas["Health"]> {
    const parts = { path: { resource_id: resourceId }, query: this.#inQuery(options) };
    return this.json("conversations.health", parts, request);
  }

  /** The instances of a resource with their owners and counts, newest first; `all` owners need a service key. */
  listInstances(
    resourceId: string,
    query: QueryOf<"conversations.list_instances"> = {},
    request?: RequestOptions,
  ): ListOf<"conversations.list_instances"> {
    const path = { resource_id: resourceId };
    return this.listing("conversations.list_instances", query, (asked) => ({ path, query: asked }), request);
  }

  list(...args: Parameters<Conversations["listInstances"]>): ListOf<"conversations.list_instances"> {
    return this.listInstances(...args);
  }

  /** Summaries and flushed messages of the caller's conversations, best first. */
  async search(
    query: string,
    options: Pick<BodyOf<"recall">, "limit"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["RecalledThing"][]> {
    const kinds: BodyOf<"recall">["kinds"] = ["summary", "flushed"];
    const body = { limit: 10, ...options, ...this.bound.place(), query, kinds };
    return (await this.json("recall", { body }, request, ASKS)).data;
  }

  #inBody({ key, variables, agent_id }: Instance): Instance {
    const { session } = this.bound;
    const implied = key === undefined && variables === undefined && session !== undefined;
    return {
      key,
      variables: implied ? { session_id: session } : variables,
      agent_id: agent_id ?? this.bound.agent,
    };
  }

  #inQuery(instance: Instance): { key?: string; variables?: string; agent_id?: string } {
    const { variables, ...others } = this.#inBody(instance);
    return { ...others, variables: variables && JSON.stringify(variables) };
  }

  #session({ session_id, project_id }: WithSession): WithSession {
    return { session_id: session_id ?? this.bound.session, project_id: project_id ?? this.bound.project };
  }
}

function configOf(config: Record<string, unknown> | string): Record<string, never> {
  return (typeof config === "string" ? { yaml: config } : config) as Record<string, never>;
}
