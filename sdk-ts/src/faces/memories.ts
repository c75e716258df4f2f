/** Memories: rows with a key and a value, recalled by query. */

import type { AnswerOf, BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { ASKS, Face, IDS_STAY_UNIQUE, type ListOf, ONCE } from "../face.js";
import { between, type Point } from "../points.js";
import type { Place } from "../scope.js";
import { asSent, type Said } from "./conversations.js";

export type Memory = Schemas["Memory"];
export type SavedMemory = Schemas["SavedMemory"];
export type SaveOptions = Omit<BodyOf<"memories.save">, "key" | "value">;
export type MemoryRecallOptions = Omit<BodyOf<"memories.recall_post">, "q">;

/** A call about one memory uses the client's scope. */
interface AboutOne {
  include_expired?: boolean;
}

const ASSET_TIMEOUT_MS = 300_000;

/** Save, recall, change and retire the memories of a user, a project or an agent. */
export class Memories extends Face {
  /** Save a memory: a new one, or an update of the one that has the key in the same scope. */
  save(key: string, value: string, options: SaveOptions = {}, request?: RequestOptions): Promise<SavedMemory> {
    return this.json("memories.save", { body: this.#located({ ...options, key, value }) }, request);
  }

  put(...args: Parameters<Memories["save"]>): Promise<SavedMemory> {
    return this.save(...args);
  }

  /** Save up to 1,000 memories in one transaction; each has its own result. */
  batch(
    memories: BodyOf<"memories.batch">["memories"],
    request?: RequestOptions,
  ): Promise<AnswerOf<"memories.batch">> {
    const body = { memories: memories.map((each) => this.#located(each)) };
    return this.json("memories.batch", { body }, request);
  }

  /** Memories, newest first, filtered by the agent, project and session of the call. */
  list(filters: QueryOf<"memories.list"> = {}, request?: RequestOptions): ListOf<"memories.list"> {
    const query = this.#located(filters);
    return this.listing("memories.list", query, (asked) => ({ query: asked }), request);
  }

  /** One memory, now or as it stood at an instant. */
  get(
    memoryId: string,
    options: AboutOne & Pick<QueryOf<"memories.get">, "as_of"> = {},
    request?: RequestOptions,
  ): Promise<Memory> {
    return this.json("memories.get", this.#one(memoryId, options), request);
  }

  /** Change the given fields; null removes an optional one. */
  change(
    memoryId: string,
    changes: BodyOf<"memories.change">,
    options: AboutOne = {},
    request?: RequestOptions,
  ): Promise<Memory> {
    return this.json("memories.change", { ...this.#one(memoryId, options), body: changes }, request);
  }

  /** Find memories by word and by meaning, best first. */
  recall(
    query: string,
    options: MemoryRecallOptions = {},
    request?: RequestOptions,
  ): Promise<Schemas["RecalledMemories"]> {
    return this.json("memories.recall_post", { body: this.#located({ ...options, q: query }) }, request, ASKS);
  }

  search(...args: Parameters<Memories["recall"]>): Promise<Schemas["RecalledMemories"]> {
    return this.recall(...args);
  }

  /** Learn from messages that are sent along and not kept. Throws BackendUnavailable if the model fails. */
  extract(
    messages: Said | Said[],
    options: Omit<BodyOf<"memories.extract">, "messages"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["Extraction"]> {
    const { agent_id, session_id } = this.bound.place(options);
    const body = { ...options, agent_id, session_id, messages: asSent(messages) };
    return this.json("memories.extract", { body }, request, ONCE);
  }

  /** Versions of a memory, newest first, including the present one. The cursors are their `version_id`. */
  history(
    memoryId: string,
    query: QueryOf<"memories.history"> = {},
    request?: RequestOptions,
  ): ListOf<"memories.history"> {
    return this.listing("memories.history", query, (asked) => this.#one(memoryId, asked), request);
  }

  /** What changed in a memory's value between two versions or times, in either order. */
  diff(
    memoryId: string,
    since: Point,
    until: Point,
    options: AboutOne = {},
    request?: RequestOptions,
  ): Promise<Schemas["TextDiff"]> {
    return this.json("memories.diff", this.#one(memoryId, { ...options, ...between(since, until) }), request);
  }

  /** Write an earlier version again, as the newest. */
  restore(
    memoryId: string,
    version: number,
    options: AboutOne = {},
    request?: RequestOptions,
  ): Promise<Memory> {
    return this.json("memories.restore", { ...this.#one(memoryId, options), body: { version } }, request);
  }

  /** End a memory's validity now, so that it is not recalled or listed again; its history stays. */
  retire(memoryId: string, request?: RequestOptions): Promise<Memory> {
    return this.json("memories.retire", this.#one(memoryId, {}), request);
  }

  /** Erase a memory. Needs a person at a browser: with any API key it throws StepUpRequired. */
  delete(memoryId: string, options: AboutOne = {}, request?: RequestOptions): Promise<void> {
    return this.nothing("memories.delete", this.#one(memoryId, options), request, IDS_STAY_UNIQUE);
  }

  /** Link a memory to what produced it. */
  addSource(
    memoryId: string,
    kind: Schemas["SourceBody"]["kind"],
    ref: string,
    options: Pick<Schemas["SourceBody"], "quote"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["Source"]> {
    const parts = { ...this.#one(memoryId, {}), body: { ...options, kind, ref } };
    return this.json("memories.add_source", parts, request);
  }

  /** What produced a memory. */
  async listSources(memoryId: string, request?: RequestOptions): Promise<Schemas["Source"][]> {
    return (await this.json("memories.list_sources", this.#one(memoryId, {}), request)).data;
  }

  /** Remove the links with this kind, this ref, or both. */
  removeSources(
    memoryId: string,
    which: Pick<QueryOf<"memories.remove_sources">, "kind" | "ref"> = {},
    request?: RequestOptions,
  ): Promise<void> {
    return this.nothing("memories.remove_sources", this.#one(memoryId, which), request);
  }

  /** Attach a file of at most 25 MiB. */
  uploadAsset(
    memoryId: string,
    name: string,
    content: Uint8Array,
    options: { content_type?: string } = {},
    request?: RequestOptions,
  ): Promise<Schemas["Asset"]> {
    const contentType = options.content_type ?? "application/octet-stream";
    const parts = { ...this.#one(memoryId, { name }), content, contentType };
    return this.json("memories.upload_asset", parts, request, { timeoutMs: ASSET_TIMEOUT_MS });
  }

  /** The files attached to a memory, newest first. */
  listAssets(
    memoryId: string,
    query: QueryOf<"memories.list_assets"> = {},
    request?: RequestOptions,
  ): ListOf<"memories.list_assets"> {
    return this.listing("memories.list_assets", query, (asked) => this.#one(memoryId, asked), request);
  }

  /** The bytes of a file. */
  downloadAsset(memoryId: string, assetId: string, request?: RequestOptions): Promise<Uint8Array> {
    const parts = { path: { memory_id: memoryId, asset_id: assetId }, query: this.bound.place() };
    return this.bytes("memories.download_asset", parts, request, { timeoutMs: ASSET_TIMEOUT_MS });
  }

  /** Erase a file. Needs a person at a browser: with any API key it throws StepUpRequired. */
  deleteAsset(memoryId: string, assetId: string, request?: RequestOptions): Promise<void> {
    const parts = { path: { memory_id: memoryId, asset_id: assetId }, query: this.bound.place() };
    return this.nothing("memories.delete_asset", parts, request, IDS_STAY_UNIQUE);
  }

  /** The fields of a call with its agent, project and session. */
  #located<Fields extends Place>(fields: Fields): Fields & ReturnType<typeof this.bound.place> {
    return { ...fields, ...this.bound.place(fields) };
  }

  /** The parts of a call about one memory. */
  #one<Query extends object>(memoryId: string, query: Query) {
    return { path: { memory_id: memoryId }, query: { ...this.bound.place(), ...query } };
  }
}
