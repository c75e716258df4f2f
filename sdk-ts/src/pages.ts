/** Lists with pages: await one page, or iterate over the items of all of them. */

/** A page of a list, newest first; `has_more` is about the requested direction. */
export interface Page<T> {
  data: T[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/** How a list goes on: the items of a page, and the query of the page after it. */
export interface Onward<Query, P, T> {
  items(page: P): readonly T[];
  next(asked: Query, page: P): Query | undefined;
}

/** The query parameters that every list with pages has. */
interface PageQuery {
  after_id?: string;
  before_id?: string;
}

/** Lists by id: onward from the last id, or backward from the first one where `before_id` was asked for. */
export function byId<Query extends PageQuery, T>(): Onward<Query, Page<T>, T> {
  return {
    items: (page) => page.data,
    next: (asked, page) => {
      if (!page.has_more) {
        return undefined;
      }
      return asked.before_id === undefined
        ? { ...asked, after_id: page.last_id ?? undefined }
        : { ...asked, before_id: page.first_id ?? undefined };
    },
  };
}

/**
 * A list: `await` gives the first page, `for await` all items, further pages being requested as they are needed.
 *
 *     const page = await client.memories.list({ limit: 100 });
 *     for await (const memory of client.memories.list()) { … }
 *
 * Nothing is sent before one of the two.
 */
export class Listing<Query, P, T> implements PromiseLike<P>, AsyncIterable<T> {
  readonly #read: (query: Query) => Promise<P>;
  readonly #query: Query;
  readonly #onward: Onward<Query, P, T>;
  #first: Promise<P> | undefined;

  constructor(read: (query: Query) => Promise<P>, query: Query, onward: Onward<Query, P, T>) {
    this.#read = read;
    this.#query = query;
    this.#onward = onward;
  }

  then<A = P, B = never>(
    done?: ((page: P) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page().then(done, failed);
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<P | B> {
    return this.#page().catch(failed);
  }

  finally(last?: (() => void) | null): Promise<P> {
    return this.#page().finally(last);
  }

  /** Each page, from the requested one to the last in its direction. */
  async *pages(): AsyncGenerator<P, void, void> {
    let page = await this.#page();
    let query: Query | undefined = this.#query;
    for (;;) {
      yield page;
      query = this.#onward.next(query, page);
      if (query === undefined) {
        return;
      }
      page = await this.#read(query);
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const page of this.pages()) {
      yield* this.#onward.items(page);
    }
  }

  #page(): Promise<P> {
    this.#first ??= this.#read(this.#query);
    return this.#first;
  }
}
