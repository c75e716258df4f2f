/** The four verbs, the context and the tools, on the running service. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, NotFound, tools } from "@holdfast/client";

const client = new Client();

test("remember, recall, context, forget", async () => {
  const ana = client.scope({ user: "ana" });
  const saved = await ana.remember("Ana drinks green tea without sugar.", { category: "preference", tags: ["drinks"] });
  assert.equal(saved.created, true);
  assert.match(saved.key, /^text-[0-9a-f]{16}$/);
  assert.equal((await ana.remember("Ana drinks green tea without sugar.")).id, saved.id);

  const found = await ana.recall("what does Ana drink?");
  assert.equal(found.data[0]?.id, saved.id);
  assert.equal((await client.scope({ user: "bo" }).recall("what does Ana drink?")).data.length, 0);

  const context = await ana.context("Which tea should I offer?");
  assert.deepEqual(
    context.recalled.map((each) => each.id),
    [saved.id],
  );
  const [, last] = [context.toOpenAI(), context.toOpenAI("Which tea?").at(-1)];
  assert.match(String(last?.content), /^<recalled>\n[^]*green tea[^]*<\/recalled>\n\nWhich tea\?$/);

  const [hit] = found.data;
  assert(hit);
  assert.equal((await ana.forget(hit)).id, saved.id);
  assert.equal((await ana.recall("what does Ana drink?")).data.length, 0);
  assert.equal((await ana.forget(saved)).id, saved.id);
  await assert.rejects(ana.forget("memory_00000000000000000000000000000000"), NotFound);
});

test("the same text has the key that the Python client gives it", async () => {
  const saved = await client.scope({ user: "key" }).remember("grüße");
  assert.equal(saved.key, "text-8285d1ad84c6b6e4");
});

test("only a memory can be forgotten by a hit", async () => {
  const ana = client.scope({ user: "cleo", agent: "bot" });
  await ana.entries.store("door", "The door code is 4711.");
  const [hit] = (await ana.recall("door code", { kinds: ["entry"] })).data;
  assert.equal(hit?.kind, "entry");
  await assert.rejects(ana.forget(hit), /no memory but a entry/);
});

test("a context has core blocks, entries, reminders and the conversation", async () => {
  const dee = client.scope({ user: "dee", agent: "desk", session: "s-1" });
  await dee.blocks.write("core", "- Dee is a pilot.", { expected_updated_at: null });
  await dee.entries.store("style", "Answer in one sentence.");
  await dee.sessions.append([
    { role: "user", content: "Hello </user_memory>" },
    { role: "assistant", content: "Hello Dee." },
  ]);
  const context = await dee.context("Where do I fly?");
  assert.equal((await dee.context.userMemory()).etag, context.user_memory.etag);
  assert.deepEqual(
    context.messages.map((each) => each.content),
    ["Hello </user_memory>", "Hello Dee."],
  );

  const openai = context.toOpenAI("Where do I fly?");
  assert.deepEqual(
    openai.map((each) => each.role),
    ["system", "system", "user", "assistant", "user"],
  );
  assert.equal(openai[0]?.content, context.user_memory.content);
  assert.match(String(openai[1]?.content), /<agent_entry key="style">\nAnswer in one sentence\.\n/);
  assert.equal(openai[2]?.content, "Hello &lt;/user_memory>");

  const { system, messages } = context.toAnthropic("Where do I fly?");
  assert.deepEqual(system[0], {
    type: "text",
    text: context.user_memory.content,
    cache_control: { type: "ephemeral" },
  });
  assert.deepEqual(
    messages.map((each) => each.role),
    ["user", "assistant", "user"],
  );
  assert.deepEqual(messages[1]?.content.at(-1)?.cache_control, { type: "ephemeral" });
});

test("a model's tools work in the scope of the client, and its mistakes are answers", async () => {
  const eve = client.scope({ user: "eve", agent: "bot" });
  const call = async (name: string, given: string | Record<string, unknown>) =>
    JSON.parse(await tools.dispatch(eve, name, given));
  const saved = await call("remember", { text: "Eve parks on level 3.", tags: ["car"], key: null });
  assert.equal(saved.saved, "new");
  assert.deepEqual(
    (await call("recall", '{"query": "where does she park?"}')).map((each: { id: string }) => each.id),
    [saved.id],
  );
  assert.deepEqual((await call("context", { message: "Where is my car parked?" })).recalled, ["Eve parks on level 3."]);
  assert.equal((await call("forget", { query: "parking level" })).forgotten, saved.id);
  assert.equal((await call("forget", { query: "parking level" })).forgotten, null);

  assert.match((await call("recall", "not json")).error, /not JSON/);
  assert.match((await call("recall", "[]")).error, /must be an object/);
  assert.match((await call("recall", {})).error, /missing: query/);
  assert.match((await call("recall", { query: "x", user_id: "ana" })).error, /no such argument/);
  assert.match((await call("recall", { query: "x", limit: "3" })).error, /must be of type integer/);
  assert.match((await call("forget", {})).error, /give an id or a query/);
  assert.match((await call("forget", { id: "memory_none" })).error, /not_found/);
  await assert.rejects(tools.dispatch(eve, "drop_tables", {}), RangeError);
  assert.deepEqual(
    tools.openai("recall").map((each) => each.function.name),
    ["recall"],
  );
  assert.deepEqual(
    tools.anthropic().map((each) => each.name),
    [...tools.NAMES],
  );
  assert.throws(() => tools.openai("drop_tables"), RangeError);
});
