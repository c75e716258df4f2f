/** Learning: sessions that are learned from, and the proposals that come of it. */

import type { AnswerOf, BodyOf, QueryOf, RequestOptions, Schemas } from "../calls.js";
import { Face, type ListOf, ONCE } from "../face.js";
import { type AppendResult, asSent, type Said } from "./conversations.js";

export type Proposal = Schemas["Proposal"];

/** Append to a session, and have it learned from. */
export class Sessions extends Face {
  /** Append up to 100 messages to a session: the given one, else the client's. It is learned from once it rests. */
  append(
    messages: Said | Said[],
    options: { session_id?: string; agent_id?: string; project_id?: string } = {},
    request?: RequestOptions,
  ): Promise<AppendResult> {
    const { agent_id, project_id } = this.bound.place(options);
    const path = { session_id: this.bound.mustSession(options.session_id) };
    const body = { messages: asSent(messages), agent_id, project_id };
    return this.json("sessions.append", { path, body }, request);
  }

  /** Learn from what is new in a session now, by a job; with `dry_run`, only the proposals. */
  settle(
    sessionId?: string,
    options: BodyOf<"sessions.settle"> = {},
    request?: RequestOptions,
  ): Promise<AnswerOf<"sessions.settle">> {
    const path = { session_id: this.bound.mustSession(sessionId) };
    return this.json("sessions.settle", { path, body: options }, request, ONCE);
  }
}

/** List, edit, accept and reject what learning proposes. */
export class Proposals extends Face {
  /** Proposals about the user's memory, newest first. */
  list(query: QueryOf<"proposals.list"> = {}, request?: RequestOptions): ListOf<"proposals.list"> {
    return this.listing("proposals.list", query, (asked) => ({ query: asked }), request);
  }

  /** One proposal. */
  get(proposalId: string, request?: RequestOptions): Promise<Proposal> {
    return this.json("proposals.get", { path: { proposal_id: proposalId } }, request);
  }

  /** Change the text or the place of a proposal that is not decided; otherwise Conflict. */
  edit(proposalId: string, changes: BodyOf<"proposals.edit">, request?: RequestOptions): Promise<Proposal> {
    return this.json("proposals.edit", { path: { proposal_id: proposalId }, body: changes }, request);
  }

  /** Apply a proposal; Conflict, with the proposal as `current`, where it is decided already. */
  accept(proposalId: string, request?: RequestOptions): Promise<Proposal> {
    return this.json("proposals.accept", { path: { proposal_id: proposalId } }, request);
  }

  /** Decide against a proposal; Conflict where it is decided already. */
  reject(proposalId: string, request?: RequestOptions): Promise<Proposal> {
    return this.json("proposals.reject", { path: { proposal_id: proposalId } }, request);
  }

  /** Apply several proposals in one transaction, all or none. */
  acceptMany(ids: string[], request?: RequestOptions): Promise<Schemas["Accepted"]> {
    return this.json("proposals.accept_many", { body: { ids } }, request);
  }
}

/** Consolidate memory, and measure how clean it is. */
export class Learning extends Face {
  /** Propose what to merge, supersede, retire or move; with `dry_run: false` a job does it. */
  consolidate(
    options: BodyOf<"learning.consolidate"> = {},
    request?: RequestOptions,
  ): Promise<AnswerOf<"learning.consolidate">> {
    return this.json("learning.consolidate", { body: { dry_run: true, ...options } }, request, ONCE);
  }

  /** How clean the user's memory is, by kind of row. */
  hygiene(request?: RequestOptions): Promise<Schemas["Hygiene"]> {
    return this.json("learning.hygiene", {}, request);
  }
}
