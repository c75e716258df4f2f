/** Stores: text entries at paths, with every version kept. */

import type { BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Conflict, NotFound } from "../errors.js";
import { ASKS, Face, IDS_STAY_UNIQUE, type ListOf } from "../face.js";
import { Listing, type Onward } from "../pages.js";
import { between } from "../points.js";

export type Store = Schemas["Store"];
export type StoreEntry = Schemas["StoreEntry"];
export type PathPage = Schemas["PathPage"];
type EntriesQuery = QueryOf<"stores.list">;

const ZIP_TIMEOUT_MS = 300_000;

/** Lists by path. */
const BY_PATH: Onward<EntriesQuery, PathPage, PathPage["data"][number]> = {
  items: (page) => page.data,
  next: (asked, page) => (page.has_more ? { ...asked, after_path: page.next_path ?? undefined } : undefined),
};

/** Read and write stores: texts at paths, with their versions. `get`, `put`, `delete` and `list` are of entries by path. */
export class Stores extends Face {
  /** Make a store; names need not be unique. A `private` one is there for the user that makes it alone. */
  create(
    name: string,
    options: Omit<BodyOf<"stores.create">, "name"> = {},
    request?: RequestOptions,
  ): Promise<Store> {
    return this.json("stores.create", { body: { ...options, name } }, request);
  }

  /** Stores, newest first; `name` filters by the start of the name, ignoring case. */
  listStores(query: QueryOf<"stores.list_stores"> = {}, request?: RequestOptions): ListOf<"stores.list_stores"> {
    return this.listing("stores.list_stores", query, (asked) => ({ query: asked }), request);
  }

  /** One store, with its present counts. */
  open(storeId: string, request?: RequestOptions): Promise<Store> {
    return this.json("stores.open", { path: { store_id: storeId } }, request);
  }

  /** Change what is given; a null in the metadata removes its key. ScopeDenied for a user that did not make it. */
  change(storeId: string, changes: BodyOf<"stores.change">, request?: RequestOptions): Promise<Store> {
    return this.json("stores.change", { path: { store_id: storeId }, body: changes }, request);
  }

  /** Delete a store with its entries and all their versions. */
  deleteStore(storeId: string, request?: RequestOptions): Promise<void> {
    return this.nothing("stores.delete_store", { path: { store_id: storeId } }, request, IDS_STAY_UNIQUE);
  }

  /** Make a store read-only permanently; throws Archived if it is already. */
  archive(storeId: string, request?: RequestOptions): Promise<Store> {
    return this.json("stores.archive", { path: { store_id: storeId } }, request);
  }

  /** Write a text at a free path; Conflict if the path is taken, with its entry as `current`. */
  createEntry(
    storeId: string,
    path: string,
    content: string,
    options: Pick<BodyOf<"stores.create_entry">, "metadata"> = {},
    request?: RequestOptions,
  ): Promise<StoreEntry> {
    const body = { ...options, path, content };
    return this.json("stores.create_entry", { path: { store_id: storeId }, body }, request);
  }

  /** Entries by path, without their contents; with `depth`, what lies deeper is rolled up into folders. */
  list(
    storeId: string,
    query: EntriesQuery = {},
    request?: RequestOptions,
  ): Listing<EntriesQuery, PathPage, PathPage["data"][number]> {
    const read = (asked: EntriesQuery) =>
      this.json("stores.list", { path: { store_id: storeId }, query: asked }, request);
    return new Listing(read, query, BY_PATH);
  }

  /** One entry with its content, now or as it was at a time. */
  readEntry(
    storeId: string,
    entryId: string,
    query: QueryOf<"stores.read_entry"> = {},
    request?: RequestOptions,
  ): Promise<StoreEntry> {
    return this.json("stores.read_entry", { path: { store_id: storeId, entry_id: entryId }, query }, request);
  }

  /** The entry at a path, now or as it was at a time. */
  get(
    storeId: string,
    path: string,
    query: QueryOf<"stores.get"> = {},
    request?: RequestOptions,
  ): Promise<StoreEntry> {
    return this.json("stores.get", { path: { store_id: storeId, path }, query }, request);
  }

  /**
   * Write a text at a path, whether there is an entry or not; metadata that is not given is kept.
   *
   * With `version`, only if that is the entry's version (0: there is none yet); otherwise Conflict, with the present entry as
   * `current`. Without it, whatever is there is replaced: its versions stay.
   */
  async put(
    storeId: string,
    path: string,
    content: string,
    options: { version?: number; metadata?: Record<string, string> } = {},
    request?: RequestOptions,
  ): Promise<StoreEntry> {
    const { version, metadata } = options;
    for (;;) {
      const current = await this.#createOrFind(storeId, path, content, options, request);
      if (current.made) {
        return current.entry;
      }
      const body = { version: version || current.entry.version, metadata };
      try {
        return await this.updateEntry(storeId, current.entry.id, content, body, request);
      } catch (error) {
        // Without a version: changed or deleted since it was read, so look again.
        if (version || !(error instanceof Conflict || error instanceof NotFound)) {
          throw error;
        }
      }
    }
  }

