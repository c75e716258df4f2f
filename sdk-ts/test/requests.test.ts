/** What the client sends: paths, queries, bodies, headers; and what it makes of errors. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AgentNotFound,
  Client,
  Conflict,
  HoldfastError,
  Invalid,
  LimitExceeded,
  NotFound,
  ScopeDenied,
} from "@holdfast/client";
import { BY_CODE } from "../dist/errors.js";
import { answering, problem } from "./server.js";

test("a key is one segment of the path, whatever it holds", async () => {
  await using server = await answering({ body: {} });
  const { entries } = server.client().scope({ agent: "bot" });
  for (const key of ["plain", "a/b", "100%41?#", "naïve key", "..."]) {
    await entries.recall(key);
    const segments = new URL(server.url + server.asked.at(-1)?.path).pathname.split("/");
    assert.deepEqual(segments.slice(0, 6), ["", "api", "v1", "agents", "bot", "entries"]);
    assert.equal(decodeURIComponent(segments[6] ?? ""), key);
    assert.equal(segments.length, 7);
  }
});

test("a name that a URL cannot carry is refused before anything is sent", async () => {
  await using server = await answering({ body: {} });
  const { entries } = server.client().scope({ agent: "bot" });
  for (const key of ["", ".", ".."]) {
    await assert.rejects(entries.recall(key), TypeError);
  }
  assert.equal(server.asked.length, 0);
});

test("a query leaves out undefined, repeats lists and writes times in full", async () => {
  await using server = await answering({ body: { data: [], has_more: false, first_id: null, last_id: null } });
  await server.client().entries.list({
    agent_id: "bot",
    tag: ["a", "b c"],
    query: undefined,
    updated_after: new Date(0),
    updated_before: "2026-01-31T00:00:00.123456Z",
  });
  const asked = new URL(server.url + server.asked[0]?.path);
  assert.deepEqual(
    [...asked.searchParams].sort(),
    [
      ["tag", "a"],
      ["tag", "b c"],
      ["updated_after", "1970-01-01T00:00:00.000Z"],
      ["updated_before", "2026-01-31T00:00:00.123456Z"],
    ].sort(),
  );
});

test("a scope goes into headers, paths and bodies; a call may name others", async () => {
  await using server = await answering({ body: {} });
  const ana = server.client().scope({ user: "ana", workspace: "lab" }).scope({ agent: "bot", session: "s-1" });
  await ana.memories.save("tea", "green", { agent_id: "other" });
  const [asked] = server.asked;
  assert.equal(asked?.headers["holdfast-user"], "ana");
  assert.equal(asked?.headers["holdfast-workspace"], "lab");
  assert.equal(asked?.headers["authorization"], "Bearer hf_test_none");
  assert.deepEqual(JSON.parse(String(asked?.body)), {
    key: "tea",
    value: "green",
    agent_id: "other",
    session_id: "s-1",
  });
});

test("a call without the agent or session that it needs, and a bad name, are refused here", async () => {
  const client = new Client({ url: "http://127.0.0.1:1", key: "k" });
  assert.throws(() => client.entries.hydrate(), /name an agent/);
  assert.throws(() => client.sessions.append("hello"), /name a session/);
  assert.throws(() => client.scope({ user: "two\nlines" }), /user: 1–128 characters/);
});

test("a client needs a key and a URL", () => {
  assert.throws(() => new Client({ url: "localhost:8321", key: "k" }), /looks like http/);
  const kept = process.env["HOLDFAST_API_KEY"];
  delete process.env["HOLDFAST_API_KEY"];
  try {
    assert.throws(() => new Client({ url: "http://x" }), /HOLDFAST_API_KEY/);
  } finally {
    if (kept !== undefined) {
      process.env["HOLDFAST_API_KEY"] = kept;
    }
  }
});

test("ifMatch goes out as an entity tag, bytes with their own type", async () => {
  await using server = await answering({ body: {} });
  await server.client().memories.change("memory_1", { value: "x" }, {}, { ifMatch: 3 });
  assert.equal(server.asked[0]?.headers["if-match"], '"3"');
  await server.client().stores.importZip("memstore_1", new Uint8Array([80, 75, 3]));
  assert.equal(server.asked[1]?.headers["content-type"], "application/zip");
  assert.deepEqual([...(server.asked[1]?.body ?? [])], [80, 75, 3]);
});

test("every error has its class, its code and the request id", async () => {
  for (const [code, kind] of BY_CODE) {
    await using server = await answering(problem(418, code));
    await assert.rejects(server.client().memories.get("memory_1"), (error: unknown) => {
      assert(error instanceof HoldfastError);
      assert.equal(error.constructor, kind);
      assert.deepEqual([error.code, error.status, error.requestId], [code, 418, "req_1"]);
      assert.equal(error.message, `it is ${code} (${code}, request req_1)`);
      return true;
    });
  }
});

test("a code that the client does not know is a plain error with that code", async () => {
  await using server = await answering(problem(409, "brand_new"));
  await assert.rejects(server.client().memories.get("memory_1"), { name: "HoldfastError", code: "brand_new" });
});

test("errors carry what the server says about them", async () => {
  const failing = async (answer: ReturnType<typeof problem>) => {
    await using server = await answering(answer);
    return await server.client().memories.get("memory_1").catch((error: unknown) => error);
  };
  const limit = await failing(problem(422, "limit_exceeded", { limit: 10, actual: 12 }));
  assert(limit instanceof LimitExceeded);
  assert.deepEqual([limit.limit, limit.actual], [10, 12]);
  const lost = await failing(problem(409, "conflict", { current: { id: "memory_1" } }));
  assert(lost instanceof Conflict);
  assert.deepEqual(lost.current, { id: "memory_1" });
  const wrong = await failing(problem(422, "invalid", { errors: [{ field: "key", message: "too long" }] }));
  assert(wrong instanceof Invalid);
  assert.deepEqual(wrong.errors, [{ field: "key", message: "too long" }]);
  assert((await failing(problem(404, "MEM-002"))) instanceof NotFound);
  assert((await failing(problem(404, "MEM-002"))) instanceof AgentNotFound);
  assert((await failing(problem(403, "MEM-001"))) instanceof ScopeDenied);
});

test("a list is awaited for a page, iterated over all of them, and asks for nothing before", async () => {
  const page = (ids: string[], has_more: boolean) => ({
    body: { data: ids.map((id) => ({ id })), first_id: ids[0], last_id: ids.at(-1), has_more },
  });
  await using server = await answering(page(["c", "b"], true), page(["a"], false));
  const list = server.client().memories.list({ limit: 2 });
  assert.equal(server.asked.length, 0);
  assert.deepEqual((await list).data.map(({ id }) => id), ["c", "b"]);
  assert.equal(server.asked.length, 1);
  const found: string[] = [];
  for await (const { id } of list) {
    found.push(id);
  }
  assert.deepEqual(found, ["c", "b", "a"]);
  assert.deepEqual(
    server.asked.map((each) => new URL(server.url + each.path).searchParams.get("after_id")),
    [null, "b"],
  );
});

test("a list that begins before an id goes on backward, and a failed page ends the iteration with its error", async () => {
  await using server = await answering(
    { body: { data: [{ id: "b" }], first_id: "b", last_id: "b", has_more: true } },
    problem(404, "not_found"),
  );
  const read = async () => {
    for await (const _ of server.client().jobs.list({ before_id: "a" })) {
    }
  };
  await assert.rejects(read(), NotFound);
  assert.deepEqual(
    server.asked.map((each) => new URL(server.url + each.path).searchParams.get("before_id")),
    ["a", "b"],
  );
});
