/**
 * Nodes: a graph of the people, topics and events that memories are about, as seen by the client's user from its agent, project
 * and session.
 */

import type { BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Face, IDS_STAY_UNIQUE, type ListOf } from "../face.js";

export type Node = Schemas["Node"];
export type Edge = Schemas["Edge"];
export type Graph = Schemas["Graph"];

/** People, topics and events, and how they are related. */
export class Nodes extends Face {
  /**
   * Nodes that the caller sees, newest first; `q` is part of a name or alias. Only those of the project, given or the client's,
   * if there is one.
   */
  list(filters: QueryOf<"nodes.list"> = {}, request?: RequestOptions): ListOf<"nodes.list"> {
    const query = { ...filters, ...this.bound.place(filters) };
    return this.listing("nodes.list", query, (asked) => ({ query: asked }), request);
  }

  /** Nodes with `query` in their name or an alias, newest first. */
  search(
    query: string,
    options: Pick<QueryOf<"nodes.list">, "limit"> = {},
    request?: RequestOptions,
  ): ListOf<"nodes.list"> {
    return this.list({ ...options, q: query }, request);
  }

  /**
   * Make a node, seen by the user alone unless `visibility` says otherwise.
   *
   * Conflict, with the node as `current`, where one of its kind and visibility has the name already.
   */
  create(
    name: string,
    options: Omit<BodyOf<"nodes.create">, "name"> = {},
    request?: RequestOptions,
  ): Promise<Node> {
    return this.json("nodes.create", { body: { ...options, name } }, request);
  }

  put(...args: Parameters<Nodes["create"]>): Promise<Node> {
    return this.create(...args);
  }

  /** One node with the items that the caller may see; for a merged node, the node it was merged into. */
  get(nodeId: string, request?: RequestOptions): Promise<Node> {
    return this.json("nodes.get", this.#one(nodeId), request);
  }

  /** Change the given fields; a `summary` of null removes the summary. */
  change(nodeId: string, changes: BodyOf<"nodes.change">, request?: RequestOptions): Promise<Node> {
    return this.json("nodes.change", { ...this.#one(nodeId), body: changes }, request);
  }

  /** Delete a node, with its items and edges. */
  delete(nodeId: string, request?: RequestOptions): Promise<void> {
    return this.nothing("nodes.delete", this.#one(nodeId), request, IDS_STAY_UNIQUE);
  }

  /** Add an item to a node. */
  addItem(
    nodeId: string,
    content: string,
    options: Omit<BodyOf<"nodes.add_item">, "content"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["NodeItem"]> {
    const parts = { ...this.#one(nodeId), body: { ...options, content } };
    return this.json("nodes.add_item", parts, request);
  }

  /** Remove an item from a node. */
  removeItem(nodeId: string, itemId: string, request?: RequestOptions): Promise<void> {
    const parts = { path: { node_id: nodeId, item_id: itemId }, query: this.bound.place() };
    return this.nothing("nodes.remove_item", parts, request, IDS_STAY_UNIQUE);
  }

  /** Relate two nodes; the same from, relation and to is updated in place. */
  putEdge(
    fromId: string,
    relation: string,
    toId: string,
    options: Omit<BodyOf<"nodes.put_edge">, "from" | "relation" | "to"> = {},
    request?: RequestOptions,
  ): Promise<Edge> {
    const body = { ...options, from: fromId, relation, to: toId };
    return this.json("nodes.put_edge", { query: this.bound.place(), body }, request);
  }

  /** Delete an edge. */
  deleteEdge(edgeId: string, request?: RequestOptions): Promise<void> {
    const parts = { path: { edge_id: edgeId }, query: this.bound.place() };
    return this.nothing("nodes.delete_edge", parts, request, IDS_STAY_UNIQUE);
  }

  /** The nodes up to three edges away, nearest first, and the edges between. */
  neighbors(
    nodeId: string,
    query: QueryOf<"nodes.neighbors"> = {},
    request?: RequestOptions,
  ): Promise<Graph> {
    const parts = { path: { node_id: nodeId }, query: { ...query, ...this.bound.place(query) } };
    return this.json("nodes.neighbors", parts, request);
  }

  /** The shortest path from one node to another; NotFound if there is none. */
  path(fromId: string, toId: string, request?: RequestOptions): Promise<Graph> {
    const query = { from: fromId, to: toId, ...this.bound.place() };
    return this.json("nodes.path", { query }, request);
  }

  /** Merge a node into another: names, items and edges move, and its id then returns the other node. */
  merge(nodeId: string, into: string, request?: RequestOptions): Promise<Node> {
    return this.json("nodes.merge", { ...this.#one(nodeId), body: { into } }, request);
  }

  #one(nodeId: string) {
    return { path: { node_id: nodeId }, query: this.bound.place() };
  }
}
