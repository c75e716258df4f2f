/**
 * Converts a context to messages for a provider, as plain objects; no provider's package is imported.
 *
 * Every stored text goes through `escape`, so that none can imitate a tag of the prompt.
 */

import type { Schemas } from "../calls.js";
import { entries, escape, recalled, reminders } from "./rendering.js";

type ContextData = Schemas["Context"];
type ContextMessage = Schemas["ContextMessage"];

/** A message for OpenAI's chat API. */
export interface OpenAIMessage {
  role: string;
  content: string;
  name?: string;
  tool_calls?: unknown[];
  tool_call_id?: string;
}

/** A part of a message for Anthropic's API. */
export interface AnthropicPart {
  type: string;
  text?: string;
  cache_control?: { type: "ephemeral" };
  [field: string]: unknown;
}

export interface AnthropicMessage {
  role: string;
  content: AnthropicPart[];
}

/** `system` and `messages`, which Anthropic's API keeps apart. */
export interface AnthropicPrompt {
  system: AnthropicPart[];
  messages: AnthropicMessage[];
}

/** Messages for OpenAI's chat API. */
export function openai(context: ContextData, message: string | undefined): OpenAIMessage[] {
  const first = standing(context).map((content) => ({ role: "system", content }));
  const talk = context.messages.map(openaiMessage);
  if (message !== undefined) {
    talk.push({ role: "user", content: escape(message) });
  }
  const found = forThisTurn(context);
  const last = talk.at(-1);
  if (found !== "" && last?.role === "user") {
    talk[talk.length - 1] = { ...last, content: `${found}\n\n${last.content}` };
  } else if (found !== "") {
    talk.push({ role: "user", content: found });
  }
  return [...first, ...talk];
}

/** `system` and `messages` for Anthropic's API. */
export function anthropic(context: ContextData, message: string | undefined): AnthropicPrompt {
  const system = standing(context).map((text) =>
    text === context.user_memory.content ? cached(textPart(text)) : textPart(text),
  );
  system.push(...context.messages.filter(isSystem).map((each) => textPart(escape(each.content))));
  const messages: AnthropicMessage[] = [];
  for (const each of context.messages.filter((one) => !isSystem(one))) {
    join(messages, anthropicMessage(each));
  }
  if (message !== undefined) {
    join(messages, { role: "user", content: [textPart(escape(message))] });
  }
  // The next turn's prompt begins with the same messages.
  const before = messages.at(-2)?.content.at(-1);
  if (before !== undefined) {
    cached(before);
  }
  const found = forThisTurn(context);
  if (found !== "") {
    insertBeforeLastText(messages, found);
  }
  return { system, messages };
}

/** The parts that change least: user memory, then the agent's entries. */
function standing(context: ContextData): string[] {
  return [context.user_memory.content, entries(context.entries)].filter((text) => text !== "");
}

/** Reminders and recalled texts, which change from turn to turn. */
function forThisTurn(context: ContextData): string {
  return [reminders(context.system_reminders), recalled(context.recalled)].filter((text) => text !== "").join("\n");
}

function openaiMessage(each: ContextMessage): OpenAIMessage {
  return {
    role: each.role,
    content: escape(each.content),
    ...(each.name == null ? {} : { name: each.name }),
    ...(each.tool_calls == null ? {} : { tool_calls: each.tool_calls }),
    ...(each.tool_call_id == null ? {} : { tool_call_id: each.tool_call_id }),
  };
}

function anthropicMessage(each: ContextMessage): AnthropicMessage {
  if (each.role === "tool") {
    const result = { type: "tool_result", tool_use_id: each.tool_call_id, content: escape(each.content) };
    return { role: "user", content: [result] };
  }
  const said = each.content === "" ? [] : [textPart(escape(each.content))];
  const calls = (each.tool_calls ?? []) as Record<string, unknown>[];
  return { role: each.role, content: [...said, ...calls.map(toolUse)] };
}

/** A tool call in Anthropic's format, from OpenAI's format or from an object that already has it. */
function toolUse(call: Record<string, unknown>): AnthropicPart {
  const called = (call["function"] ?? call) as Record<string, unknown>;
  const given = called["arguments"] ?? called["input"] ?? {};
  return {
    type: "tool_use",
    id: call["id"] ?? null,
    name: called["name"] ?? null,
    input: typeof given === "string" ? parsed(given) : given,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return { arguments: text };
  }
}

/** Add a message; Anthropic's roles must alternate, so it is joined to the last one of the same role. */
function join(messages: AnthropicMessage[], message: AnthropicMessage): void {
  const last = messages.at(-1);
  if (last?.role === message.role) {
    last.content.push(...message.content);
  } else {
    messages.push(message);
  }
}

/** Insert into the last user message before its text, after tool results: the API requires those first. */
function insertBeforeLastText(messages: AnthropicMessage[], found: string): void {
  const last = messages.at(-1);
  if (last?.role !== "user") {
    messages.push({ role: "user", content: [textPart(found)] });
    return;
  }
  const { content } = last;
  const at = content.at(-1)?.type === "text" ? content.length - 1 : content.length;
  content.splice(at, 0, textPart(found));
}

function isSystem(each: ContextMessage): boolean {
  return each.role === "system";
}

function textPart(text: string): AnthropicPart {
  return { type: "text", text };
}

function cached(part: AnthropicPart): AnthropicPart {
  part.cache_control = { type: "ephemeral" };
  return part;
}
