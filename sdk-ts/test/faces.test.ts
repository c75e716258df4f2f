/** The five faces, on the running service. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Block,
  Client,
  Conflict,
  LimitExceeded,
  NotFound,
  PreconditionFailed,
  RunEnded,
  StepUpRequired,
} from "@holdfast/client";

const client = new Client();

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of list) {
    found.push(each);
  }
  return found;
}

test("blocks: compare-and-set by the exact time, lines, history, diff, restore", async () => {
  const { blocks } = client.scope({ user: "ana" });
  const first = await blocks.write("core", "- likes tea", { expected_updated_at: null });
  const second = await blocks.write("core", "- likes green tea", { expected_updated_at: first.updated_at });
  assert.equal(second.version, 2);
  await assert.rejects(
    blocks.write("core", "- likes coffee", { expected_updated_at: first.updated_at }),
    (error: unknown) => error instanceof Conflict && (error.current as Block).content === "- likes green tea",
  );
  await blocks.editLine("core", { old_line: "- likes green tea", new_line: "- likes sencha" });
  assert.deepEqual(
    (await all(blocks.history("core", { limit: 2 }))).map((each) => each.version),
    [3, 2, 1],
  );
  assert.match((await blocks.diff("core", 1, 3)).diff, /\+- likes sencha/);
  assert.equal((await blocks.read("core", { as_of: first.updated_at })).content, "- likes tea");
  const now = await blocks.get("core");
  const restored = await blocks.restore("core", 1, { expected_updated_at: now.updated_at });
  assert.equal(restored.content, "- likes tea");
  await blocks.write("archival", "- the spare key is with Bo", { expected_updated_at: null });
  assert.equal((await blocks.recall("spare key"))[0]?.content, "- the spare key is with Bo");
  assert.deepEqual((await blocks.list({ scope: "all" })).map((each) => each.block_type).sort(), ["archival", "core"]);
  await blocks.delete("archival", { expected_updated_at: (await blocks.get("archival")).updated_at });
  await assert.rejects(blocks.get("archival"), NotFound);
});

test("blocks: edit tries again with the text as it is then, whoever else writes", async () => {
  const { blocks } = client.scope({ user: "bo", agent: "bot" });
  await Promise.all(
    ["a", "b", "c", "d"].map((line) => blocks.edit("core", (text) => `${text}- ${line}\n`, { scope: "agent" })),
  );
  const block = await blocks.read("core", { scope: "agent" });
  assert.deepEqual(block.content.trim().split("\n").sort(), ["- a", "- b", "- c", "- d"]);
  assert.equal((await blocks.edit("core", (text) => text, { scope: "agent" }))?.version, block.version);
  await assert.rejects(
    blocks.edit("core", () => "x".repeat(100_000), { scope: "agent" }),
    LimitExceeded,
  );
});

test("entries: by key, by run, as markdown, as a zip", async () => {
  const { entries } = client.scope({ agent: "support", user: "ana" });
  await entries.store("likes", "Prefers tea.", { tags: ["drinks"], expected_version: 0 });
  await assert.rejects(entries.store("likes", "Prefers coffee.", { expected_version: 0 }), Conflict);
  await entries.put("likes", "Prefers coffee.", { expected_version: 1 });
  assert.equal((await entries.restore("likes", 1)).content, "Prefers tea.");
  assert.equal((await all(entries.history("likes", { limit: 1 }))).length, 3);
  assert.match((await entries.diff("likes", 2, 3)).diff, /\+Prefers tea/);
  assert.match(await entries.recallMarkdown("likes"), /^---\n[^]*Prefers tea\.\s*$/);
  const batch = await entries.storeBatch([
    { key: "city", content: "Lives in Porto." },
    { key: "", content: "has no key" },
  ]);
  assert.deepEqual(
    batch.results.map((each) => each.status),
    ["stored", "invalid"],
  );
  assert.deepEqual((await all(entries.list({ limit: 1 }))).map((each) => each.key).sort(), ["city", "likes"]);
  assert.deepEqual(
    (await entries.search("porto")).data.map((each) => each.key),
    ["city"],
  );

  const run = await entries.startRun({ hydrate: true });
  assert(run.hydration);
  assert.equal(await entries.hydrateIfChanged(run.hydration.etag), null);
  await entries.store("now", "Ordering.", { category: "conversation", run_id: run.run_id });
  assert.equal((await entries.recall("now", { run_id: run.run_id })).content, "Ordering.");
  assert.equal((await entries.hydrate({ run_id: run.run_id })).data.length, 3);
  await entries.endRun(run.run_id);
  await assert.rejects(entries.store("now", "Late.", { category: "conversation", run_id: run.run_id }), RunEnded);

  const zip = await entries.export();
  assert.equal(String.fromCharCode(...zip.subarray(0, 2)), "PK");
  assert.equal(await entries.forget("city"), true);
  assert.equal(await entries.delete("city"), false);
  await entries.importZip(zip);
  assert.equal((await entries.get("city")).content, "Lives in Porto.");
});

test("conversations: a session's list, read in parts and whole, cleared and restored", async () => {
  const talk = client.scope({ user: "ana", session: "s-9" }).conversations;
  const said = Array.from({ length: 5 }, (_, each) => ({ role: "user", content: `line ${each}` }));
  assert.equal((await talk.append("sessions", said)).appended, 5);
  assert.equal((await talk.read("sessions", { limit: 2 })).messages.length, 2);
  assert.deepEqual(
    (await all(talk.read("sessions", { limit: 2 }))).map((each) => each.content),
    said.map((each) => each.content),
  );
  assert.deepEqual(
    (await all(talk.read("sessions", { tail: 1 }))).map((each) => each.content),
    ["line 4"],
  );
  assert.equal((await talk.pop("sessions")).message?.content, "line 4");
  assert.equal((await talk.stats("sessions")).message_count, 4);
  assert.equal((await talk.health("sessions")).healthy, true);
  const cleared = await talk.clear("sessions", { confirm: true, backup: true });
  assert.equal(cleared.messages_cleared, 4);
  assert.equal((await talk.restore("sessions", String(cleared.backup_id))).restored, 4);
  assert.equal((await talk.list("sessions")).data.length, 1);
  assert.equal((await talk.flush("sessions", { dry_run: true })).flushed, false);
  await talk.write("sessions", "only this");
  assert.equal((await talk.get("sessions")).messages[0]?.role, "user");
  assert.equal(await talk.delete("sessions"), true);
  assert.equal(await talk.delete("sessions"), false);
  assert.deepEqual(await talk.search("line"), []);
});

test("conversations: memory resources", async () => {
  const { conversations } = client;
  const config = {
    resource: "memory",
    id: "cases",
    type: "token_based",
    max_tokens: 1000,
    persistence: { type: "postgres", ttl: "30d" },
    default_key_template: "case:{{.case}}",
  };
  const made = await conversations.putResource("cases", config);
  assert.equal(made.revision, 1);
  assert.equal((await conversations.readResource("cases"))["max_tokens"], 1000);
  assert.equal(await conversations.resolve("cases", { case: 7 }), "case:7");
  await assert.rejects(conversations.putResource("cases", config, { ifMatch: 9 }), PreconditionFailed);
  const faults = await conversations.validateResource("resource: memory\nid: x\ntype: buffer\nmax_tokens: -1\n");
  assert.equal(faults.valid, false);
  assert(faults.errors.length > 0);
  assert.equal(typeof (await conversations.readSchema())["properties"], "object");
  assert((await all(conversations.listResources({ limit: 1 }))).some((each) => each.id === "cases"));
  await conversations.deleteResource("cases", { force: true });
  await assert.rejects(conversations.readResource("cases"), NotFound);
});

test("memories: saved, changed, in pages, with sources and files; erasing needs a person", async () => {
  const { memories } = client.scope({ user: "ana" });
  const tea = await memories.save("tea", "Green.", { importance: 7, valid_from: new Date("2026-01-01T00:00:00Z") });
  assert.equal(tea.valid_from, "2026-01-01T00:00:00.000000Z");
  const changed = await memories.change(tea.id, { value: "Sencha." }, {}, { ifMatch: 1 });
  assert.equal(changed.version, 2);
  await assert.rejects(memories.change(tea.id, { value: "Oolong." }, {}, { ifMatch: 1 }), PreconditionFailed);
  assert.equal((await memories.get(tea.id, { as_of: tea.updated_at })).value, "Green.");
  assert.match((await memories.diff(tea.id, tea.updated_at, 2)).diff, /-Green\./);
  assert.equal((await memories.restore(tea.id, 1)).value, "Green.");
  assert.deepEqual(
    (await all(memories.history(tea.id, { limit: 2 }))).map((each) => each.version),
    [3, 2, 1],
  );
  const batch = await memories.batch([1, 2, 3].map((each) => ({ key: `k${each}`, value: `Number ${each}.` })));
  assert.equal(batch.results.length, 3);
  assert.equal((await all(memories.list({ limit: 2 }))).length, 4);
  const pages = [];
  for await (const page of memories.list({ limit: 3 }).pages()) {
    pages.push(page.data.length);
  }
  assert.deepEqual(pages, [3, 1]);
  assert.equal((await memories.recall("green tea", { limit: 1, explain: true })).data[0]?.id, tea.id);

  await memories.addSource(tea.id, "url", "https://tea.test", { quote: "Green is best" });
  assert.equal((await memories.listSources(tea.id))[0]?.ref, "https://tea.test");
  await memories.removeSources(tea.id, { kind: "url" });
  assert.deepEqual(await memories.listSources(tea.id), []);
  const bytes = new Uint8Array([0, 255, 10]);
  const asset = await memories.uploadAsset(tea.id, "leaf.png", bytes, { content_type: "image/png" });
  assert.equal((await memories.listAssets(tea.id)).data[0]?.id, asset.id);
  assert.deepEqual(await memories.downloadAsset(tea.id, asset.id), bytes);
  await assert.rejects(memories.deleteAsset(tea.id, asset.id), StepUpRequired);
  await assert.rejects(memories.delete(tea.id), StepUpRequired);
  assert.equal((await memories.retire(tea.id)).id, tea.id);
});

test("nodes: names, items, edges, paths, merging", async () => {
  const { nodes } = client.scope({ user: "ana" });
  const ana = await nodes.create("Ana", { kind: "person", aliases: ["Anita"], items: [{ content: "pilot" }] });
  const porto = await nodes.put("Porto", { kind: "place" });
  await assert.rejects(nodes.create("Ana", { kind: "person" }), Conflict);
  const edge = await nodes.putEdge(ana.id, "lives_in", porto.id, { weight: 0.5 });
  assert.equal(edge.from, ana.id);
  assert.deepEqual((await nodes.path(ana.id, porto.id)).edges.length, 1);
  assert.equal((await nodes.neighbors(ana.id, { depth: 1 })).nodes.length >= 1, true);
  const item = await nodes.addItem(ana.id, "flies gliders");
  assert.equal((await nodes.get(ana.id)).items.length, 2);
  await nodes.removeItem(ana.id, item.id);
  assert.equal((await nodes.change(ana.id, { summary: "A pilot." })).summary, "A pilot.");
  assert.equal((await nodes.search("anita")).data[0]?.id, ana.id);
  await nodes.deleteEdge(edge.id);
  await assert.rejects(nodes.path(ana.id, porto.id), NotFound);
  assert.equal((await nodes.merge(porto.id, ana.id)).id, ana.id);
  await nodes.delete(ana.id);
  assert.deepEqual((await nodes.list()).data, []);
});

test("stores: texts at paths, versions, conflicts, a zip", async () => {
  const { stores } = client.scope({ user: "ana" });
  const store = await stores.create("notes", { description: "what we know" });
  const plan = await stores.put(store.id, "plans/may.md", "Sow.");
  assert.equal((await stores.put(store.id, "plans/may.md", "Sow and water.")).version, 2);
  await assert.rejects(stores.put(store.id, "plans/may.md", "Stale.", { version: 1 }), Conflict);
  await assert.rejects(stores.put(store.id, "plans/may.md", "New?", { version: 0 }), Conflict);
  assert.equal((await stores.get(store.id, "plans/may.md")).content, "Sow and water.");
  assert.equal((await stores.readEntry(store.id, plan.id, { as_of: plan.updated_at })).content, "Sow.");
  await stores.put(store.id, "plans/june.md", "Harvest.");
  assert.deepEqual(
    (await all(stores.list(store.id, { limit: 1 }))).map((each) => each.path),
    ["plans/june.md", "plans/may.md"],
  );
  assert.equal((await stores.list(store.id, { depth: 1 })).data[0]?.path, "plans/");
  const versions = await all(stores.listVersions(store.id, { limit: 1 }));
  assert.equal(versions.length, 3);
  const oldest = versions.at(-1);
  assert(oldest);
  assert.equal((await stores.readVersion(store.id, oldest.id)).content, "Sow.");
  assert.equal((await stores.diff(store.id, plan.updated_at, new Date(Date.now() + 60_000))).files.length, 2);
  await stores.restoreEntry(store.id, plan.id, { version_id: oldest.id, version: 2 });
  assert.notEqual((await stores.redactVersion(store.id, String(versions[1]?.id))).redacted_at, null);
  assert.equal((await stores.readVersion(store.id, String(versions[1]?.id))).content ?? null, null);
  assert.equal((await stores.recall(store.id, "harvest")).data[0]?.object.path, "plans/june.md");
  const zip = await stores.export(store.id);
  await stores.delete(store.id, "plans/june.md");
  await assert.rejects(stores.get(store.id, "plans/june.md"), NotFound);
  assert.equal((await stores.importZip(store.id, zip, { mode: "replace" })).created, 1);
  assert.equal((await stores.change(store.id, { name: "garden" }, { ifMatch: 1 })).name, "garden");
  assert.equal((await all(stores.listStores({ name: "gar" }))).length, 1);
  assert.notEqual((await stores.archive(store.id)).archived_at, null);
  await stores.deleteStore(store.id);
  await assert.rejects(stores.open(store.id), NotFound);
});
