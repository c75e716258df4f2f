/** An operation of the API as a value: the request, and whether it may be sent twice. */

import type { components, operations } from "./generated/openapi.js";
import { routes } from "./generated/routes.js";
import type { Scope } from "./scope.js";

/** The values of the API, by their names in the OpenAPI document. */
export type Schemas = components["schemas"];

/** The id of an operation of the OpenAPI document. */
export type OperationId = keyof operations;

/** The query parameters of an operation. */
export type QueryOf<Id extends OperationId> = NonNullable<operations[Id]["parameters"]["query"]>;

/** The JSON body of an operation. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Body } };
}
  ? NonNullable<Body>
  : never;

type JsonOf<Response> = Response extends { content: { "application/json": infer Value } } ? Value : never;
type Succeeded<Responses> = Responses[keyof Responses & (200 | 201 | 202)];

/** The JSON answer of an operation. */
export type AnswerOf<Id extends OperationId> = JsonOf<Succeeded<operations[Id]["responses"]>>;

/** Options of one request, the last argument of every method. */
export interface RequestOptions {
  /** Ends the call, and the waits between its repeats. */
  readonly signal?: AbortSignal;
  /** How long one attempt may take; replaces the client's. */
  readonly timeoutMs?: number;
  /** A repeat under the same key, from another process too, is applied once. For POST and PUT. */
  readonly idempotencyKey?: string;
  /** Throws PreconditionFailed unless this is the object's current version. */
  readonly ifMatch?: number;
}

/** The parts of a call: path, query and body as the OpenAPI document has them. */
export type Parts<Id extends OperationId> = Pick<operations[Id]["parameters"], "path" | "query"> & {
  readonly body?: BodyOf<Id>;
  /** A body instead of JSON; goes with `contentType`. */
  readonly content?: Uint8Array;
  readonly contentType?: string;
};

/** How a call differs from what its method (GET, POST, …) says about it. */
export interface Rule {
  /** Sending it twice has the same effect as sending it once, so it may be repeated if the answer was lost. */
  readonly repeatable?: boolean;
  /** A POST that changes nothing: sent without an idempotency key, so that the server does not store its answer. */
  readonly onlyAsks?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** Statuses besides 2xx whose body is the answer. */
  readonly alsoAnswers?: readonly number[];
}

/** One operation, ready to be sent. */
export interface Call {
  readonly id: OperationId;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The same bytes at every repeat, as the idempotency key requires. */
  readonly body: string | Uint8Array | undefined;
  readonly repeatable: boolean;
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly alsoAnswers: readonly number[];
}

/** Build a call. A POST or PUT that changes something gets an idempotency key, so a repeat is applied once. */
export function callOf<Id extends OperationId>(
  scope: Scope,
  id: Id,
  parts: Parts<Id>,
  rule: Rule,
  request: RequestOptions,
): Call {
  const [method, template] = routes[id];
  const body = parts.content ?? (parts.body === undefined ? undefined : JSON.stringify(parts.body));
  const keyed = (method === "POST" || method === "PUT") && rule.onlyAsks !== true;
  return {
    id,
    method,
    target: fill(template, parts.path ?? {}) + queryText(parts.query ?? {}),
    headers: {
      ...scope.headers,
      ...(body === undefined ? {} : { "Content-Type": parts.contentType ?? "application/json" }),
      ...(keyed ? { "Idempotency-Key": request.idempotencyKey ?? crypto.randomUUID() } : {}),
      ...(request.ifMatch === undefined ? {} : { "If-Match": `"${request.ifMatch}"` }),
      ...rule.headers,
    },
    body,
    repeatable: rule.repeatable ?? !(method === "PATCH" || method === "DELETE"),
    timeoutMs: request.timeoutMs ?? rule.timeoutMs,
    signal: request.signal,
    alsoAnswers: rule.alsoAnswers ?? [],
  };
}

/** A time as text; a text is taken as it is, with its microseconds. */
export function instant(at: string | Date): string {
  return typeof at === "string" ? at : at.toISOString();
}

/** Fill a path's template; each value is one segment, so that a key may contain `/`. */
function fill(template: string, values: object): string {
  const given = values as Readonly<Record<string, string>>;
  return template.replace(/\{(\w+)\}/g, (_, name: string) => segment(given[name] ?? "", name));
}

function segment(value: string, name: string): string {
  if (value === "") {
    throw new TypeError(`${name} may not be empty`);
  }
  if (value === "." || value === "..") {
    // A URL parser resolves these, also percent-encoded: the request would reach another path.
    throw new TypeError(`${name} may not be ${value}: a URL cannot carry it`);
  }
  return encodeURIComponent(value);
}

function queryText(query: object): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) {
        pairs.append(name, each instanceof Date ? instant(each) : String(each));
      }
    }
  }
  return pairs.size > 0 ? `?${pairs.toString()}` : "";
}
