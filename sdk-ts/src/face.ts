/** What every face of the client has: a scope, and ways to send a call and read its reply. */

import {
  type AnswerOf,
  callOf,
  type OperationId,
  type Parts,
  type QueryOf,
  type RequestOptions,
  type Rule,
} from "./calls.js";
import { byId, Listing, type Page } from "./pages.js";
import type { Reply } from "./retries.js";
import type { Scope } from "./scope.js";
import { jsonOf, type Server, send, textIn } from "./transport.js";

/** The item of an answer that is a page. */
type ItemOf<Id extends OperationId> = AnswerOf<Id> extends { data: (infer T)[] } ? T : never;

/** Operations whose lists are paged by id. */
type PagedId = {
  [Id in OperationId]: AnswerOf<Id> extends Page<unknown> ? Id : never;
}[OperationId];

/** The list of an operation that is paged by id. */
export type ListOf<Id extends OperationId> = Listing<QueryOf<Id>, Page<ItemOf<Id>>, ItemOf<Id>>;

export abstract class Face {
  readonly #server: Server;
  protected readonly bound: Scope;

  constructor(server: Server, bound: Scope) {
    this.#server = server;
    this.bound = bound;
  }

  /** Send a call; its JSON answer. */
  protected async json<Id extends OperationId>(
    id: Id,
    parts: Parts<Id>,
    request: RequestOptions = {},
    rule: Rule = {},
  ): Promise<AnswerOf<Id>> {
    return jsonOf<AnswerOf<Id>>(await this.reply(id, parts, request, rule));
  }

  /** Send a call; its reply as it came. */
  protected async reply<Id extends OperationId>(
    id: Id,
    parts: Parts<Id>,
    request: RequestOptions = {},
    rule: Rule = {},
  ): Promise<Reply> {
    return send(this.#server, callOf(this.bound, id, parts, rule, request));
  }

  /** Send a call that has no answer. */
  protected async nothing<Id extends OperationId>(
    id: Id,
    parts: Parts<Id>,
    request: RequestOptions = {},
    rule: Rule = {},
  ): Promise<void> {
    await this.reply(id, parts, request, rule);
  }

  /** Send a call; its answer as text. */
  protected async text<Id extends OperationId>(
    id: Id,
    parts: Parts<Id>,
    request: RequestOptions = {},
    rule: Rule = {},
  ): Promise<string> {
    return textIn(await this.reply(id, parts, request, rule));
  }

  /** Send a call; its answer as bytes. */
  protected async bytes<Id extends OperationId>(
    id: Id,
    parts: Parts<Id>,
    request: RequestOptions = {},
    rule: Rule = {},
  ): Promise<Uint8Array> {
    return (await this.reply(id, parts, request, rule)).content;
  }

  /** A list that is paged by id; `partsOf` puts a page's query into the call. */
  protected listing<Id extends PagedId>(
    id: Id,
    query: QueryOf<Id>,
    partsOf: (query: QueryOf<Id>) => Parts<Id>,
    request: RequestOptions = {},
  ): ListOf<Id> {
    const read = (asked: QueryOf<Id>) => this.json(id, partsOf(asked), request) as Promise<Page<ItemOf<Id>>>;
    return new Listing(read, query, byId<QueryOf<Id>, ItemOf<Id>>());
  }
}

/** POSTs that only read: repeated like a GET, and the server does not store their answers. */
export const ASKS: Rule = { onlyAsks: true };

/** Calls that start work which a repeat would start again. */
export const ONCE: Rule = { repeatable: false };

/** DELETEs of objects whose ids are never used again: a repeat cannot delete another object. */
export const IDS_STAY_UNIQUE: Rule = { repeatable: true };
