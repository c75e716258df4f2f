/**
 * Prints what the client sends for every operation of the OpenAPI document, as JSON lines: the Python tests compare it with
 * the Python client. Every answer is 503, so the number of attempts shows whether a call is repeated.
 */

import { Client } from "@holdfast/client";
import { routes } from "../dist/generated/routes.js";

type Method = (...args: unknown[]) => PromiseLike<unknown>;

// Arguments of methods that need more than texts.
const ARGUMENTS: Record<string, unknown[]> = {
  "entries.store_batch": [[]],
  "memories.batch": [[]],
  "proposals.accept_many": [[]],
  "blocks.write": ["core", "some", { expected_updated_at: null }],
  "blocks.restore": ["core", 1, { expected_updated_at: null }],
  "conversations.clear": ["some", { confirm: true }],
};

for (const id of Object.keys(routes).filter((each) => !each.startsWith("auth."))) {
  const attempts: { method: string; url: string; keyed: boolean }[] = [];
  const client = new Client({
    url: "http://none",
    key: "hf_test_none",
    retries: { firstWaitMs: 0 },
    fetch: async (url, init) => {
      const keyed = new Headers(init.headers).has("idempotency-key");
      attempts.push({ method: init.method ?? "", url, keyed });
      return Response.json({ code: "MEM-003", detail: "no" }, { status: 503 });
    },
  }).scope({ agent: "some", session: "some" });
  const method = find(client, id);
  if (method !== undefined) {
    const needed = ARGUMENTS[id] ?? Array.from({ length: method.length }, () => "some");
    await Promise.resolve(method(...needed)).catch(() => undefined);
  }
  const [first] = attempts;
  console.log(
    JSON.stringify({
      id,
      method: first?.method,
      path: first && new URL(first.url).pathname,
      keyed: first?.keyed,
      repeated: attempts.length > 1,
    }),
  );
}

/** The client's method for an operation: its id in camel case. */
function find(client: Client, id: string): Method | undefined {
  const names = id
    .replace(/_post$/, "")
    .split(".")
    .map((name) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  let holder: unknown = undefined;
  let found: unknown = client;
  for (const name of names) {
    holder = found;
    found = (found as Record<string, unknown>)[name];
  }
  return typeof found === "function" ? (found.bind(holder) as Method) : undefined;
}
