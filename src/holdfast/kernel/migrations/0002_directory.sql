-- The directory: workspaces, users, projects and their members, agents, sessions.

CREATE TABLE workspaces (
    org_id      text NOT NULL REFERENCES orgs,
    id          text NOT NULL,
    name        text,
    version     integer NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX workspaces_newest ON workspaces (org_id, created_at, id);
CALL wall_off('workspaces');

CREATE TABLE users (
    org_id          text NOT NULL REFERENCES orgs,
    id              text NOT NULL,
    email           text,
    owner           boolean NOT NULL DEFAULT false,
    password_hash   text,
    totp_secret     text,           -- set at enrolment, in force once totp_confirmed_at is
    totp_confirmed_at timestamptz,
    totp_last_step  bigint,         -- a code opens once
    insight_capture boolean NOT NULL DEFAULT true,
    version         integer NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    UNIQUE (org_id, email)
);
CREATE INDEX users_by_email ON users (email) WHERE email IS NOT NULL;
CREATE INDEX users_newest ON users (org_id, created_at, id);
CALL wall_off('users');
CREATE POLICY signing_in ON users FOR SELECT USING (email = current_proof());

CREATE TABLE projects (
    org_id        text NOT NULL REFERENCES orgs,
    id            text NOT NULL,
    name          text,
    visibility    text NOT NULL DEFAULT 'team' CHECK (visibility IN ('team', 'private')),
    workspace_id  text NOT NULL,
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, workspace_id) REFERENCES workspaces
);
CREATE INDEX projects_newest ON projects (org_id, created_at, id);
CALL wall_off('projects');

CREATE TABLE project_members (
    org_id      text NOT NULL,
    project_id  text NOT NULL,
    user_id     text NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (org_id, project_id, user_id),
    FOREIGN KEY (org_id, project_id) REFERENCES projects ON DELETE CASCADE,
    FOREIGN KEY (org_id, user_id) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX project_members_by_user ON project_members (org_id, user_id);
CALL wall_off('project_members');

CREATE TABLE agents (
    org_id        text NOT NULL REFERENCES orgs,
    id            text NOT NULL,
    name          text,
    workspace_id  text NOT NULL,
    project_id    text,
    memory        jsonb NOT NULL DEFAULT '[]',   -- references to memory resources
    version       integer NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    PRIMARY KEY (org_id, id),
    FOREIGN KEY (org_id, workspace_id) REFERENCES workspaces,
    FOREIGN KEY (org_id, project_id) REFERENCES projects
);
CREATE INDEX agents_newest ON agents (org_id, created_at, id);
CALL wall_off('agents');

CREATE TABLE sessions (
    org_id            text NOT NULL REFERENCES orgs,
    id                text NOT NULL,
    user_id           text,
    agent_id          text,
    project_id        text,
    workspace_id      text NOT NULL,
    last_activity_at  timestamptz NOT NULL,
    settled_at        timestamptz,
    learned_until     timestamptz,    -- the last activity that a settling has read
    settle_job        text,           -- the job that was asked to settle it last
    version           integer NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    PRIMARY KEY (org_id, id)
);
CREATE INDEX sessions_newest ON sessions (org_id, created_at, id);
CALL wall_off('sessions');
