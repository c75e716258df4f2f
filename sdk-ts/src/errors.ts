/**
 * Everything that a call can throw.
 *
 *     HoldfastError
 *     ├── Unauthenticated         401  no or bad credential
 *     ├── ScopeDenied             403  MEM-001: the key may not touch that agent, user, project or workspace
 *     ├── StepUpRequired          403  needs a browser session with a fresh step-up
 *     ├── CsrfRefused             403  a cookie-authenticated write without its token
 *     ├── NotFound                404  missing, or not visible to the caller
 *     │   └── AgentNotFound       404  MEM-002: no such agent in this workspace
 *     ├── MethodNotAllowed        405  the path exists, the method does not
 *     ├── RequestTimeout          408  the request did not reach the server in time
 *     ├── Conflict                409  someone else changed it; `current` is how it is now
 *     ├── Archived                409  write to an archived store
 *     ├── RunEnded                409  write under a run that has ended
 *     ├── CapacityFull            409  the entry cap is full of core entries
 *     ├── PreconditionFailed      412  the version given as `ifMatch` is not the current one
 *     ├── PayloadTooLarge         413  the body is over the cap; `limit`
 *     ├── LimitExceeded           422  content over a stated limit; `limit`, `actual`
 *     ├── Invalid                 422  anything else wrong with the input (400 where it cannot be read); `errors`
 *     ├── IdempotencyMismatch     422  an idempotency key reused with another body
 *     ├── LockTimeout             423  a lock was not obtained in time
 *     ├── RateLimited             429  too many requests; `retryAfterMs`
 *     ├── HeadersTooLarge         431  the headers are over the cap
 *     ├── InternalError           500  the server's own failure
 *     ├── BackendUnavailable      503  MEM-003: the server's database or Redis cannot be reached; `retryAfterMs`
 *     ├── ConnectionFailed             no answer came, or not in time
 *     └── UnexpectedReply              an answer came, but not from Holdfast
 *
 * Programs should read `code`, not the text. A code that this client does not know is a plain HoldfastError with that code.
 * An aborted call throws the reason of its AbortSignal.
 */

/** What is wrong with one field of the input. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** What is known of an error besides its text. */
export interface ErrorFacts {
  readonly code?: string;
  readonly status?: number;
  readonly requestId?: string;
  readonly errors?: readonly FieldError[];
  readonly facts?: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The base class: a stable code, the HTTP status, a text, and the request id that the server's log has too. */
export class HoldfastError extends Error {
  /** The code of the errors of this class. */
  static readonly code: string = "";

  readonly detail: string;
  readonly code: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly errors: readonly FieldError[];
  /** The fields of the error that only its kind has. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** How long to wait, if the server sent Retry-After. */
  readonly retryAfterMs: number | undefined;

  constructor(detail: string, known: ErrorFacts = {}) {
    const code = known.code ?? new.target.code;
    const named = [code, known.requestId === undefined ? "" : `request ${known.requestId}`].filter(Boolean);
    super(named.length > 0 ? `${detail} (${named.join(", ")})` : detail, known.cause === undefined ? {} : { cause: known.cause });
    this.name = new.target.name;
    this.detail = detail;
    this.code = code;
    this.status = known.status;
    this.requestId = known.requestId;
    this.errors = known.errors ?? [];
    this.facts = known.facts ?? {};
    this.retryAfterMs = known.retryAfterMs;
  }
}

export class Unauthenticated extends HoldfastError {
  static override readonly code = "unauthenticated";
}

export class ScopeDenied extends HoldfastError {
  static override readonly code = "MEM-001";
}

export class StepUpRequired extends HoldfastError {
  static override readonly code = "step_up_required";
}

export class CsrfRefused extends HoldfastError {
  static override readonly code = "csrf";
}

export class NotFound extends HoldfastError {
  static override readonly code: string = "not_found";
}

export class AgentNotFound extends NotFound {
  static override readonly code = "MEM-002";
}

export class MethodNotAllowed extends HoldfastError {
  static override readonly code = "method_not_allowed";
}

export class RequestTimeout extends HoldfastError {
  static override readonly code = "request_timeout";
}

/** The object changed since it was read. */
export class Conflict<T = unknown> extends HoldfastError {
  static override readonly code = "conflict";

  /** The object as it is now; null if it does not exist. */
  get current(): T | null {
    return (this.facts["current"] ?? null) as T | null;
  }
}

export class Archived extends HoldfastError {
  static override readonly code = "archived";
}

export class RunEnded extends HoldfastError {
  static override readonly code = "run_ended";
}

export class CapacityFull extends HoldfastError {
  static override readonly code = "capacity";
}

export class PreconditionFailed extends HoldfastError {
  static override readonly code = "precondition_failed";
}

export class PayloadTooLarge extends HoldfastError {
  static override readonly code = "payload_too_large";

  /** The limit in bytes. */
  get limit(): number | undefined {
    return this.facts["limit"] as number | undefined;
  }
}

export class LimitExceeded extends HoldfastError {
  static override readonly code = "limit_exceeded";

  /** The limit, in the unit that `detail` names. */
  get limit(): number {
    return Number(this.facts["limit"]);
  }

  /** The actual amount, in the same unit. */
  get actual(): number {
    return Number(this.facts["actual"]);
  }
}

export class Invalid extends HoldfastError {
  static override readonly code = "invalid";
}

export class IdempotencyMismatch extends HoldfastError {
  static override readonly code = "idempotency_mismatch";
}

export class LockTimeout extends HoldfastError {
  static override readonly code = "lock_timeout";
}

export class RateLimited extends HoldfastError {
  static override readonly code = "rate_limited";
}

export class HeadersTooLarge extends HoldfastError {
  static override readonly code = "headers_too_large";
}

export class InternalError extends HoldfastError {
  static override readonly code = "internal";
}

export class BackendUnavailable extends HoldfastError {
  static override readonly code = "MEM-003";
}

/** No answer: the server was not reached, the connection broke, or the time was up. The request may have been executed. */
export class ConnectionFailed extends HoldfastError {
  static override readonly code = "connection_failed";
}

/** The answer is not from Holdfast (a proxy's error page, another service), or has an unexpected shape. */
export class UnexpectedReply extends HoldfastError {
  static override readonly code = "unexpected_reply";
}

type ErrorClass = new (detail: string, known?: ErrorFacts) => HoldfastError;

/** The class for each error code that the server sends. */
export const BY_CODE: ReadonlyMap<string, ErrorClass> = new Map(
  [
    Unauthenticated,
    ScopeDenied,
    StepUpRequired,
    CsrfRefused,
    NotFound,
    AgentNotFound,
    MethodNotAllowed,
    RequestTimeout,
    Conflict,
    Archived,
    RunEnded,
    CapacityFull,
    PreconditionFailed,
    PayloadTooLarge,
    LimitExceeded,
    Invalid,
    IdempotencyMismatch,
    LockTimeout,
    RateLimited,
    HeadersTooLarge,
    InternalError,
    BackendUnavailable,
  ].map((kind) => [kind.code, kind]),
);
