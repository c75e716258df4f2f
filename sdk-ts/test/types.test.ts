/** What the compiler refuses: this file compiles only while each marked line is a type error. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type AnswerOf, Client, type Schemas } from "@holdfast/client";

/** Calls that are compiled and never made. */
export async function refused(client: Client): Promise<void> {
  // @ts-expect-error: a field that the API does not have
  await client.memories.save("tea", "green", { importence: 7 });
  // @ts-expect-error: a word that is not one of the field's
  await client.memories.save("tea", "green", { scope: "everybody" });
  // @ts-expect-error: a block of another type
  await client.blocks.read("middle");
  // @ts-expect-error: a write has to say what it expects to find
  await client.blocks.write("core", "text");
  // @ts-expect-error: clearing has to be confirmed
  await client.conversations.clear("sessions", {});
  // @ts-expect-error: a number where the answer has a text
  const version: string = (await client.memories.get("memory_1")).version;
  // @ts-expect-error: a query parameter of another list
  await client.jobs.list({ category: "core" });
  return void version;
}

/** What the compiler knows. */
export async function known(client: Client): Promise<string[]> {
  const saved: AnswerOf<"memories.save"> = await client.remember("x", { expires_at: new Date(), tags: ["a"] });
  const memory: Schemas["Memory"] = saved;
  const found: string[] = [memory.type, memory.updated_at];
  for await (const each of client.stores.list("memstore_1")) {
    found.push(each.path);
  }
  return found;
}

test("the marked calls are type errors, as the compiler has just checked", () => {
  assert.equal(typeof refused, "function");
  assert.equal(typeof known, "function");
});