  async #createOrFind(
    storeId: string,
    path: string,
    content: string,
    { version, metadata }: { version?: number; metadata?: Record<string, string> },
    request?: RequestOptions,
  ): Promise<{ made: boolean; entry: StoreEntry }> {
    if (version) {
      return { made: false, entry: await this.get(storeId, path, {}, request) };
    }
    try {
      return { made: true, entry: await this.createEntry(storeId, path, content, { metadata }, request) };
    } catch (error) {
      if (version === 0 || !(error instanceof Conflict) || error.current === null) {
        throw error;
      }
      return { made: false, entry: error.current as StoreEntry };
    }
  }

  /** Delete the entry at a path; with `version`, only if that is current. Its versions stay. */
  async delete(
    storeId: string,
    path: string,
    options: QueryOf<"stores.delete_entry"> = {},
    request?: RequestOptions,
  ): Promise<void> {
    const entry = await this.get(storeId, path, {}, request);
    await this.deleteEntry(storeId, entry.id, options, request);
  }

  /** Replace an entry if `version` is current; another `path` renames it. Conflict has the present entry. */
  updateEntry(
    storeId: string,
    entryId: string,
    content: string,
    options: Omit<BodyOf<"stores.update_entry">, "content">,
    request?: RequestOptions,
  ): Promise<StoreEntry> {
    const parts = { path: { store_id: storeId, entry_id: entryId }, body: { ...options, content } };
    return this.json("stores.update_entry", parts, request);
  }

  /** Delete an entry; with `version`, only if that is current. Its versions stay. */
  deleteEntry(
    storeId: string,
    entryId: string,
    query: QueryOf<"stores.delete_entry"> = {},
    request?: RequestOptions,
  ): Promise<void> {
    const parts = { path: { store_id: storeId, entry_id: entryId }, query };
    return this.nothing("stores.delete_entry", parts, request);
  }

  /** Write an old version's content and metadata again; a deleted entry is restored with its id. */
  restoreEntry(
    storeId: string,
    entryId: string,
    which: BodyOf<"stores.restore_entry">,
    request?: RequestOptions,
  ): Promise<StoreEntry> {
    const parts = { path: { store_id: storeId, entry_id: entryId }, body: which };
    return this.json("stores.restore_entry", parts, request);
  }

  /** Versions of a store's entries, newest first, without their contents. */
  listVersions(
    storeId: string,
    query: QueryOf<"stores.list_versions"> = {},
    request?: RequestOptions,
  ): ListOf<"stores.list_versions"> {
    const path = { store_id: storeId };
    return this.listing("stores.list_versions", query, (asked) => ({ path, query: asked }), request);
  }

  /** One version, with its content unless it is redacted. */
  readVersion(storeId: string, versionId: string, request?: RequestOptions): Promise<Schemas["EntryVersion"]> {
    return this.json("stores.read_version", { path: { store_id: storeId, version_id: versionId } }, request);
  }

  /** Erase a version's content permanently; Conflict while it is the entry's current version. */
  redactVersion(storeId: string, versionId: string, request?: RequestOptions): Promise<Schemas["EntryVersion"]> {
    return this.json("stores.redact_version", { path: { store_id: storeId, version_id: versionId } }, request);
  }

  /** What changed between two versions (their ids) or two times, as unified diffs. */
  diff(
    storeId: string,
    since: string | Date,
    until: string | Date,
    request?: RequestOptions,
  ): Promise<Schemas["StoreDiff"]> {
    const parts = { path: { store_id: storeId }, query: between(since, until) };
    return this.json("stores.diff", parts, request);
  }

  /** Find entries of a store by word and by meaning, best first. */
  recall(
    storeId: string,
    query: string,
    options: Omit<BodyOf<"stores.recall">, "query"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["RecalledEntries"]> {
    const parts = { path: { store_id: storeId }, body: { ...options, query } };
    return this.json("stores.recall", parts, request, ASKS);
  }

  search(...args: Parameters<Stores["recall"]>): Promise<Schemas["RecalledEntries"]> {
    return this.recall(...args);
  }

  /** The store as a zip: files at their paths, and a manifest with their metadata. */
  export(storeId: string, request?: RequestOptions): Promise<Uint8Array> {
    return this.bytes("stores.export", { path: { store_id: storeId } }, request, { timeoutMs: ZIP_TIMEOUT_MS });
  }

  /** Write every file of a zip to its path, or none; `replace` also deletes entries that are not in it. */
  importZip(
    storeId: string,
    content: Uint8Array,
    query: QueryOf<"stores.import_zip"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["Imported"]> {
    const parts = { path: { store_id: storeId }, query, content, contentType: "application/zip" };
    return this.json("stores.import_zip", parts, request, { timeoutMs: ZIP_TIMEOUT_MS });
  }
}
