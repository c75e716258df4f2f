/** The example examples/chat.mjs, against a server that speaks OpenAI's chat protocol. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Client } from "@holdfast/client";

interface Prompt {
  stream: boolean;
  messages: { role: string; content: string }[];
}

const asked: Prompt[] = [];
const model = createServer(async (request, response) => {
  asked.push((await json(request)) as Prompt);
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const text of ["Green", " tea", ", ", "Ana – ü."]) {
    const event = Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`);
    response.write(event.subarray(0, event.length - 6)); // a piece may end anywhere, in a character too
    response.write(event.subarray(event.length - 6));
  }
  response.end("data: [DONE]\n\n");
});

before(() => new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve)));
after(() => model.close());

test("the chat puts memory into the prompt and appends the turn", async () => {
  const ana = new Client().scope({ user: "ana" });
  await ana.remember("Ana drinks green tea without sugar.");
  const OPENAI_BASE_URL = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
  const chat = async (said: string) => {
    const env = { ...process.env, OPENAI_BASE_URL };
    return (await promisify(execFile)(process.execPath, ["examples/chat.mjs", "ana", "talk", said], { env })).stdout;
  };

  assert.equal(await chat("Which tea do I drink?"), "Green tea, Ana – ü.\n");
  assert.equal(asked[0]?.stream, true);
  assert.match(String(asked[0]?.messages.at(-1)?.content), /green tea without sugar[^]*Which tea do I drink\?$/);

  await chat("And how?");
  assert.deepEqual(
    asked[1]?.messages.filter(({ role }) => role !== "system").map(({ role }) => role),
    ["user", "assistant", "user"],
  );
  const { messages } = await ana.scope({ session: "talk" }).conversations.read("sessions");
  assert.deepEqual(
    messages.map((each) => each.content),
    ["Which tea do I drink?", "Green tea, Ana – ü.", "And how?", "Green tea, Ana – ü."],
  );
});
