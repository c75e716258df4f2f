/** Whether a call is repeated, and after which wait: the same rule as in the Python client. */

import type { Call } from "./calls.js";

/** How often a call is repeated, and the waits between. */
export interface Retries {
  readonly most: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** For a longer Retry-After the error is thrown at once. */
  readonly patienceMs: number;
}

export const RETRIES: Retries = { most: 2, firstWaitMs: 250, longestWaitMs: 8_000, patienceMs: 60_000 };

/** The HTTP response: status, headers and body. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly content: Uint8Array;
}

/** The request got no answer. */
export interface Failure {
  readonly error: unknown;
  /** Whether the server may have executed the request. */
  readonly wasSent: boolean;
  /** A repeat cannot cure it. */
  readonly hopeless: boolean;
}

export type Outcome = Reply | Failure;

// Statuses that mean the request was not executed, and statuses that leave open whether it was.
const REFUSED = [429];
const LOST = [502, 503, 504];

// Codes of failures before the request was sent.
const NOT_SENT = new Set([
  "ECONNREFUSED",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

// Codes of failures that a repeat cannot cure: the URL or a header is wrong.
const HOPELESS = new Set(["ERR_INVALID_URL", "ERR_INVALID_ARG_VALUE", "UND_ERR_INVALID_ARG"]);

export function isFailure(outcome: Outcome): outcome is Failure {
  return "error" in outcome;
}

/** Classify what `fetch` threw. An unknown failure counts as sent, so that only repeatable calls are repeated. */
export function failureOf(error: unknown): Failure {
  const codes = codesOf(error);
  return {
    error,
    wasSent: codes.length === 0 || !codes.every((code) => NOT_SENT.has(code)),
    hopeless: codes.some((code) => HOPELESS.has(code)),
  };
}

/** The codes of an error, of its causes, and of the errors that it groups (one for each address that was tried). */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) {
    return [];
  }
  const { code, cause } = error as Error & { code?: unknown };
  const grouped = error instanceof AggregateError ? error.errors : [];
  return [...(typeof code === "string" ? [code] : []), ...codesOf(cause), ...grouped.flatMap(codesOf)];
}

/**
 * The milliseconds to wait before repeating `call` after its `attempt`th outcome; undefined: do not repeat it.
 *
 * Any call is repeated if the server did not receive it (no connection) or refused it without executing it (429). If the
 * answer was lost (a broken connection, 502, 503, 504), only repeatable calls are. Waits double; `jitter` (0–1) shortens each
 * by up to half, so that clients do not all return at the same moment.
 */
export function waitBeforeRetry(
  call: Pick<Call, "repeatable">,
  outcome: Outcome,
  attempt: number,
  retries: Retries,
  jitter: number,
): number | undefined {
  if (attempt > retries.most || !mayRepeat(call, outcome)) {
    return undefined;
  }
  const doubled = retries.firstWaitMs * 2 ** (attempt - 1);
  const wait = Math.min(doubled, retries.longestWaitMs) * (1 - jitter / 2);
  const asked = isFailure(outcome) ? undefined : retryAfterMs(outcome.headers);
  if (asked === undefined) {
    return wait;
  }
  return asked > retries.patienceMs ? undefined : Math.max(asked, wait);
}

function mayRepeat(call: Pick<Call, "repeatable">, outcome: Outcome): boolean {
  if (isFailure(outcome)) {
    return !outcome.hopeless && (call.repeatable || !outcome.wasSent);
  }
  return REFUSED.includes(outcome.status) || (LOST.includes(outcome.status) && call.repeatable);
}

/** Whether the request may have been executed although no answer came. */
export function isLoss(outcome: Outcome): boolean {
  return isFailure(outcome) ? outcome.wasSent : LOST.includes(outcome.status);
}

/** The milliseconds in the Retry-After header, which may be a number of seconds or a date; undefined if there is none. */
export function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(text)) {
    return Number(text) * 1_000;
  }
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
