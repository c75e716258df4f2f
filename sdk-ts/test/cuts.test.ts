/** A proxy that cuts connections in the middle of requests and answers: what the client repeats is never applied twice. */

import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { Client, ConnectionFailed } from "@holdfast/client";

/** Cut the connection after so many bytes of the request (`up`) or of the answer (`down`). */
type Cut = readonly ["up" | "down", number];

const target = new URL(process.env["HOLDFAST_URL"] ?? "");
const cuts: Cut[] = [];
const open = new Set<Socket>();
let done = 0;

const proxy = createServer((near) => {
  const far = connect(Number(target.port), target.hostname);
  const [direction, size] = cuts.shift() ?? ["none", 0];
  carry(near, far, direction === "up" ? size : undefined);
  carry(far, near, direction === "down" ? size : undefined);
});

function carry(source: Socket, sink: Socket, budget: number | undefined): void {
  let left = budget;
  open.add(source);
  source.on("data", (data) => {
    if (left !== undefined && data.length >= left) {
      sink.end(data.subarray(0, left));
      done += 1;
      source.destroy();
      return;
    }
    left = left === undefined ? undefined : left - data.length;
    sink.write(data);
  });
  source.on("close", () => sink.destroy());
  source.on("error", () => sink.destroy());
}

before(() => new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve)));
after(() => {
  for (const each of open) {
    each.destroy();
  }
  proxy.close();
});

/** A client through the proxy; each request has a connection of its own, so that the next cut hits the next request. */
function through(most = 2): Client {
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const fetchAlone = (to: string, init: RequestInit) =>
    fetch(to, { ...init, headers: { ...(init.headers as Record<string, string>), connection: "close" } });
  return new Client({ url, retries: { most, firstWaitMs: 1 }, fetch: fetchAlone });
}

for (const cut of [
  ["up", 40],
  ["up", 400],
  ["down", 1],
  ["down", 60],
] as const) {
  test(`a write whose connection was cut ${cut.join(" after ")} bytes is applied once`, async () => {
    const client = through().scope({ user: `cut-${cut.join("-")}`, session: `s-${cut.join("-")}` });
    const before = done;
    cuts.push(cut);
    const saved = await client.memories.save("k", "first", { tags: ["x"] });
    assert.equal(done, before + 1);
    assert.equal(saved.version, 1);
    assert.equal((await client.memories.history(saved.id)).data.length, 1);
    cuts.push(cut, cut);
    await client.sessions.append(["one", "two"]);
    assert.equal(done, before + 3);
    const { messages } = await client.conversations.read("sessions");
    assert.deepEqual(
      messages.map((each) => each.content),
      ["one", "two"],
    );
  });
}

test("a write that is never answered fails after its repeats, and is there once or not at all", async () => {
  const client = through().scope({ user: "never" });
  cuts.push(["down", 1], ["down", 1], ["down", 1]);
  await assert.rejects(client.memories.save("k", "once"), ConnectionFailed);
  assert.equal((await client.memories.list()).data.length, 1);
  assert.equal((await client.memories.list()).data[0]?.version, 1);
});
