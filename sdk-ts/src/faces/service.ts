/** The service itself: is it alive, is it ready, its metrics; who changed what; erasing people. */

import type { BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Face, type ListOf } from "../face.js";

const UNAVAILABLE = 503;

/** Whether the service is ready, and each dependency by name: `ok`, or what is wrong with it. */
export type Readiness = Schemas["Readiness"];

/** Health, readiness and metrics of the service. */
export class Service extends Face {
  /** `ok` while the process is alive; no dependency is checked. */
  async health(request?: RequestOptions): Promise<string> {
    return (await this.text("service.health", {}, request)).trimEnd();
  }

  /** Check each dependency of the service. A service that is not ready is an answer here, not an error. */
  ready(request?: RequestOptions): Promise<Readiness> {
    return this.json("service.ready", {}, request, { repeatable: false, alsoAnswers: [UNAVAILABLE] });
  }

  /** The Prometheus metrics, as text. */
  async metrics(request?: RequestOptions): Promise<string> {
    return (await this.text("service.metrics", {}, request)).trimEnd();
  }
}

/** Changes of everything that the caller sees, and how much the org uses the service. */
export class Activity extends Face {
  /** Changes of everything that the caller sees, newest first, without their contents. */
  revisions(query: QueryOf<"activity.revisions"> = {}, request?: RequestOptions): ListOf<"activity.revisions"> {
    return this.listing("activity.revisions", query, (asked) => ({ query: asked }), request);
  }

  /** Writes, recalls, hit rate, tokens, evictions and mean latency of the org, by face and span of time. */
  stats(query: QueryOf<"activity.stats"> = {}, request?: RequestOptions): Promise<Schemas["UsageOverTime"]> {
    return this.json("activity.stats", { query }, request);
  }
}

/** Erase people, and prove it. */
export class Erasures extends Face {
  /**
   * Erase a person for good; `everything`: also what the person wrote into shared memory. Wait for the job with
   * `client.jobs.wait`: its result names the receipt.
   */
  erase(
    userId: string,
    options: BodyOf<"erasures.erase"> = {},
    request?: RequestOptions,
  ): Promise<Schemas["ErasureJob"]> {
    return this.json("erasures.erase", { path: { user_id: userId }, body: options }, request);
  }

  /** Receipts of erasures, newest first. */
  list(query: QueryOf<"erasures.list"> = {}, request?: RequestOptions): ListOf<"erasures.list"> {
    return this.listing("erasures.list", query, (asked) => ({ query: asked }), request);
  }

  /** One receipt. */
  read(receiptId: string, request?: RequestOptions): Promise<Schemas["Receipt"]> {
    return this.json("erasures.read", { path: { receipt_id: receiptId } }, request);
  }

  /** Check that a receipt is as it was written, and that nothing of the person is left. */
  verify(receiptId: string, request?: RequestOptions): Promise<Schemas["Verdict"]> {
    return this.json("erasures.verify", { path: { receipt_id: receiptId } }, request);
  }
}
