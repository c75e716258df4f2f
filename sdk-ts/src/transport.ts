/** Sends calls: builds the request, repeats it where that is safe, turns a reply into a value or an error. */

import type { Call } from "./calls.js";
import { BY_CODE, ConnectionFailed, type FieldError, HoldfastError, UnexpectedReply } from "./errors.js";
import {
  failureOf,
  isFailure,
  isLoss,
  type Outcome,
  type Reply,
  type Retries,
  retryAfterMs,
  waitBeforeRetry,
} from "./retries.js";

export const VERSION = "0.1.0";

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Server {
  readonly url: string;
  readonly key: string;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly retries: Retries;
}

const NOT_MODIFIED = 304;
const STANDARD = new Set(["type", "title", "status", "detail", "code", "request_id", "errors"]);

/** Send a call, repeat it if that is safe, and return its reply; throws a HoldfastError. */
export async function send(server: Server, call: Call): Promise<Reply> {
  let lost = false;
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(server, call);
    const wait = waitBeforeRetry(call, outcome, attempt, server.retries, Math.random());
    if (wait === undefined) {
      return result(call, outcome, lost);
    }
    lost ||= isLoss(outcome);
    await pause(wait, call.signal);
  }
}

/** Send a call once. An abort by the caller's signal is thrown, everything else is an outcome. */
async function attemptOnce(server: Server, call: Call): Promise<Outcome> {
  const timeoutMs = call.timeoutMs ?? server.timeoutMs;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const abort = () => limit.abort(call.signal?.reason);
  call.signal?.addEventListener("abort", abort, { once: true });
  try {
    call.signal?.throwIfAborted();
    const response = await server.fetch(server.url + call.target, {
      method: call.method,
      headers: {
        Authorization: `Bearer ${server.key}`,
        Accept: "application/json",
        "User-Agent": `holdfast-client-ts/${VERSION}`,
        ...call.headers,
      },
      body: (call.body ?? null) as BodyInit | null,
      redirect: "manual",
      signal: limit.signal,
    });
    const content = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, content };
  } catch (error) {
    call.signal?.throwIfAborted();
    return failureOf(error);
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener("abort", abort);
  }
}

/** Wait, unless the signal ends the wait with its reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) {
      stop();
    }
  });
}

/** The reply, or its error. After a loss, a DELETE that finds nothing counts as success: the lost attempt deleted it. */
function result(call: Call, outcome: Outcome, afterALoss: boolean): Reply {
  if (isFailure(outcome)) {
    throw new ConnectionFailed(`no answer from the server: ${textOf(outcome.error)}`, { cause: outcome.error });
  }
  const { status } = outcome;
  if ((status >= 200 && status < 300) || status === NOT_MODIFIED || call.alsoAnswers.includes(status)) {
    return outcome;
  }
  const error = errorOf(call, outcome);
  if (afterALoss && call.method === "DELETE" && error.code === "not_found") {
    return outcome;
  }
  throw error;
}

/** What an error says, with the cause that `fetch` hides behind "fetch failed". */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message || error.cause.name}` : error.message;
}

/** The error for a problem+json reply. */
function errorOf(call: Call, reply: Reply): HoldfastError {
  const problem = objectIn(reply);
  const waitMs = retryAfterMs(reply.headers);
  const code = problem?.["code"];
  if (problem === undefined || typeof code !== "string") {
    return new UnexpectedReply(`${call.method} ${call.target} was answered ${reply.status}, and not by Holdfast`, {
      status: reply.status,
      requestId: reply.headers.get("x-request-id") ?? undefined,
      retryAfterMs: waitMs,
    });
  }
  const kind = BY_CODE.get(code) ?? HoldfastError;
  const requestId = problem["request_id"];
  return new kind(String(problem["detail"] ?? ""), {
    code,
    status: reply.status,
    requestId: typeof requestId === "string" ? requestId : undefined,
    errors: fieldErrors(problem["errors"]),
    facts: Object.fromEntries(Object.entries(problem).filter(([name]) => !STANDARD.has(name))),
    retryAfterMs: waitMs,
  });
}

function objectIn(reply: Reply): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(textIn(reply));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fieldErrors(found: unknown): FieldError[] {
  return (Array.isArray(found) ? found : [])
    .filter(isObject)
    .map((each) => ({ field: String(each["field"]), message: String(each["message"]) }));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The body as text. */
export function textIn(reply: Reply): string {
  return new TextDecoder().decode(reply.content);
}

/** The body as JSON; UnexpectedReply if it is something else. */
export function jsonOf<T>(reply: Reply): T {
  try {
    return JSON.parse(textIn(reply)) as T;
  } catch (cause) {
    throw new UnexpectedReply("the reply is not JSON", {
      status: reply.status,
      requestId: reply.headers.get("x-request-id") ?? undefined,
      cause,
    });
  }
}
