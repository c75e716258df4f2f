/** Context: what to put in a prompt, from every face, in one call and within one budget of tokens. */

import type { BodyOf, RequestOptions, Schemas } from "../calls.js";
import { ASKS, Face } from "../face.js";
import { type AnthropicPrompt, anthropic, type OpenAIMessage, openai } from "./providers.js";

type ContextData = Schemas["Context"];
export type ContextOptions = Omit<BodyOf<"context">, "message">;

/** User memory, reminders, recalled texts, entries and messages for a prompt. */
export class Context implements ContextData {
  readonly type: ContextData["type"];
  readonly user_memory: ContextData["user_memory"];
  readonly system_reminders: ContextData["system_reminders"];
  readonly recalled: ContextData["recalled"];
  readonly entries: ContextData["entries"];
  readonly messages: ContextData["messages"];
  readonly tokens: ContextData["tokens"];
  readonly dropped: ContextData["dropped"];

  constructor(data: ContextData) {
    this.type = data.type;
    this.user_memory = data.user_memory;
    this.system_reminders = data.system_reminders;
    this.recalled = data.recalled;
    this.entries = data.entries;
    this.messages = data.messages;
    this.tokens = data.tokens;
    this.dropped = data.dropped;
  }

  /**
   * Messages for OpenAI's chat API: memory, which changes least, then the conversation.
   *
   * Reminders and recalled texts are put at the start of the last user message, which is `message` unless the conversation
   * ends with it.
   */
  toOpenAI(message?: string): OpenAIMessage[] {
    return openai(this, message);
  }

  /**
   * `system` and `messages` for Anthropic's API: `anthropic.messages.create({ model, ...context.toAnthropic(said) })`.
   *
   * User memory and the messages before the last are marked for prompt caching.
   */
  toAnthropic(message?: string): AnthropicPrompt {
    return anthropic(this, message);
  }
}

/** Asks for contexts. */
export class Contexts extends Face {
  async assemble(message: string, options: ContextOptions = {}, request?: RequestOptions): Promise<Context> {
    const { agent_id, session_id } = this.bound.place(options);
    const body = { ...options, agent_id, session_id, message };
    return new Context(await this.json("context", { body }, request, ASKS));
  }

  userMemory(options: { agent_id?: string } = {}, request?: RequestOptions): Promise<Schemas["UserMemory"]> {
    const query = { agent_id: options.agent_id ?? this.bound.agent };
    return this.json("context.user_memory", { query }, request);
  }
}

/** `client.context(message, …)`, and user memory alone. */
export interface AskForContext {
  /**
   * What to put in a prompt for `message`: user memory, reminders, what recall finds, the agent's entries (with `run_id` the
   * run's too), the conversation.
   *
   * Agent and session are the client's unless the call names others. With a session and a `message_id`, a later call for the
   * same message returns the reminders and recalled texts of the first one.
   */
  (message: string, options?: ContextOptions, request?: RequestOptions): Promise<Context>;
  /** The core blocks as one text for the prompt; the same bytes until a block changes. */
  userMemory(options?: { agent_id?: string }, request?: RequestOptions): Promise<Schemas["UserMemory"]>;
}

export function askForContext(contexts: Contexts): AskForContext {
  return Object.assign(contexts.assemble.bind(contexts), { userMemory: contexts.userMemory.bind(contexts) });
}
