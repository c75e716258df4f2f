/** Insights: observations about a user, made from conversations. */

import type { AnswerOf, BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Face, IDS_STAY_UNIQUE, type ListOf } from "../face.js";

/** Save, list and erase the insights about a user. */
export class Insights extends Face {
  /** Store an insight about the user; `stored` is false if the user has turned capture off. */
  save(
    insight: string,
    options: Omit<BodyOf<"insights.save">, "insight"> = {},
    request?: RequestOptions,
  ): Promise<AnswerOf<"insights.save">> {
    return this.json("insights.save", { body: { ...options, insight } }, request);
  }

  /** The user's insights, newest first. */
  list(query: QueryOf<"insights.list"> = {}, request?: RequestOptions): ListOf<"insights.list"> {
    return this.listing("insights.list", query, (asked) => ({ query: asked }), request);
  }

  /** One insight about the user. */
  get(insightId: string, request?: RequestOptions): Promise<Schemas["Insight"]> {
    return this.json("insights.get", { path: { insight_id: insightId } }, request);
  }

  /** Erase one insight. */
  delete(insightId: string, request?: RequestOptions): Promise<void> {
    return this.nothing("insights.delete", { path: { insight_id: insightId } }, request, IDS_STAY_UNIQUE);
  }

  /** Erase all of the user's insights, or those of a category. */
  wipe(query: QueryOf<"insights.wipe"> = {}, request?: RequestOptions): Promise<Schemas["Wiped"]> {
    return this.json("insights.wipe", { query }, request);
  }
}
