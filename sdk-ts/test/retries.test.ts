/** Which calls are repeated after which outcomes, seen from the server's side. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { BackendUnavailable, ConnectionFailed, NotFound, RateLimited, UnexpectedReply } from "@holdfast/client";
import { RETRIES, failureOf, retryAfterMs, waitBeforeRetry } from "../dist/retries.js";
import { answering, problem } from "./server.js";

const SAVED = { body: { id: "memory_1", created: true } };
const UNAVAILABLE = problem(503, "MEM-003");

test("a write whose answer was lost is sent again under the same key and with the same body", async () => {
  await using server = await answering("drop", UNAVAILABLE, SAVED);
  const saved = await server.client().memories.save("tea", "green");
  assert.equal(saved.id, "memory_1");
  assert.equal(server.asked.length, 3);
  assert.equal(new Set(server.asked.map((each) => each.headers["idempotency-key"])).size, 1);
  assert.equal(new Set(server.asked.map((each) => each.body.toString())).size, 1);
});

test("two writes have two keys, and a key of one's own is used", async () => {
  await using server = await answering(SAVED);
  const client = server.client();
  await client.memories.save("tea", "green");
  await client.memories.save("tea", "green");
  await client.memories.save("tea", "green", {}, { idempotencyKey: "mine" });
  const keys = server.asked.map((each) => each.headers["idempotency-key"]);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], "mine");
});

test("a question is repeated too, without a key that would make the server keep its answer", async () => {
  await using server = await answering("drop", { body: { data: [], tokens: 0, misses: [] } });
  await server.client().recall("tea");
  assert.deepEqual(
    server.asked.map((each) => each.headers["idempotency-key"]),
    [undefined, undefined],
  );
});

test("a PATCH, and work that would start twice, are not sent again after a lost answer", async () => {
  await using server = await answering("drop");
  const client = server.client();
  await assert.rejects(client.memories.change("memory_1", { value: "black" }), ConnectionFailed);
  await assert.rejects(client.sessions.settle("s-1"), ConnectionFailed);
  assert.equal(server.asked.length, 2);
});

test("what was refused without being executed is sent again, whatever it is", async () => {
  await using server = await answering(problem(429, "rate_limited", {}, { "retry-after": "0" }), SAVED);
  await server.client().memories.change("memory_1", { value: "black" });
  assert.equal(server.asked.length, 2);
});

test("a DELETE by an id that stays unique counts as done when the repeat finds nothing", async () => {
  await using server = await answering("drop", problem(404, "not_found"));
  await server.client().nodes.delete("node_1");
  assert.equal(server.asked.length, 2);
});

test("a DELETE that finds nothing at once is an error, and one by a reusable name is not repeated", async () => {
  await using missing = await answering(problem(404, "not_found"));
  await assert.rejects(missing.client().nodes.delete("node_1"), NotFound);
  await using broken = await answering("drop", { status: 204 });
  await assert.rejects(broken.client().blocks.delete("core"), ConnectionFailed);
  assert.equal(broken.asked.length, 1);
});

test("the repeats end, with the server's error", async () => {
  await using server = await answering(UNAVAILABLE);
  await assert.rejects(server.client().memories.get("memory_1"), BackendUnavailable);
  assert.equal(server.asked.length, 3);
  await assert.rejects(server.client({ retries: { most: 0 } }).memories.get("memory_1"), BackendUnavailable);
  assert.equal(server.asked.length, 4);
});

test("a Retry-After beyond one's patience is thrown at once, with the time to wait", async () => {
  await using server = await answering(problem(429, "rate_limited", {}, { "retry-after": "3600" }));
  await assert.rejects(server.client().recall("tea"), (error: unknown) => {
    assert(error instanceof RateLimited);
    assert.equal(error.retryAfterMs, 3_600_000);
    return true;
  });
  assert.equal(server.asked.length, 1);
});

test("nobody listens: every call is tried again, since none was sent", async () => {
  const server = await answering(SAVED);
  await server.close();
  let tries = 0;
  const client = server.client({
    fetch: (url, init) => {
      tries += 1;
      return fetch(url, init);
    },
  });
  await assert.rejects(client.memories.change("memory_1", { value: "black" }), (error: unknown) => {
    assert(error instanceof ConnectionFailed);
    assert.match(error.message, /ECONNREFUSED/);
    return true;
  });
  assert.equal(tries, 3);
});

test("a call that gets no answer in its time fails, and is repeated only where that is safe", async () => {
  await using server = await answering("hang");
  const client = server.client({ timeoutMs: 30 });
  await assert.rejects(client.memories.change("memory_1", { value: "black" }), (error: unknown) => {
    assert(error instanceof ConnectionFailed);
    assert.match(error.message, /no answer within 30 ms/);
    return true;
  });
  assert.equal(server.asked.length, 1);
  await assert.rejects(client.memories.get("memory_1", {}, { timeoutMs: 20 }), /no answer within 20 ms/);
  assert.equal(server.asked.length, 4);
});

test("an abort ends the call with its reason, and nothing more is sent", async () => {
  await using server = await answering("hang");
  const stop = new AbortController();
  const reason = new Error("the user left");
  const waiting = server.client().recall("tea", {}, { signal: stop.signal });
  while (server.asked.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  stop.abort(reason);
  await assert.rejects(waiting, reason);
  await assert.rejects(server.client().recall("tea", {}, { signal: stop.signal }), reason);
  assert.equal(server.asked.length, 1);
});

test("an abort ends the wait before a repeat", async () => {
  await using server = await answering(UNAVAILABLE);
  const stop = new AbortController();
  const client = server.client({
    retries: { firstWaitMs: 600_000, longestWaitMs: 600_000 },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      setTimeout(() => stop.abort(), 5);
      return response;
    },
  });
  await assert.rejects(client.recall("tea", {}, { signal: stop.signal }), { name: "AbortError" });
  assert.equal(server.asked.length, 1);
});

test("an answer that is not Holdfast's is its own error, a redirect too", async () => {
  await using server = await answering({ status: 200, body: Buffer.from("<html>") });
  await assert.rejects(server.client().memories.get("memory_1"), UnexpectedReply);
  await using proxy = await answering({ status: 302, headers: { location: "/elsewhere" } });
  await assert.rejects(proxy.client().memories.get("memory_1"), UnexpectedReply);
  assert.equal(proxy.asked.length, 1);
});

test("waits double up to the longest, are shortened by jitter, and follow Retry-After", () => {
  const reply = (headers: Record<string, string>) => ({
    status: 503,
    headers: new Headers(headers),
    content: new Uint8Array(),
  });
  const many = { ...RETRIES, most: 9 };
  const wait = (attempt: number, jitter: number, headers = {}) =>
    waitBeforeRetry({ repeatable: true }, reply(headers), attempt, many, jitter);
  assert.deepEqual([1, 2, 3, 9].map((attempt) => wait(attempt, 0)), [250, 500, 1000, 8000]);
  assert.equal(wait(1, 1), 125);
  assert.equal(wait(1, 0, { "retry-after": "2" }), 2000);
  assert.equal(wait(10, 0), undefined);
  assert.equal(retryAfterMs(new Headers({ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" })), 0);
  assert.equal(retryAfterMs(new Headers({ "retry-after": "soon" })), undefined);
});

test("an unknown failure counts as sent, one before the connection does not", () => {
  const coded = (code: string) => Object.assign(new Error(code), { code });
  assert.equal(failureOf(new Error("?")).wasSent, true);
  assert.equal(failureOf("?").wasSent, true);
  assert.equal(failureOf(new TypeError("fetch failed", { cause: coded("ECONNRESET") })).wasSent, true);
  assert.equal(failureOf(new TypeError("fetch failed", { cause: coded("ENOTFOUND") })).wasSent, false);
  const both = new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")]);
  assert.equal(failureOf(new TypeError("fetch failed", { cause: both })).wasSent, false);
  const mixed = new AggregateError([coded("ECONNREFUSED"), coded("ECONNRESET")]);
  assert.equal(failureOf(new TypeError("fetch failed", { cause: mixed })).wasSent, true);
});
