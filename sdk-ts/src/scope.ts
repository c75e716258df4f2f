/** The scope of a client: the user, workspace, agent, project and session of its calls. */

/** Names that a client is bound to. */
export interface Names {
  /** Sent with every request, as `Holdfast-User`. */
  readonly user?: string;
  /** The agent of calls that name none. */
  readonly agent?: string;
  /** The project of calls that name none. */
  readonly project?: string;
  /** The session of calls that name none. */
  readonly session?: string;
  /** Sent with every request, as `Holdfast-Workspace`. */
  readonly workspace?: string;
}

/** Agent, project and session of one call; they replace those of the client's scope. */
export interface Place {
  agent_id?: string | null;
  project_id?: string | null;
  session_id?: string | null;
}

const NAME = /^[\x21-\x7e]+$/;

export class Scope implements Names {
  readonly user?: string;
  readonly agent?: string;
  readonly project?: string;
  readonly session?: string;
  readonly workspace?: string;

  constructor(names: Names = {}) {
    for (const [name, value] of Object.entries(names)) {
      if (value !== undefined && !NAME.test(value)) {
        throw new TypeError(`${name}: 1–128 characters of A–Z a–z 0–9 _ . : @ -`);
      }
    }
    Object.assign(this, names);
  }

  /** A copy with the given names; `undefined` keeps the present name. */
  narrowed(names: Names): Scope {
    const given = Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined));
    return new Scope({ ...this, ...given });
  }

  /** The given agent, else the scope's; an error if there is neither. */
  mustAgent(agent?: string | null): string {
    const chosen = agent ?? this.agent;
    if (chosen === undefined) {
      throw new TypeError("name an agent: client.scope({agent: …}), or agent_id: … in the call");
    }
    return chosen;
  }

  /** The given session, else the scope's; an error if there is neither. */
  mustSession(session?: string | null): string {
    const chosen = session ?? this.session;
    if (chosen === undefined) {
      throw new TypeError("name a session: client.scope({session: …}), or session_id: … in the call");
    }
    return chosen;
  }

  /** Agent, project and session of a call: the given ones, else the scope's. */
  place(given: Place = {}): { agent_id?: string; project_id?: string; session_id?: string } {
    return {
      agent_id: given.agent_id ?? this.agent,
      project_id: given.project_id ?? this.project,
      session_id: given.session_id ?? this.session,
    };
  }

  /** The headers Holdfast-User and Holdfast-Workspace, as far as they are bound. */
  get headers(): Record<string, string> {
    return {
      ...(this.user === undefined ? {} : { "Holdfast-User": this.user }),
      ...(this.workspace === undefined ? {} : { "Holdfast-Workspace": this.workspace }),
    };
  }
}
