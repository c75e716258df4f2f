/** The client: server, scope, the four verbs, and one attribute per face. */

import type { BodyOf, RequestOptions, Schemas } from "./calls.js";
import { type AskForContext, askForContext, Contexts } from "./context/context.js";
import { ASKS, Face } from "./face.js";
import { Blocks } from "./faces/blocks.js";
import { Conversations } from "./faces/conversations.js";
import { Directory } from "./faces/directory.js";
import { Entries } from "./faces/entries.js";
import { Insights } from "./faces/insights.js";
import { Jobs } from "./faces/jobs.js";
import { Learning, Proposals, Sessions } from "./faces/learning.js";
import { Memories, type Memory, type SavedMemory, type SaveOptions } from "./faces/memories.js";
import { Nodes } from "./faces/nodes.js";
import { Activity, Erasures, Service } from "./faces/service.js";
import { Stores } from "./faces/stores.js";
import { RETRIES, type Retries } from "./retries.js";
import { type Names, Scope } from "./scope.js";
import type { Fetch, Server } from "./transport.js";

const DEFAULT_URL = "http://127.0.0.1:8321";
const DEFAULT_TIMEOUT_MS = 30_000;

export interface ClientOptions {
  /** The server; else HOLDFAST_URL, else `http://127.0.0.1:8321`. */
  readonly url?: string;
  /** The API key; else HOLDFAST_API_KEY. */
  readonly key?: string;
  /** How long one attempt of a call may take: 30 s. */
  readonly timeoutMs?: number;
  /** How often a call is repeated where that is safe (`most`: 2), and the waits between. */
  readonly retries?: Partial<Retries>;
  /** A fetch of one's own, for a proxy or a certificate authority. */
  readonly fetch?: Fetch;
}

export type RecallOptions = Omit<BodyOf<"recall">, "query">;
type Recalled = Schemas["RecalledThing"];

/** The client. Errors are subclasses of HoldfastError. */
export class Client extends Face {
  readonly #server: Server;
  readonly activity: Activity;
  readonly blocks: Blocks;
  readonly context: AskForContext;
  readonly conversations: Conversations;
  readonly directory: Directory;
  readonly entries: Entries;
  readonly erasures: Erasures;
  readonly insights: Insights;
  readonly jobs: Jobs;
  readonly learning: Learning;
  readonly memories: Memories;
  readonly nodes: Nodes;
  readonly proposals: Proposals;
  readonly service: Service;
  readonly sessions: Sessions;
  readonly stores: Stores;

  constructor(options?: ClientOptions);
  /** @internal */
  constructor(server: Server, scope: Scope);
  constructor(options: ClientOptions | Server = {}, scope?: Scope) {
    const server = scope === undefined ? findServer(options as ClientOptions) : (options as Server);
    const names = scope ?? new Scope();
    super(server, names);
    this.#server = server;
    this.activity = new Activity(server, names);
    this.blocks = new Blocks(server, names);
    this.context = askForContext(new Contexts(server, names));
    this.conversations = new Conversations(server, names);
    this.directory = new Directory(server, names);
    this.entries = new Entries(server, names);
    this.erasures = new Erasures(server, names);
    this.insights = new Insights(server, names);
    this.jobs = new Jobs(server, names);
    this.learning = new Learning(server, names);
    this.memories = new Memories(server, names);
    this.nodes = new Nodes(server, names);
    this.proposals = new Proposals(server, names);
    this.service = new Service(server, names);
    this.sessions = new Sessions(server, names);
    this.stores = new Stores(server, names);
  }

  /** A client with these names in its scope; names that are not given are kept. */
  scope(names: Names): Client {
    return new Client(this.#server, this.bound.narrowed(names));
  }

  /**
   * Save a memory, visible to the user everywhere unless `scope` is "project" or "agent".
   *
   * Without a `key`, the key is made from the text, so the same text is saved once. With a key, the memory that has this key
   * is updated.
   */
  async remember(
    value: string,
    options: SaveOptions & { key?: string } = {},
    request?: RequestOptions,
  ): Promise<SavedMemory> {
    const { key, ...others } = options;
    return this.memories.save(key ?? (await keyOf(value)), value, others, request);
  }

  /** Search every kind of memory that the caller may see (or only `kinds`), best first. */
  recall(
    query: string,
    options: RecallOptions = {},
    request?: RequestOptions,
  ): Promise<Schemas["RecalledThings"]> {
    return this.json("recall", { body: { ...options, ...this.bound.place(options), query } }, request, ASKS);
  }

  /**
   * End a memory's validity now, so that it is not recalled again: by its id, as a memory, or as it was recalled.
   *
   * Its history stays, and restoring an earlier version makes it valid again. Forgetting twice is no error.
   */
  async forget(memory: string | Memory | Recalled, request?: RequestOptions): Promise<Memory> {
    return this.memories.retire(idOf(memory), request);
  }
}

/** The key for a text that is saved without one: `text-` and the start of its SHA-256. */
export async function keyOf(value: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(value)));
  const hex = Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0"));
  return `text-${hex.join("")}`;
}

function idOf(memory: string | Memory | Recalled): string {
  if (typeof memory === "string") {
    return memory;
  }
  if ("kind" in memory && memory.kind !== "memory") {
    throw new TypeError(`this is no memory but a ${memory.kind}: it goes by its own face`);
  }
  return memory.id;
}

/** The URL and key: the given ones, else those of the environment, else the default URL. An error without a key. */
function findServer(options: ClientOptions): Server {
  const url = options.url ?? environment("HOLDFAST_URL") ?? DEFAULT_URL;
  const key = options.key ?? environment("HOLDFAST_API_KEY");
  if (!/^https?:\/\//.test(url)) {
    throw new TypeError(`the URL of a Holdfast server looks like ${DEFAULT_URL}, not ${JSON.stringify(url)}`);
  }
  if (!key) {
    throw new TypeError("give a key, or set HOLDFAST_API_KEY; `holdfast serve` shows one at its first start");
  }
  return {
    url: url.replace(/\/+$/, ""),
    key,
    fetch: options.fetch ?? ((...args) => fetch(...args)),
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    retries: { ...RETRIES, ...options.retries },
  };
}

/** A variable of the environment, where there is one: browsers have none. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
