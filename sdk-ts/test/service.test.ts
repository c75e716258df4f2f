/** The directory, jobs, learning, insights, erasing, activity and the service itself. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Conflict, NotFound, PreconditionFailed } from "@holdfast/client";

const client = new Client();
const SAID = [{ role: "user", content: "Remember that I park on level 3." }];

test("the directory: org, workspaces, projects, agents, users, keys", async () => {
  const { directory } = client;
  const org = await directory.changeOrg({ llm_tokens_per_day: null });
  assert.equal((await directory.readOrg()).version, org.version);
  const lab = await directory.putWorkspace("lab", { name: "Lab" });
  await assert.rejects(directory.putWorkspace("lab", { name: "Old" }, { ifMatch: lab.version + 1 }), PreconditionFailed);
  assert.equal((await directory.readWorkspace("lab")).name, "Lab");
  const names: string[] = [];
  for await (const workspace of directory.listWorkspaces({ limit: 1 })) {
    names.push(workspace.id);
  }
  assert.deepEqual(names, ["lab", "default"]);
  await directory.putProject("plan", { visibility: "private" });
  await directory.createUser("fay", { role: "member" });
  await assert.rejects(directory.createUser("fay"), Conflict);
  await directory.addMember("plan", "fay");
  await directory.removeMember("plan", "fay");
  assert.equal((await directory.readProject("plan")).visibility, "private");
  assert.equal((await directory.listProjects()).data.length, 1);
  const bot = client.scope({ agent: "bot", workspace: "lab" }).directory;
  await bot.putAgent(undefined, { name: "Bot" });
  assert.equal((await bot.readAgent()).workspace_id, "lab");
  assert.equal((await bot.listAgents()).data.length, 1);
  assert.equal((await directory.changeUser("fay", { email: "fay@test.example" })).email, "fay@test.example");
  assert((await directory.listUsers()).data.some((each) => each.id === "fay"));
  assert.equal((await client.scope({ user: "fay" }).directory.readMe()).id, "fay");
  assert.equal((await client.scope({ user: "fay" }).directory.changeMe({ insight_capture: false })).version > 1, true);
  assert.equal((await directory.exportUser("fay")).subarray(0, 2).join(), "80,75");
  assert((await directory.listKeys()).data.length > 0);
  await directory.deleteUser("fay");
  assert(!(await directory.listUsers()).data.some((each) => each.id === "fay"));
});

test("a session is settled, its job is waited for and undone", async () => {
  const ana = client.scope({ user: "ana", session: "talk" });
  await ana.sessions.append(SAID);
  const rehearsed = await ana.sessions.settle(undefined, { dry_run: true });
  assert("proposals" in rehearsed);
  const settling = await ana.sessions.settle();
  assert("job_id" in settling && settling.job_id);
  const job = await ana.jobs.wait(settling.job_id, { lookEveryMs: 20 });
  assert.equal(job.status, "succeeded");
  const [proposal] = (await ana.proposals.list({ job_id: job.id })).data;
  assert.equal(proposal?.status, "applied");
  assert.equal((await ana.directory.readSession()).id, "talk");
  assert.equal((await ana.jobs.revert(job.id)).reverted.length, 1);
  assert.deepEqual((await ana.memories.list()).data, []);
  assert.equal((await ana.jobs.list({ status: "succeeded" })).data[0]?.id, job.id);
  await assert.rejects(ana.jobs.cancel(job.id), Conflict);
  await assert.rejects(ana.jobs.retry(job.id), Conflict);
  assert.deepEqual((await ana.jobs.llmCalls({ job_id: job.id })).data, []);
});

test("an end to waiting: by time, and by a signal", async () => {
  const queued = new Client({
    url: "http://none",
    key: "k",
    fetch: async () => Response.json({ id: "job_1", status: "queued" }),
  });
  await assert.rejects(queued.jobs.wait("job_1", { timeoutMs: 0, lookEveryMs: 1 }), /still queued/);
  const signal = AbortSignal.timeout(10);
  await assert.rejects(queued.jobs.wait("job_1", { lookEveryMs: 60_000 }, { signal }), { name: "TimeoutError" });
});

test("proposals are edited, accepted and rejected; memory is measured and consolidated", async () => {
  await client.directory.changeOrg({ review_extractions: true });
  const ana = client.scope({ user: "cleo" });
  const found = await ana.memories.extract([...SAID, { role: "user", content: "My name is Cleo." }]);
  const [first, second] = found.proposals;
  assert(first && second);
  assert.equal((await ana.proposals.edit(first.id, { content: "Parks on level 4" })).content, "Parks on level 4");
  assert.equal((await ana.proposals.acceptMany([first.id])).data[0]?.status, "applied");
  await assert.rejects(ana.proposals.accept(first.id), Conflict);
  assert.equal((await ana.proposals.reject(second.id)).status, "rejected");
  assert.equal((await ana.proposals.get(second.id)).status, "rejected");
  await ana.memories.save("a", "I sail on Sundays.");
  await ana.memories.save("b", "On Sundays I sail.");
  assert.equal((await ana.learning.hygiene())["memory"]?.duplicates.count, 1);
  const rehearsal = await ana.learning.consolidate({ kinds: ["duplicates"] });
  assert("proposals" in rehearsal && rehearsal.proposals.length === 1);
});

test("insights", async () => {
  const { insights } = client.scope({ user: "dee" });
  const kept = await insights.save("prefers mornings", { category: "habit" });
  assert("id" in kept);
  assert.equal((await insights.get(kept.id)).insight, "prefers mornings");
  assert.equal((await insights.list({ category: "habit" })).data.length, 1);
  await insights.delete(kept.id);
  await assert.rejects(insights.get(kept.id), NotFound);
  assert.equal((await insights.wipe()).deleted, 0);
});

test("a person is erased by a job; receipts are read and verified", async () => {
  await client.scope({ user: "eve" }).remember("Eve was here.");
  const { job_id } = await client.erasures.erase("eve", { everything: true });
  assert.equal((await client.jobs.read(job_id)).id, job_id);
  assert(Array.isArray((await client.erasures.list()).data));
  const none = `receipt_${"0".repeat(32)}`;
  await assert.rejects(client.erasures.read(none), NotFound);
  await assert.rejects(client.erasures.verify(none), NotFound);
});

test("activity and the service itself", async () => {
  await client.remember("The sky is blue.");
  const [change] = (await client.activity.revisions({ kind: "memory", limit: 1 })).data;
  assert.equal(change?.kind, "memory");
  assert(Array.isArray((await client.activity.stats({ bucket: "day" })).data));
  assert.equal(await client.service.health(), "ok");
  assert.equal((await client.service.ready()).ready, true);
  assert.match(await client.service.metrics(), /^# HELP/);
});

test("a service that is not ready is an answer", async () => {
  const down = new Client({
    url: "http://none",
    key: "k",
    fetch: async () => Response.json({ ready: false, checks: { database: "gone" } }, { status: 503 }),
  });
  assert.deepEqual(await down.service.ready(), { ready: false, checks: { database: "gone" } });
});
