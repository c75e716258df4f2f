/** Blocks: what an agent should always know about its user, and what it can look up. */

import type { BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Conflict, NotFound } from "../errors.js";
import { ASKS, Face, type ListOf } from "../face.js";
import { between, type Point } from "../points.js";

export type Block = Schemas["Block"];
export type BlockType = Block["block_type"];

/** The block for all agents (`user`), or with one agent (`agent`): the given one, else the client's. */
export interface BlockPlace {
  scope?: "user" | "agent";
  agent_id?: string;
}

/** What a write expects to find: the `updated_at` that was read, null if there is no block yet. */
type Expected = { expected_updated_at: string | Date | null };

/** Read, write, edit, restore and search a user's core and archival blocks. */
export class Blocks extends Face {
  /** The user's blocks for all agents (`user`), with its agents or one of them (`agent`), or both (`all`). */
  async list(query: QueryOf<"blocks.list"> = {}, request?: RequestOptions): Promise<Block[]> {
    return (await this.json("blocks.list", { query }, request)).data;
  }

  /** One block, now or as it stood at an instant. */
  read(
    blockType: BlockType,
    options: BlockPlace & Pick<QueryOf<"blocks.read">, "as_of"> = {},
    request?: RequestOptions,
  ): Promise<Block> {
    const query = { ...this.#place(options), as_of: options.as_of };
    return this.json("blocks.read", { path: { block_type: blockType }, query }, request);
  }

  get(...args: Parameters<Blocks["read"]>): Promise<Block> {
    return this.read(...args);
  }

  /**
   * Replace the whole block if its `updated_at` is still `expected_updated_at` (null: there is no block yet).
   *
   * Otherwise throws Conflict with the present block as `current`: merge with it and try again, or use `edit`.
   */
  write(
    blockType: BlockType,
    content: string,
    options: BlockPlace & Expected,
    request?: RequestOptions,
  ): Promise<Block> {
    const body = { content, expected_updated_at: options.expected_updated_at };
    const parts = { path: { block_type: blockType }, query: this.#place(options), body };
    return this.json("blocks.write", parts, request);
  }

  put(...args: Parameters<Blocks["write"]>): Promise<Block> {
    return this.write(...args);
  }

  /**
   * Write what `change` makes of the block's text ("" if there is no block), whoever else is writing: after a conflict it is
   * called again, with the text as it is then. Writes nothing if the text stays the same.
   */
  async edit(
    blockType: BlockType,
    change: (text: string) => string | Promise<string>,
    place: BlockPlace = {},
    request?: RequestOptions,
  ): Promise<Block | null> {
    let current = await this.#present(blockType, place, request);
    for (;;) {
      const before = current?.content ?? "";
      const after = await change(before);
      if (after === before) {
        return current;
      }
      try {
        const options = { ...place, expected_updated_at: current?.updated_at ?? null };
        return await this.write(blockType, after, options, request);
      } catch (error) {
        if (!(error instanceof Conflict)) {
          throw error;
        }
        current = error.current as Block | null;
      }
    }
  }

  /**
   * Add a line (`new_line` alone; it creates the block if there is none), replace one, or remove one (`old_line` alone).
   *
   * Throws Conflict with the present block as `current` if `old_line` is not there exactly once.
   */
  editLine(
    blockType: BlockType,
    line: BodyOf<"blocks.edit_line">,
    place: BlockPlace = {},
    request?: RequestOptions,
  ): Promise<Block> {
    const parts = { path: { block_type: blockType }, query: this.#place(place), body: line };
    return this.json("blocks.edit_line", parts, request);
  }

  /** Delete a block; with `expected_updated_at`, only if that is still its `updated_at`. Its history stays. */
  delete(
    blockType: BlockType,
    options: BlockPlace & Pick<QueryOf<"blocks.delete">, "expected_updated_at"> = {},
    request?: RequestOptions,
  ): Promise<void> {
    const query = { ...this.#place(options), expected_updated_at: options.expected_updated_at };
    return this.nothing("blocks.delete", { path: { block_type: blockType }, query }, request);
  }

  /** Revisions of a block, newest first, the current one included. The cursors are their `version_id`. */
  history(
    blockType: BlockType,
    options: QueryOf<"blocks.history"> = {},
    request?: RequestOptions,
  ): ListOf<"blocks.history"> {
    const path = { block_type: blockType };
    const query = { ...options, ...this.#place(options) };
    return this.listing("blocks.history", query, (asked) => ({ path, query: asked }), request);
  }

  /** What changed in a block between two versions or times, in either order. */
  diff(
    blockType: BlockType,
    since: Point,
    until: Point,
    place: BlockPlace = {},
    request?: RequestOptions,
  ): Promise<Schemas["TextDiff"]> {
    const query = { ...this.#place(place), ...between(since, until) };
    return this.json("blocks.diff", { path: { block_type: blockType }, query }, request);
  }

  /** Write an earlier text as a new version; `expected_updated_at` as for a write, null for a deleted block. */
  restore(
    blockType: BlockType,
    version: number,
    options: BlockPlace & Expected,
    request?: RequestOptions,
  ): Promise<Block> {
    const body = { version, expected_updated_at: options.expected_updated_at };
    const parts = { path: { block_type: blockType }, query: this.#place(options), body };
    return this.json("blocks.restore", parts, request);
  }

  /** Archival lines of the user, best first, also of the block with the client's agent. An empty query lists all lines. */
  async recall(
    query: string,
    options: Omit<BodyOf<"blocks.recall">, "query"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["RecalledLine"][]> {
    const body = { agent_id: this.bound.agent, ...options, query };
    return (await this.json("blocks.recall", { body }, request, ASKS)).data;
  }

  search(...args: Parameters<Blocks["recall"]>): Promise<Schemas["RecalledLine"][]> {
    return this.recall(...args);
  }

  #place({ scope, agent_id }: BlockPlace): BlockPlace {
    return scope === "agent" ? { scope, agent_id: this.bound.mustAgent(agent_id) } : { scope, agent_id };
  }

  async #present(blockType: BlockType, place: BlockPlace, request?: RequestOptions): Promise<Block | null> {
    try {
      return await this.read(blockType, place, request);
    } catch (error) {
      if (error instanceof NotFound) {
        return null;
      }
      throw error;
    }
  }
}
