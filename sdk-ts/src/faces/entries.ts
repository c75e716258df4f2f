/** Entries: facts under stable keys, which an agent stores and recalls between events. */

import type { AnswerOf, BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Face, type ListOf } from "../face.js";
import { between, type Point } from "../points.js";
import { jsonOf } from "../transport.js";

export type Entry = Schemas["Entry"];
export type StoredEntry = Schemas["StoredEntry"];
export type Hydration = Schemas["Hydration"];

/** The agent of a call, where it is not the client's. */
interface WithAgent {
  agent_id?: string;
}

const ZIP = "application/zip";
const ZIP_TIMEOUT_MS = 300_000;
const NOT_MODIFIED = 304;

/** An agent's facts, by key. The agent is the given one, else the client's. */
export class Entries extends Face {
  /**
   * Store an entry under a key, or replace the present one. `conversation` entries need the `run_id` of their run.
   *
   * With scope `user` no other user sees the entry. With `expected_version` it is stored only if that is the entry's version
   * (0: there is none yet); otherwise Conflict, with the present entry as `current`.
   */
  store(
    key: string,
    content: string,
    options: Omit<BodyOf<"entries.store">, "content"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<StoredEntry> {
    const { agent_id, ...others } = options;
    const body = { ...others, content };
    return this.json("entries.store", { path: this.#path(agent_id, { key }), body }, request);
  }

  put(...args: Parameters<Entries["store"]>): Promise<StoredEntry> {
    return this.store(...args);
  }

  /** The entry under a key: the run's, else the user's with the agent, the agent's, the workspace's; else NotFound. */
  recall(
    key: string,
    options: QueryOf<"entries.recall"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<Entry> {
    const { agent_id, ...query } = options;
    return this.json("entries.recall", { path: this.#path(agent_id, { key }), query }, request);
  }

  get(...args: Parameters<Entries["recall"]>): Promise<Entry> {
    return this.recall(...args);
  }

  /** The entry under a key as markdown: front matter, and the content unchanged. */
  recallMarkdown(
    key: string,
    options: Omit<QueryOf<"entries.recall">, "as_of"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<string> {
    const { agent_id, ...query } = options;
    const parts = { path: this.#path(agent_id, { key }), query };
    return this.text("entries.recall", parts, request, { headers: { Accept: "text/markdown" } });
  }

  /** The entries of the run, of the user with the agent, of the agent and of its workspace, last stored first. */
  list(
    options: QueryOf<"entries.list"> & WithAgent = {},
    request?: RequestOptions,
  ): ListOf<"entries.list"> {
    const { agent_id, ...query } = options;
    const path = this.#path(agent_id, {});
    return this.listing("entries.list", query, (asked) => ({ path, query: asked }), request);
  }

  /** The entries with `query` in their key or content, last stored first. */
  search(
    query: string,
    options: Pick<QueryOf<"entries.list">, "limit" | "run_id"> & WithAgent = {},
    request?: RequestOptions,
  ): ListOf<"entries.list"> {
    return this.list({ ...options, query }, request);
  }

  /** Delete the entry that `recall` would return; returns whether there was one. Its history stays. */
  async forget(
    key: string,
    options: QueryOf<"entries.forget"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<boolean> {
    const { agent_id, ...query } = options;
    const parts = { path: this.#path(agent_id, { key }), query };
    return (await this.json("entries.forget", parts, request)).forgotten;
  }

  delete(...args: Parameters<Entries["forget"]>): Promise<boolean> {
    return this.forget(...args);
  }

  /** Revisions under a key, newest first, including forgotten, evicted and expired entries. Their `version_id` is the cursor. */
  history(
    key: string,
    options: QueryOf<"entries.history"> & WithAgent = {},
    request?: RequestOptions,
  ): ListOf<"entries.history"> {
    const { agent_id, ...query } = options;
    const path = this.#path(agent_id, { key });
    return this.listing("entries.history", query, (asked) => ({ path, query: asked }), request);
  }

  /** What changed under a key between two versions or times, in either order. */
  diff(
    key: string,
    since: Point,
    until: Point,
    options: Omit<QueryOf<"entries.diff">, "from" | "to"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<Schemas["TextDiff"]> {
    const { agent_id, ...others } = options;
    const query = { ...others, ...between(since, until) };
    return this.json("entries.diff", { path: this.#path(agent_id, { key }), query }, request);
  }

  /** Store the content of an earlier version again; Conflict if that version has no content. */
  restore(
    key: string,
    version: number,
    options: QueryOf<"entries.restore"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<StoredEntry> {
    const { agent_id, ...query } = options;
    const parts = { path: this.#path(agent_id, { key }), query, body: { version } };
    return this.json("entries.restore", parts, request);
  }

  /** Store many entries in one transaction. An invalid one is reported in `results` and skipped. */
  storeBatch(
    entries: BodyOf<"entries.store_batch">["entries"],
    options: Omit<BodyOf<"entries.store_batch">, "entries"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<AnswerOf<"entries.store_batch">> {
    const { agent_id, ...others } = options;
    const body = { ...others, entries };
    return this.json("entries.store_batch", { path: this.#path(agent_id, {}), body }, request);
  }

  /** The entries that the agent sees at the start of a run, within a byte budget. */
  hydrate(
    options: QueryOf<"entries.hydrate"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<Hydration> {
    const { agent_id, ...query } = options;
    return this.json("entries.hydrate", { path: this.#path(agent_id, {}), query }, request);
  }

  /** The entries that the agent sees; null if their etag is still `etag`. */
  async hydrateIfChanged(
    etag: string,
    options: QueryOf<"entries.hydrate"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<Hydration | null> {
    const { agent_id, ...query } = options;
    const parts = { path: this.#path(agent_id, {}), query };
    const reply = await this.reply("entries.hydrate", parts, request, {
      headers: { "If-None-Match": `"${etag}"` },
    });
    return reply.status === NOT_MODIFIED ? null : jsonOf<Hydration>(reply);
  }

  /** Start a run; with `hydrate`, its `hydration` has the entries that the agent sees. */
  startRun(
    options: BodyOf<"entries.start_run"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<Schemas["HydratedRun"]> {
    const { agent_id, ...body } = options;
    return this.json("entries.start_run", { path: this.#path(agent_id, {}), body }, request);
  }

  /** End a run and delete its `conversation` entries; later writes under it throw RunEnded. */
  endRun(runId: string, options: WithAgent = {}, request?: RequestOptions): Promise<Schemas["Run"]> {
    return this.json("entries.end_run", { path: this.#path(options.agent_id, { run_id: runId }) }, request);
  }

  /** The agent's own entries as a zip of markdown pages; with scope `user`, the user's with the agent. */
  export(options: QueryOf<"entries.export"> & WithAgent = {}, request?: RequestOptions): Promise<Uint8Array> {
    const { agent_id, ...query } = options;
    const rule = { timeoutMs: ZIP_TIMEOUT_MS };
    return this.bytes("entries.export", { path: this.#path(agent_id, {}), query }, request, rule);
  }

  /** Store every page of a zip, or none; `replace` also deletes entries that are not in it. */
  importZip(
    content: Uint8Array,
    options: QueryOf<"entries.import_zip"> & WithAgent = {},
    request?: RequestOptions,
  ): Promise<Schemas["ImportResult"]> {
    const { agent_id, ...query } = options;
    const parts = { path: this.#path(agent_id, {}), query, content, contentType: ZIP };
    return this.json("entries.import_zip", parts, request, { timeoutMs: ZIP_TIMEOUT_MS });
  }

  #path<Others extends object>(agentId: string | undefined, others: Others): Others & { agent_id: string } {
    return { ...others, agent_id: this.bound.mustAgent(agentId) };
  }
}
