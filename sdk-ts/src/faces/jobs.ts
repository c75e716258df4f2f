/** Jobs: background work of the service, its results, and the language model calls that it made. */

import type { QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Face, type ListOf } from "../face.js";
import { pause } from "../transport.js";

export type Job = Schemas["Job"];

const OVER: ReadonlySet<Job["status"]> = new Set(["succeeded", "failed", "cancelled"]);

/** List, wait for, cancel, retry and revert jobs. */
export class Jobs extends Face {
  /** Jobs of the user that the client acts for, newest first. */
  list(query: QueryOf<"jobs.list"> = {}, request?: RequestOptions): ListOf<"jobs.list"> {
    return this.listing("jobs.list", query, (asked) => ({ query: asked }), request);
  }

  /** One job: status, attempts, error and result. */
  read(jobId: string, request?: RequestOptions): Promise<Job> {
    return this.json("jobs.read", { path: { job_id: jobId } }, request);
  }

  /** Wait until the job is finished and return it; an error if that takes longer than `timeoutMs` (a minute). */
  async wait(
    jobId: string,
    { timeoutMs = 60_000, lookEveryMs = 200 }: { timeoutMs?: number; lookEveryMs?: number } = {},
    request: RequestOptions = {},
  ): Promise<Job> {
    const until = Date.now() + timeoutMs;
    for (;;) {
      const job = await this.read(jobId, request);
      if (OVER.has(job.status)) {
        return job;
      }
      if (Date.now() > until) {
        throw new Error(`${jobId} is still ${job.status} after ${timeoutMs} ms`);
      }
      await pause(lookEveryMs, request.signal);
    }
  }

  /** Cancel a job that has not begun; otherwise Conflict, with the job as `current`. */
  cancel(jobId: string, request?: RequestOptions): Promise<Job> {
    return this.json("jobs.cancel", { path: { job_id: jobId } }, request);
  }

  /** Run a failed or cancelled job again. */
  retry(jobId: string, request?: RequestOptions): Promise<Job> {
    return this.json("jobs.retry", { path: { job_id: jobId } }, request);
  }

  /** Undo what a job wrote where nobody has changed it since. */
  revert(jobId: string, request?: RequestOptions): Promise<Schemas["Reverted"]> {
    return this.json("jobs.revert", { path: { job_id: jobId } }, request);
  }

  /** Language model calls, newest first: all of the org for administrators, else those made for the user. */
  llmCalls(query: QueryOf<"jobs.llm_calls"> = {}, request?: RequestOptions): ListOf<"jobs.llm_calls"> {
    return this.listing("jobs.llm_calls", query, (asked) => ({ query: asked }), request);
  }
}
