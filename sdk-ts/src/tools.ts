/**
 * Memory as tools of a model: schemas for OpenAI and Anthropic, and a dispatcher for the calls that the model makes.
 *
 *     const reply = await openai.chat.completions.create({ model, messages, tools: tools.openai() });
 *     for (const call of reply.choices[0].message.tool_calls ?? []) {
 *       const result = await tools.dispatch(memory, call.function.name, call.function.arguments);
 *     }
 *
 * User, agent and session are the scope of `memory`: no argument that a model supplies can change them.
 */

import type { Client } from "./client.js";
import { HoldfastError } from "./errors.js";

/** A JSON Schema of a tool's argument. */
interface ArgumentSchema {
  type: "string" | "integer" | "array";
  description?: string;
  minimum?: number;
  maximum?: number;
  items?: { type: "string" };
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, ArgumentSchema>>;
  readonly required: readonly string[];
}

type Arguments = Readonly<Record<string, unknown>>;

const text = (description: string): ArgumentSchema => ({ type: "string", description });
const number = (description: string, maximum: number): ArgumentSchema => ({
  type: "integer",
  description,
  minimum: 1,
  maximum,
});

const TOOLS: readonly Tool[] = [
  {
    name: "context",
    description:
      "What memory holds for a message: the user's core facts, reminders and the agent's notes. Call it before answering.",
    properties: {
      message: text("The message to answer."),
      max_tokens: number("The most tokens to return.", 100_000),
    },
    required: ["message"],
  },
  {
    name: "remember",
    description:
      "Save one fact, decision or preference that matters later, as a sentence that is clear without the conversation.",
    properties: {
      text: text("The fact."),
      key: text("A short stable name; saving under the same name again replaces the fact."),
      category: text("A kind of your choice, such as preference or decision."),
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["text"],
  },
  {
    name: "recall",
    description: "Search everything that was remembered, by word and by meaning, best first.",
    properties: {
      query: text("What to look for, as a question or a few words."),
      limit: number("The most results.", 100),
    },
    required: ["query"],
  },
  {
    name: "forget",
    description:
      "Retire a memory that is wrong or no longer wanted, by its id or, for the best match, by a query.",
    properties: { id: text("The id of a recalled memory."), query: text("What the memory says.") },
    required: [],
  },
];

/** The names of the tools. */
export const NAMES: readonly string[] = TOOLS.map(({ name }) => name);

/** The tools for OpenAI's chat API: all, or those named. */
export function openai(...names: string[]) {
  return chosen(names).map((tool) => ({
    type: "function" as const,
    function: { name: tool.name, description: tool.description, parameters: schemaOf(tool) },
  }));
}

/** The tools for Anthropic's API: all, or those named. */
export function anthropic(...names: string[]) {
  return chosen(names).map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: schemaOf(tool),
  }));
}

/**
 * Do what the model asked for; the answer as JSON text for the model.
 *
 * `given` may be the JSON text that OpenAI sends. What the model did wrong (a missing argument, an unknown id) is an answer
 * too: `{"error": …}`. A tool that is not one of these is a RangeError.
 */
export async function dispatch(memory: Client, name: string, given: Arguments | string): Promise<string> {
  const work = WORK[name];
  if (work === undefined) {
    throw new RangeError(`${name} is no memory tool; these are: ${NAMES.join(", ")}`);
  }
  try {
    return JSON.stringify(await work(memory, checked(name, given)));
  } catch (error) {
    if (error instanceof HoldfastError || error instanceof WrongArguments) {
      return JSON.stringify({ error: error.message });
    }
    throw error;
  }
}

/** What is wrong with the arguments that the model supplied. */
class WrongArguments extends Error {}

const WORK: Readonly<Record<string, (memory: Client, given: Arguments) => Promise<unknown>>> = {
  async context(memory, given) {
    const found = await memory.context(String(given["message"]), { max_tokens: given["max_tokens"] as number });
    return {
      user_memory: found.user_memory.content,
      reminders: found.system_reminders.map((each) => each.content),
      recalled: found.recalled.map((each) => each.text),
      notes: Object.fromEntries(found.entries.map((each) => [each.key, each.content])),
    };
  },

  async remember(memory, given) {
    const { text: value, ...options } = given;
    const saved = await memory.remember(String(value), options);
    return { id: saved.id, key: saved.key, saved: saved.created ? "new" : "updated" };
  },

  async recall(memory, given) {
    const found = await memory.recall(String(given["query"]), { limit: (given["limit"] as number) ?? 10 });
    return found.data.map((each) => ({ id: each.id, text: each.text, from: each.kind }));
  },

  async forget(memory, given) {
    if (!given["id"] && !given["query"]) {
      throw new WrongArguments("give an id or a query");
    }
    const wanted = (given["id"] as string) ?? (await bestMemory(memory, String(given["query"])));
    if (wanted === undefined) {
      return { forgotten: null, note: "nothing like that is remembered" };
    }
    const gone = await memory.forget(wanted);
    return { forgotten: gone.id, text: gone.value };
  },
};

async function bestMemory(memory: Client, query: string): Promise<string | undefined> {
  return (await memory.recall(query, { kinds: ["memory"], limit: 1 })).data[0]?.id;
}

function schemaOf(tool: Tool) {
  return {
    type: "object" as const,
    properties: tool.properties,
    required: [...tool.required],
    additionalProperties: false,
  };
}

function chosen(names: readonly string[]): readonly Tool[] {
  const unknown = names.filter((name) => !NAMES.includes(name));
  if (unknown.length > 0) {
    throw new RangeError(`no such tool: ${unknown.join(", ")}; there are ${NAMES.join(", ")}`);
  }
  return TOOLS.filter(({ name }) => names.length === 0 || names.includes(name));
}

/** The arguments as an object that fits the tool's schema; null counts as left out. */
function checked(name: string, given: Arguments | string): Arguments {
  const { properties, required } = TOOLS.find((tool) => tool.name === name) as Tool;
  const found = Object.entries(typeof given === "string" ? parsed(given) : given).filter(([, value]) => value != null);
  for (const [key, value] of found) {
    const wanted = properties[key];
    if (wanted === undefined) {
      throw new WrongArguments(`${key}: no such argument; there are ${Object.keys(properties).join(", ")}`);
    }
    if (!fits(wanted.type, value)) {
      throw new WrongArguments(`${key}: must be of type ${wanted.type}`);
    }
  }
  const missing = required.filter((key) => !found.some(([one]) => one === key));
  if (missing.length > 0) {
    throw new WrongArguments(`missing: ${missing.join(", ")}`);
  }
  return Object.fromEntries(found);
}

function parsed(given: string): Arguments {
  let value: unknown;
  try {
    value = JSON.parse(given || "{}");
  } catch {
    throw new WrongArguments("the arguments are not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new WrongArguments("the arguments must be an object");
  }
  return value as Arguments;
}

function fits(type: ArgumentSchema["type"], value: unknown): boolean {
  if (type === "array") {
    return Array.isArray(value);
  }
  return type === "integer" ? Number.isInteger(value) : typeof value === "string";
}
