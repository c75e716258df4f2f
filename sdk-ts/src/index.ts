/**
 * The TypeScript client of Holdfast, the memory service for AI agents.
 *
 *     import { Client } from "@holdfast/client";
 *
 *     const ana = new Client().scope({ user: "ana", agent: "support" }); // HOLDFAST_URL and HOLDFAST_API_KEY
 */

export type { AnswerOf, BodyOf, OperationId, QueryOf, RequestOptions, Schemas } from "./calls.js";
export { Client, type ClientOptions, type RecallOptions } from "./client.js";
export { type AskForContext, Context, type ContextOptions } from "./context/context.js";
export type { AnthropicMessage, AnthropicPart, AnthropicPrompt, OpenAIMessage } from "./context/providers.js";
export * from "./errors.js";
export type { ListOf } from "./face.js";
export type { Block, BlockPlace, BlockType } from "./faces/blocks.js";
export type { Instance, MemoryResource, Message, Messages, Said, Validation } from "./faces/conversations.js";
export type { Entry, Hydration, StoredEntry } from "./faces/entries.js";
export type { Job } from "./faces/jobs.js";
export type { Proposal } from "./faces/learning.js";
export type { Memory, MemoryRecallOptions, SavedMemory, SaveOptions } from "./faces/memories.js";
export type { Edge, Graph, Node } from "./faces/nodes.js";
export type { Readiness } from "./faces/service.js";
export type { PathPage, Store, StoreEntry } from "./faces/stores.js";
export { Listing, type Page } from "./pages.js";
export type { Point } from "./points.js";
export type { Retries } from "./retries.js";
export type { Names, Place, Scope } from "./scope.js";
export * as tools from "./tools.js";
export { type Fetch, VERSION } from "./transport.js";
