// Made by scripts/generate.mjs from the OpenAPI document; do not edit.

export interface components {
    schemas: {
        /**
         * Accepted
         * @description The proposals as they are now, in the order asked for.
         */
        Accepted: {
            data: components["schemas"]["Proposal"][];
        };
        /**
         * AcceptMany
         * @description The proposals to accept, all or none.
         */
        AcceptMany: {
            ids: string[];
        };
        /**
         * Actor
         * @description Who made a change, as history tells it.
         */
        Actor: {
            id: string;
            /** @enum {string} */
            type: "api_key" | "user" | "agent" | "job" | "operator";
        };
        /**
         * Agent
         * @description An agent, its workspace, and the memory resources it refers to.
         */
        Agent: {
            /** Format: date-time */
            created_at: string;
            id: string;
            memory: {
                [key: string]: unknown;
            }[];
            name: string | null;
            project_id: string | null;
            /**
             * @default agent
             * @constant
             */
            type: "agent";
            /** Format: date-time */
            updated_at: string;
            version: number;
            workspace_id: string;
        };
        /**
         * AgentPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        AgentPage: {
            data: components["schemas"]["Agent"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * AgentPut
         * @description What an agent is called, its project, its memory resources.
         */
        AgentPut: {
            memory?: components["schemas"]["MemoryReference"][] | null;
            name?: string | null;
            project_id?: string | null;
        };
        /**
         * ApiKey
         * @description An API key as it may be shown: never the key itself.
         */
        ApiKey: {
            agent_id: string | null;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            id: string;
            /** @enum {string} */
            kind: "service" | "user" | "agent";
            name: string | null;
            prefix: string;
            requests_per_minute: number | null;
            revoked_at: string | null;
            /**
             * @default api_key
             * @constant
             */
            type: "api_key";
            user_id: string | null;
            workspace_id: string | null;
        };
        /**
         * ApiKeyPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        ApiKeyPage: {
            data: components["schemas"]["ApiKey"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * Append
         * @description Messages to add: a text (one user message), one message, or up to 100.
         */
        Append: {
            agent_id?: string | null;
            key?: string | null;
            messages: string | components["schemas"]["NewMessage"] | (string | components["schemas"]["NewMessage"])[];
            project_id?: string | null;
            session_id?: string | null;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * AppendResult
         * @description The answer to an append or a write; the counts are those after the flush, where one ran.
         */
        AppendResult: {
            appended: number;
            duplicates: number;
            flush: components["schemas"]["FlushResult"] | null;
            not_persisted: number;
            not_persisted_reasons: components["schemas"]["NotPersisted"][];
            token_count: number;
            total_count: number;
        };
        /**
         * Asset
         * @description A file attached to a memory; its bytes are in the object store.
         */
        Asset: {
            content_type: string;
            /** Format: date-time */
            created_at: string;
            id: string;
            name: string;
            sha256: string;
            size: number;
        };
        /**
         * AssetPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        AssetPage: {
            data: components["schemas"]["Asset"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * Block
         * @description One text about a user, for every agent (`user`) or for one of them (`agent`).
         */
        Block: {
            agent_id: string | null;
            /** @enum {string} */
            block_type: "core" | "archival";
            characters: number;
            content: string;
            /** Format: date-time */
            created_at: string;
            entries: number;
            id: string;
            /** @enum {string} */
            scope: "user" | "agent";
            /**
             * @default memory_block
             * @constant
             */
            type: "memory_block";
            /** Format: date-time */
            updated_at: string;
            version: number;
        };
        /**
         * BlockRestore
         * @description Which version to bring back, and the stamp of the block it replaces.
         */
        BlockRestore: {
            /** @description the `updated_at` last read; null when the block is deleted */
            expected_updated_at: (string | Date) | null;
            version: number;
        };
        /**
         * BlockRevision
         * @description A block as it stood after one change; of a removal, or once redacted, there is no content.
         */
        BlockRevision: {
            action: string;
            actor: components["schemas"]["Actor"];
            /** @enum {string} */
            block_type: "core" | "archival";
            characters: number | null;
            content: string | null;
            /** Format: date-time */
            created_at: string;
            entries: number | null;
            id: string;
            request_id: string | null;
            /**
             * @default memory_block_revision
             * @constant
             */
            type: "memory_block_revision";
            user_id: string | null;
            version: number;
            version_id: string;
        };
        /**
         * BlockRevisionPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        BlockRevisionPage: {
            data: components["schemas"]["BlockRevision"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * Blocks
         * @description Some blocks.
         */
        Blocks: {
            data: components["schemas"]["Block"][];
        };
        /**
         * BlockWrite
         * @description The new text of a block, and the stamp of the one it replaces.
         */
        BlockWrite: {
            content: string;
            /** @description the `updated_at` last read; null when there is no block yet */
            expected_updated_at: (string | Date) | null;
        };
        /**
         * Clear
         * @description Yes, all of them.
         */
        Clear: {
            agent_id?: string | null;
            /** @default false */
            backup?: boolean;
            /** @default false */
            confirm?: boolean;
            key?: string | null;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Cleared
         * @description How many messages were taken out, and the copy of them.
         */
        Cleared: {
            backup_id: string | null;
            messages_cleared: number;
        };
        /**
         * Code
         * @description A code of the authenticator app.
         */
        Code: {
            totp: string;
        };
        /**
         * ConsolidateAsk
         * @description What to look for, and whether to change anything.
         */
        ConsolidateAsk: {
            /**
             * @description show the proposals, change nothing
             * @default true
             */
            dry_run?: boolean;
            /**
             * @default [
             *       "duplicates",
             *       "contradictions",
             *       "expired",
             *       "unused",
             *       "core"
             *     ]
             */
            kinds?: ("duplicates" | "contradictions" | "expired" | "unused" | "core")[];
        };
        /**
         * Consolidation
         * @description The job that consolidates.
         */
        Consolidation: {
            job_id: string;
        };
        /**
         * ConsolidationRehearsal
         * @description What consolidating would propose.
         */
        ConsolidationRehearsal: {
            proposals: components["schemas"]["Proposal"][];
        };
        /**
         * Context
         * @description What to put in a prompt.
         */
        Context: {
            dropped: components["schemas"]["Dropped"][];
            entries: components["schemas"]["Entry"][];
            messages: components["schemas"]["ContextMessage"][];
            recalled: components["schemas"]["RecalledText"][];
            system_reminders: components["schemas"]["Reminder"][];
            tokens: components["schemas"]["Tokens"];
            /**
             * @default context
             * @constant
             */
            type: "context";
            user_memory: components["schemas"]["UserMemory"];
        };
        /**
         * ContextAsk
         * @description The turn a prompt is being made for.
         */
        ContextAsk: {
            agent_id?: string | null;
            conversation?: components["schemas"]["ConversationAsked"] | null;
            max_tokens?: number | null;
            memory_policy?: components["schemas"]["PolicyAsked"] | null;
            /** @description what the user said */
            message: string;
            message_id?: string | null;
            /** @description whose tokens to count */
            model?: string | null;
            recall?: components["schemas"]["RecallAsked"] | null;
            /** @description with the entries of this run of the agent */
            run_id?: string | null;
            session_id?: string | null;
        };
        /**
         * ContextMessage
         * @description A message of the conversation.
         */
        ContextMessage: {
            content: string;
            created_at?: string | null;
            id: string;
            metadata?: {
                [key: string]: unknown;
            } | null;
            name?: string | null;
            role: string;
            tokens: number;
            tool_call_id?: string | null;
            tool_calls?: unknown[] | null;
            /** @default message */
            type: string;
        };
        /**
         * ConversationAsked
         * @description Which conversation to read: by its key, or by variables for the template of its resource.
         */
        ConversationAsked: {
            key?: string | null;
            resource_id: string;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Deletion
         * @description Which memories were erased, or on a dry run would be.
         */
        Deletion: {
            deleted: number;
            /** @default false */
            dry_run: boolean;
            ids: string[];
        };
        /**
         * DeletionBody
         * @description Which memories to delete: those named, or those that a filter finds.
         */
        DeletionBody: {
            /** @default false */
            dry_run?: boolean;
            filter?: components["schemas"]["FilterBody"] | null;
            ids?: string[] | null;
        };
        /**
         * Dropped
         * @description What was left out of a part, and why: `max_tokens` (this call's), `budget_bytes` (hydration's), `window` (the
         *     conversation is longer than a context looks back) or `unresolved` (a resource the agent refers to, whose key this call
         *     does not tell: nobody knows how many messages it has). `ids` names each where it is known.
         */
        Dropped: {
            count: number;
            ids: string[];
            /** @enum {string} */
            part: "user_memory" | "system_reminders" | "recalled" | "entries" | "messages";
            /** @enum {string} */
            reason: "max_tokens" | "budget_bytes" | "window" | "unresolved";
            tokens: number | null;
        };
        /**
         * Edge
         * @description One node's relation to another.
         */
        Edge: {
            /** Format: date-time */
            created_at: string;
            from: string;
            id: string;
            relation: string;
            to: string;
            /**
             * @default memory_edge
             * @constant
             */
            type: "memory_edge";
            /** Format: date-time */
            updated_at: string;
            valid_from: string | null;
            valid_to: string | null;
            version: number;
            weight: number;
        };
        /**
         * EdgeBody
         * @description A relation of one node to another.
         */
        EdgeBody: {
            from: string;
            relation: string;
            to: string;
            valid_from?: (string | Date) | null;
            valid_to?: (string | Date) | null;
            weight?: number | null;
        };
        /**
         * Entry
         * @description One fact under its key. `agent_id` is who stored it last: of a workspace's entry, any of its agents.
         *
         *     `user_id` is the user that an entry with scope `user` belongs to; any other entry has none.
         */
        Entry: {
            agent_id: string;
            category: string;
            content: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            id: string;
            key: string;
            run_id: string | null;
            /** @enum {string} */
            scope: "agent" | "user";
            size: number;
            tags: string[];
            /**
             * @default memory_entry
             * @constant
             */
            type: "memory_entry";
            /** Format: date-time */
            updated_at: string;
            user_id: string | null;
            version: number;
            workspace_id: string;
        };
        /**
         * EntryBatch
         * @description Entries to store, each by itself: an item that is not as EntryBatchItem has it is reported and skipped.
         */
        EntryBatch: {
            entries: unknown[];
            run_id?: string | null;
        };
        /**
         * EntryBatchResult
         * @description How many items of a batch were stored, each one's result, and the keys that were evicted for them.
         */
        EntryBatchResult: {
            evicted: string[];
            results: components["schemas"]["ItemResult"][];
            skipped: number;
            stored: number;
        };
        /**
         * EntryCreate
         * @description A text and where it lies.
         */
        EntryCreate: {
            content: string;
            metadata?: {
                [key: string]: string;
            };
            path: string;
        };
        /**
         * EntryPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        EntryPage: {
            data: components["schemas"]["Entry"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * EntryPrefix
         * @description Stands in a list for all entries below a path, with a trailing slash.
         */
        EntryPrefix: {
            path: string;
            /**
             * @default memory_prefix
             * @constant
             */
            type: "memory_prefix";
        };
        /**
         * EntryPut
         * @description What to store under the key.
         */
        EntryPut: {
            /** @default core */
            category?: string;
            content: string;
            expected_version?: number | null;
            run_id?: string | null;
            /**
             * @description `user`: seen by those who act for this user alone
             * @default agent
             * @enum {string}
             */
            scope?: "agent" | "user";
            tags?: string[] | null;
        };
        /**
         * EntryRestore
         * @description The version to bring back, and the version that the entry was read at.
         */
        EntryRestore: {
            version: number;
            version_id: string;
        };
        /**
         * EntryRestoreBody
         * @description Which version to bring back.
         */
        EntryRestoreBody: {
            /** @description as the query parameter */
            scope?: ("agent" | "user") | null;
            version: number;
        };
        /**
         * EntryRevision
         * @description An entry as it stood after one change; of a removal, or once redacted, there is no content.
         *
         *     `user_id` is the user that the change was made for.
         */
        EntryRevision: {
            action: string;
            actor: components["schemas"]["Actor"];
            category: string | null;
            content: string | null;
            /** Format: date-time */
            created_at: string;
            id: string;
            key: string;
            request_id: string | null;
            tags: string[] | null;
            /**
             * @default memory_entry_revision
             * @constant
             */
            type: "memory_entry_revision";
            user_id: string | null;
            version: number;
            version_id: string;
        };
        /**
         * EntryRevisionPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        EntryRevisionPage: {
            data: components["schemas"]["EntryRevision"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * EntryUpdate
         * @description What an entry becomes, and the version it was read at.
         */
        EntryUpdate: {
            content: string;
            metadata?: {
                [key: string]: string;
            } | null;
            path?: string | null;
            version: number;
        };
        /**
         * EntryVersion
         * @description An entry as it was after one change; `user_id` is the user that the change was made for.
         */
        EntryVersion: {
            /** @enum {string} */
            action: "created" | "updated" | "deleted";
            actor: components["schemas"]["Actor"];
            content?: string | null;
            content_sha256: string;
            /** Format: date-time */
            created_at: string;
            entry_id: string;
            entry_path: string;
            id: string;
            redacted: boolean;
            redacted_at?: string | null;
            size: number;
            store_id: string;
            /**
             * @default memory_version
             * @constant
             */
            type: "memory_version";
            user_id: string | null;
            version: number;
        };
        /**
         * EntryVersionPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        EntryVersionPage: {
            data: components["schemas"]["EntryVersion"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * EraseBody
         * @description How much goes: `everything` also deletes what the person wrote into shared memory.
         */
        EraseBody: {
            /** @default false */
            everything?: boolean;
        };
        /**
         * ErasureJob
         * @description The job that erases: its id. GET /jobs/{job_id} has its progress and, at the end, the receipt's id.
         */
        ErasureJob: {
            job_id: string;
        };
        /**
         * EveryRecallBody
         * @description What to recall over every face, and in which form.
         */
        EveryRecallBody: {
            agent_id?: string | null;
            /** @default false */
            explain?: boolean;
            /** @default false */
            graph?: boolean;
            /** @description explain those that are not found, in `misses` */
            ids?: string[];
            kinds?: ("block_line" | "entry" | "memory" | "node_item" | "store_entry" | "summary" | "flushed")[] | null;
            /** @default 10 */
            limit?: number;
            max_tokens?: number | null;
            min_score?: number | null;
            /** @description leave out memories that are trusted less */
            min_trust?: ("user" | "assistant" | "tool" | "import") | null;
            /**
             * @default hybrid
             * @enum {string}
             */
            mode?: "hybrid" | "lexical" | "semantic";
            /** @description what `last week` is relative to */
            now?: (string | Date) | null;
            project_id?: string | null;
            query: string;
            session_id?: string | null;
        };
        /**
         * Example
         * @description Two rows that say the same.
         */
        Example: {
            contents: string[];
            ids: string[];
        };
        /**
         * Explanation
         * @description What the score is made of: the parts sum to the total.
         */
        Explanation: {
            parts: {
                [key: string]: number;
            };
            total: number;
        };
        /**
         * ExtractAsk
         * @description Messages to learn from; they are not kept.
         */
        ExtractAsk: {
            agent_id?: string | null;
            /** @default false */
            dry_run?: boolean;
            messages: string | components["schemas"]["NewMessage"] | (string | components["schemas"]["NewMessage"])[];
            session_id?: string | null;
        };
        /**
         * Extraction
         * @description What messages were made into, and how much of it was written.
         */
        Extraction: {
            applied: number;
            proposals: components["schemas"]["Proposal"][];
        };
        /**
         * FileDiff
         * @description What became of one path between two moments; `old_path` where it was renamed.
         */
        FileDiff: {
            /** @enum {string} */
            action: "created" | "updated" | "deleted";
            diff: string;
            old_path?: string | null;
            path: string;
            /** @default false */
            redacted: boolean;
        };
        /**
         * FilterBody
         * @description Which memories to delete, as the list's filters say it.
         */
        FilterBody: {
            agent_id?: string | null;
            category?: string | null;
            /** @default false */
            include_expired?: boolean;
            /** @default false */
            include_superseded?: boolean;
            min_importance?: number | null;
            min_trust?: ("user" | "assistant" | "tool" | "import") | null;
            pinned?: boolean | null;
            project_id?: string | null;
            scope?: ("global" | "project" | "agent") | null;
            session_id?: string | null;
            source?: string | null;
            tag?: string | null;
        };
        /**
         * Findings
         * @description How many, and the first few.
         */
        Findings: {
            /** @default 0 */
            count: number;
            /** Examples */
            examples: components["schemas"]["Example"][];
        };
        /**
         * Flush
         * @description How to flush.
         */
        Flush: {
            agent_id?: string | null;
            /** @default false */
            dry_run?: boolean;
            /** @default false */
            force?: boolean;
            key?: string | null;
            strategy?: ("simple_fifo" | "lru" | "token_aware_lru" | "hybrid_summary") | null;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * FlushResult
         * @description What a flush did, or would do on a dry run.
         */
        FlushResult: {
            /** @enum {string} */
            actual_strategy: "simple_fifo" | "lru" | "token_aware_lru" | "hybrid_summary";
            flushed: boolean;
            job_id?: string | null;
            message_count: number;
            removed: number;
            /**
             * @default done
             * @enum {string}
             */
            status: "done" | "scheduled";
            summary_generated: boolean;
            token_count: number;
            would_flush?: boolean | null;
        };
        /**
         * Forgotten
         * @description Whether there was anything to forget.
         */
        Forgotten: {
            forgotten: boolean;
        };
        /**
         * Graph
         * @description Some nodes, and the edges between them.
         */
        Graph: {
            edges: components["schemas"]["Edge"][];
            nodes: components["schemas"]["Node"][];
        };
        /**
         * Health
         * @description Whether an instance can be written to, and will last.
         */
        Health: {
            durable: boolean;
            healthy: boolean;
            last_flush: components["schemas"]["LastFlush"] | null;
            near_limit: boolean;
            pending_flush: boolean;
        };
        /**
         * HydratedRun
         * @description A run that has just started, with what its agent sees.
         */
        HydratedRun: {
            agent_id: string;
            ended_at: string | null;
            hydration?: components["schemas"]["Hydration"] | null;
            run_id: string;
            /** Format: date-time */
            started_at: string;
            /**
             * @default run
             * @constant
             */
            type: "run";
        };
        /**
         * Hydration
         * @description What an agent sees when a run starts, newest first. `etag` stays while the texts and their order do.
         */
        Hydration: {
            budget_bytes: number;
            data: components["schemas"]["Entry"][];
            dropped_bytes: number;
            dropped_entries: number;
            etag: string;
            used_bytes: number;
        };
        /**
         * Hygiene
         * @description The state of what memory holds for a user or an agent, by kind of row.
         */
        Hygiene: {
            block: components["schemas"]["KindHygiene"];
            entry: components["schemas"]["KindHygiene"];
            memory: components["schemas"]["KindHygiene"];
            node_item: components["schemas"]["KindHygiene"];
        };
        /**
         * Imported
         * @description What an import did to each path.
         */
        Imported: {
            created: number;
            deleted: number;
            unchanged: number;
            updated: number;
        };
        /**
         * ImportResult
         * @description What an import changed.
         */
        ImportResult: {
            deleted: number;
            evicted: string[];
            expired: number;
            unchanged: number;
            upserted: number;
        };
        /**
         * Insight
         * @description Something learned about a user.
         */
        Insight: {
            category: string;
            confidence: number;
            /** Format: date-time */
            created_at: string;
            id: string;
            insight: string;
            metadata: {
                [key: string]: unknown;
            };
            source: string;
            /**
             * @default insight
             * @constant
             */
            type: "insight";
            /** Format: date-time */
            updated_at: string;
            user_id: string;
            version: number;
        };
        /**
         * InsightBody
         * @description Something learned about the user.
         */
        InsightBody: {
            /** @default general */
            category?: string;
            /** @default 1 */
            confidence?: number;
            insight: string;
            metadata?: {
                [key: string]: unknown;
            };
            /** @default conversation */
            source?: string;
        };
        /**
         * InsightPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        InsightPage: {
            data: components["schemas"]["Insight"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * InstanceDeleted
         * @description Whether there was an instance to delete.
         */
        InstanceDeleted: {
            deleted: boolean;
        };
        /**
         * InstanceRow
         * @description One instance in a list.
         */
        InstanceRow: {
            agent_id: string | null;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            id: string;
            key: string;
            message_count: number;
            token_count: number;
            /**
             * @default conversation
             * @constant
             */
            type: "conversation";
            /** Format: date-time */
            updated_at: string;
            user_id: string | null;
        };
        /**
         * InstanceRowPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        InstanceRowPage: {
            data: components["schemas"]["InstanceRow"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * ItemBody
         * @description Something to say of a node.
         */
        ItemBody: {
            content: string;
            memory_id?: string | null;
            /** @default manual */
            source?: string;
        };
        /**
         * ItemError
         * @description Why an item of a batch was not stored.
         */
        ItemError: {
            code: string;
            detail: string;
        };
        /**
         * ItemResult
         * @description Whether one item of a batch was stored.
         */
        ItemResult: {
            error?: components["schemas"]["ItemError"] | null;
            key: string | null;
            /** @enum {string} */
            status: "stored" | "invalid" | "refused";
        };
        /**
         * Job
         * @description One piece of work: what kind, about what, and how it went.
         */
        Job: {
            attempts: number;
            /** Format: date-time */
            created_at: string;
            error: string | null;
            extractor: string | null;
            finished_at: string | null;
            id: string;
            kind: string;
            not_before: string | null;
            result: {
                [key: string]: unknown;
            } | null;
            started_at: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            subject: string;
            tokens: number;
            /**
             * @default job
             * @constant
             */
            type: "job";
            /** Format: date-time */
            updated_at: string;
            version: number;
        };
        /**
         * JobPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        JobPage: {
            data: components["schemas"]["Job"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * KeptObject
         * @description An object that stays as it is, and why.
         */
        KeptObject: {
            id: string;
            /** @enum {string} */
            kind: "block" | "memory" | "entry" | "node" | "node_item" | "node_edge";
            reason: string;
        };
        /**
         * KeyCreate
         * @description The key to mint.
         */
        KeyCreate: {
            agent_id?: string | null;
            expires_at?: (string | Date) | null;
            /** @enum {string} */
            kind: "service" | "user" | "agent";
            name?: string | null;
            requests_per_minute?: number | null;
            user_id?: string | null;
            workspace_id?: string | null;
        };
        /**
         * KindHygiene
         * @description The state of one kind of row. Duplicates and contradictions are those among the newest `compared` rows.
         */
        KindHygiene: {
            /** @default 0 */
            compared: number;
            /** @default 0 */
            contradictions: number;
            duplicates: components["schemas"]["Findings"];
            /** @default 0 */
            never_recalled: number;
            /** @default 0 */
            quarantined: number;
            /** @default 0 */
            rows: number;
            /** @default 0 */
            stale: number;
            /** @default 0 */
            superseded: number;
            /** @default 0 */
            without_source: number;
        };
        /**
         * LastError
         * @description What went wrong last, until a flush succeeds.
         */
        LastError: {
            /** Format: date-time */
            at: string;
            code: string;
            message: string;
        };
        /**
         * LastFlush
         * @description The flush before now.
         */
        LastFlush: {
            /** Format: date-time */
            at: string;
            message_count: number;
            removed: number;
            /** @enum {string} */
            strategy: "simple_fifo" | "lru" | "token_aware_lru" | "hybrid_summary";
            summary_generated: boolean;
            token_count: number;
        };
        /**
         * LineEdit
         * @description One line to add (`new_line` alone), to replace (both) or to remove (`old_line` alone).
         */
        LineEdit: {
            new_line?: string | null;
            /** @description the line to replace or remove, as it is */
            old_line?: string | null;
        };
        /**
         * LineRecall
         * @description What to look for in the archive.
         */
        LineRecall: {
            /** @description look in this agent's archive too */
            agent_id?: string | null;
            /** @default 10 */
            limit?: number;
            min_score?: number | null;
            /** @description empty lists the lines */
            query: string;
        };
        /**
         * LinkLogin
         * @description The token of a one-time link.
         */
        LinkLogin: {
            token: string;
        };
        /**
         * LlmCall
         * @description One call: purpose, model, tokens, outcome. While it runs, `tokens` is the most that it may use.
         */
        LlmCall: {
            error: string | null;
            finished_at: string | null;
            id: string;
            input_tokens: number;
            job_id: string | null;
            kind: string;
            model: string;
            output_tokens: number;
            /** Format: date-time */
            started_at: string;
            /** @enum {string} */
            status: "running" | "succeeded" | "failed";
            /**
             * @default llm_call
             * @constant
             */
            type: "llm_call";
        };
        /**
         * LlmCallPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        LlmCallPage: {
            data: components["schemas"]["LlmCall"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * Login
         * @description An account's proof.
         */
        Login: {
            email: string;
            password: string;
            totp?: string | null;
        };
        /**
         * Matched
         * @description Which arms found it, and by which words of the query.
         */
        Matched: {
            arms: string[];
            terms: string[];
        };
        /**
         * MeChange
         * @description What a user decides about itself.
         */
        MeChange: {
            insight_capture?: boolean | null;
        };
        /**
         * Memory
         * @description One memory as it is now.
         */
        Memory: {
            agent_id: string | null;
            assets: components["schemas"]["Asset"][];
            category: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            id: string;
            importance: number;
            key: string;
            node_ids: string[];
            pinned: boolean;
            project_id: string | null;
            /** @enum {string} */
            scope: "global" | "project" | "agent";
            session_id: string | null;
            source: string;
            sources: components["schemas"]["Source"][];
            summary: string | null;
            superseded_by: string | null;
            tags: string[];
            /** @enum {string} */
            trust: "user" | "assistant" | "tool" | "import";
            /**
             * @default memory_row
             * @constant
             */
            type: "memory_row";
            /** Format: date-time */
            updated_at: string;
            user_id: string | null;
            valid_from: string | null;
            valid_to: string | null;
            value: string;
            version: number;
            workspace_id: string | null;
        };
        /**
         * MemoryBatch
         * @description What became of a batch, item by item, in the order given.
         */
        MemoryBatch: {
            results: components["schemas"]["MemoryBatchResult"][];
            skipped: number;
            stored: number;
        };
        /**
         * MemoryBatchResult
         * @description What became of one memory of a batch.
         */
        MemoryBatchResult: {
            /** @default false */
            created: boolean;
            error?: {
                [key: string]: unknown;
            } | null;
            id?: string | null;
            index: number;
            key: string | null;
            /** @enum {string} */
            status: "stored" | "invalid" | "refused";
            version?: number | null;
        };
        /**
         * MemoryBatchSave
         * @description Up to 1,000 memories to save in one transaction.
         */
        MemoryBatchSave: {
            memories: components["schemas"]["MemorySave"][];
        };
        /**
         * MemoryChange
         * @description What to change about a memory; a field that is left out stays, and null clears an optional one.
         */
        MemoryChange: {
            category?: string;
            expires_at?: (string | Date) | null;
            importance?: number;
            key?: string;
            pinned?: boolean;
            source?: string;
            summary?: string | null;
            superseded_by?: string | null;
            tags?: string[];
            trust?: "user" | "assistant" | "tool" | "import";
            valid_from?: (string | Date) | null;
            valid_to?: (string | Date) | null;
            value?: string;
        };
        /**
         * MemoryPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        MemoryPage: {
            data: components["schemas"]["Memory"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * MemoryRecallBody
         * @description What to recall of memories, and in which form.
         */
        MemoryRecallBody: {
            agent_id?: string | null;
            category?: string | null;
            /** @default false */
            explain?: boolean;
            /** @default false */
            graph?: boolean;
            /** @description explain those that are not found, in `misses` */
            ids?: string[];
            /** @default 5 */
            limit?: number;
            max_tokens?: number | null;
            min_score?: number | null;
            min_trust?: ("user" | "assistant" | "tool" | "import") | null;
            /**
             * @default hybrid
             * @enum {string}
             */
            mode?: "hybrid" | "lexical" | "semantic";
            /** @description what `last week` is relative to */
            now?: (string | Date) | null;
            project_id?: string | null;
            q: string;
            session_id?: string | null;
            tag?: string | null;
        };
        /**
         * MemoryReference
         * @description A memory resource that an agent reads, and perhaps writes.
         */
        MemoryReference: {
            id: string;
            key?: string | null;
            /**
             * @default read-write
             * @enum {string}
             */
            mode?: "read-write" | "read-only";
        };
        /**
         * MemoryResource
         * @description A memory resource as its author wrote it, and its revision and times.
         */
        MemoryResource: {
            /** Format: date-time */
            created_at: string;
            id: string;
            revision: number;
            /** Format: date-time */
            updated_at: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * MemoryResourcePage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        MemoryResourcePage: {
            data: components["schemas"]["MemoryResource"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * MemoryRestore
         * @description The version to bring back.
         */
        MemoryRestore: {
            version: number;
        };
        /**
         * MemorySave
         * @description A memory to save under its key. What is left out takes its default, or stays where the key is held already.
         */
        MemorySave: {
            agent_id?: string | null;
            /** @default fact */
            category?: string;
            /**
             * @default update
             * @enum {string}
             */
            dedupe?: "update" | "create";
            expires_at?: (string | Date) | null;
            /** @default 5 */
            importance?: number;
            key: string;
            /** @default false */
            pinned?: boolean;
            project_id?: string | null;
            /**
             * @default global
             * @enum {string}
             */
            scope?: "global" | "project" | "agent";
            session_id?: string | null;
            /** @default manual */
            source?: string;
            sources?: components["schemas"]["SourceBody"][];
            summary?: string | null;
            superseded_by?: string | null;
            tags?: string[];
            /**
             * @default user
             * @enum {string}
             */
            trust?: "user" | "assistant" | "tool" | "import";
            valid_from?: (string | Date) | null;
            valid_to?: (string | Date) | null;
            value: string;
        };
        /**
         * MergeBody
         * @description The node that survives.
         */
        MergeBody: {
            into: string;
        };
        /**
         * Message
         * @description A message as it is read; `flushed_at` where a flush took it out.
         */
        Message: {
            content: string;
            /** Format: date-time */
            created_at: string;
            flushed_at?: string | null;
            id: string;
            metadata: {
                [key: string]: unknown;
            };
            name?: string | null;
            /** @enum {string} */
            role: "user" | "assistant" | "system" | "tool";
            tokens: number;
            tool_call_id?: string | null;
            tool_calls?: unknown[] | null;
            /** @default message */
            type: string;
        };
        /**
         * Messages
         * @description Part of a message list, oldest first.
         */
        Messages: {
            has_more: boolean;
            messages: components["schemas"]["Message"][];
            total_count: number;
        };
        /**
         * Miss
         * @description Why an object that was asked about is not among the results.
         */
        Miss: {
            detail: string;
            id: string;
            /** @enum {string} */
            reason: "expired" | "superseded" | "no_match" | "below_floor" | "crowded_out" | "not_embedded" | "not_found";
        };
        /**
         * NewKey
         * @description An API key on the one occasion it is shown.
         */
        NewKey: {
            key: string;
            key_id: string;
            /** @enum {string} */
            kind: "service" | "user" | "agent";
        };
        /**
         * NewMessage
         * @description A message. Fields that are not listed here are kept under `metadata.raw`.
         */
        NewMessage: {
            /** @description may be empty or left out with tool_calls */
            content?: string | null;
            created_at?: (string | Date) | null;
            id?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            name?: string | null;
            /** @enum {string} */
            role: "user" | "assistant" | "system" | "tool";
            tool_call_id?: string | null;
            tool_calls?: {
                [key: string]: unknown;
            }[] | null;
            /** @default message */
            type?: string;
        } & {
            [key: string]: unknown;
        };
        /**
         * NewPassword
         * @description A password to set.
         */
        NewPassword: {
            password: string;
        };
        /**
         * Node
         * @description A person, a topic, an event: something that memories are about.
         *
         *     `visibility` says who sees it: the user that made it (`user_id`), a project, or the whole org.
         */
        Node: {
            aliases: string[];
            /** Format: date-time */
            created_at: string;
            id: string;
            items: components["schemas"]["NodeItem"][];
            kind: string;
            name: string;
            project_id: string | null;
            summary: string | null;
            /**
             * @default memory_node
             * @constant
             */
            type: "memory_node";
            /** Format: date-time */
            updated_at: string;
            user_id: string | null;
            version: number;
            /** @enum {string} */
            visibility: "user" | "project" | "org";
        };
        /**
         * NodeBody
         * @description A node to make.
         */
        NodeBody: {
            aliases?: string[];
            items?: components["schemas"]["ItemBody"][];
            /** @default entity */
            kind?: string;
            name: string;
            /** @description the project, for visibility `project` */
            project_id?: string | null;
            summary?: string | null;
            /**
             * @description who sees it: the user, a project, the org
             * @default user
             * @enum {string}
             */
            visibility?: "user" | "project" | "org";
        };
        /**
         * NodeChange
         * @description What to change about a node; a field that is left out stays, and a null takes the summary away.
         */
        NodeChange: {
            aliases?: string[];
            kind?: string;
            name?: string;
            summary?: string | null;
        };
        /**
         * NodeItem
         * @description A fact about a node; one with a `memory_id` is seen only by those who also see that memory.
         */
        NodeItem: {
            content: string;
            /** Format: date-time */
            created_at: string;
            id: string;
            memory_id: string | null;
            source: string;
        };
        /**
         * NodePage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        NodePage: {
            data: components["schemas"]["Node"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * NotPersisted
         * @description A message that was not kept, and why.
         */
        NotPersisted: {
            id: string | null;
            index: number;
            reason: string;
        };
        /**
         * NotStored
         * @description The user does not want insights to be captured.
         */
        NotStored: {
            /**
             * @default capture_off
             * @constant
             */
            reason: "capture_off";
            /**
             * @default false
             * @constant
             */
            stored: false;
        };
        /**
         * Org
         * @description A tenant and its settings.
         */
        Org: {
            /** Format: date-time */
            created_at: string;
            id: string;
            language: string;
            llm_tokens_per_day: number | null;
            name: string;
            recall_weights: {
                [key: string]: number;
            } | null;
            redact_patterns: string[];
            review_extractions: boolean;
            /**
             * @default org
             * @constant
             */
            type: "org";
            /** Format: date-time */
            updated_at: string;
            version: number;
            workspaces_enabled: boolean;
        };
        /**
         * OrgChange
         * @description What to change about the org; a field that is left out stays.
         */
        OrgChange: {
            language?: string | null;
            llm_tokens_per_day?: number | null;
            name?: string | null;
            recall_weights?: components["schemas"]["RecallWeights"] | null;
            /** @description RE2: masked in messages before anything learns from them */
            redact_patterns?: string[] | null;
            review_extractions?: boolean | null;
            workspaces_enabled?: boolean | null;
        };
        /**
         * PastMemory
         * @description One change of a memory, and the row as it was after it.
         */
        PastMemory: {
            action: string;
            actor: components["schemas"]["Actor"];
            agent_id?: string | null;
            category: string;
            /** Format: date-time */
            created_at: string;
            expires_at?: string | null;
            id: string;
            importance: number;
            key: string;
            pinned: boolean;
            project_id?: string | null;
            /** @enum {string} */
            scope: "global" | "project" | "agent";
            session_id?: string | null;
            source: string;
            sources: components["schemas"]["Source"][];
            summary?: string | null;
            superseded_by?: string | null;
            tags: string[];
            /** @enum {string} */
            trust: "user" | "assistant" | "tool" | "import";
            /**
             * @default memory_row
             * @constant
             */
            type: "memory_row";
            /** Format: date-time */
            updated_at: string;
            user_id?: string | null;
            valid_from?: string | null;
            valid_to?: string | null;
            value: string;
            version: number;
            version_id: string;
            workspace_id?: string | null;
        };
        /**
         * PastMemoryPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        PastMemoryPage: {
            data: components["schemas"]["PastMemory"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * PathPage
         * @description One page of a store by path; `next_path` goes into `after_path` for the next one.
         */
        PathPage: {
            data: (components["schemas"]["StoreEntry"] | components["schemas"]["EntryPrefix"])[];
            has_more: boolean;
            next_path: string | null;
        };
        /**
         * Person
         * @description Who is signed in.
         */
        Person: {
            id: string;
            org_id: string;
            owner: boolean;
        };
        /**
         * PolicyAsked
         * @description How memory should reach the agent.
         */
        PolicyAsked: {
            /** @default 10 */
            archival_limit?: number;
            archival_min_score?: number | null;
            /**
             * @default tool_only
             * @enum {string}
             */
            archival_mode?: "tool_only" | "auto" | "off";
            /** @default true */
            include_agent_core?: boolean;
            /** @default true */
            include_user_core?: boolean;
        };
        /**
         * Popped
         * @description The message that was taken off, and how many are left.
         */
        Popped: {
            message: components["schemas"]["Message"] | null;
            total_count: number;
        };
        /**
         * Project
         * @description Where people share memories: every user of the org (`team`) or its members (`private`).
         */
        Project: {
            /** Format: date-time */
            created_at: string;
            id: string;
            members: string[];
            name: string | null;
            /**
             * @default project
             * @constant
             */
            type: "project";
            /** Format: date-time */
            updated_at: string;
            version: number;
            /** @enum {string} */
            visibility: "team" | "private";
            workspace_id: string;
        };
        /**
         * ProjectPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        ProjectPage: {
            data: components["schemas"]["Project"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * ProjectPut
         * @description What a project is called, who sees it, where it lives.
         */
        ProjectPut: {
            name?: string | null;
            visibility?: ("team" | "private") | null;
            workspace_id?: string | null;
        };
        /**
         * Proposal
         * @description One proposal, as it is shown.
         */
        Proposal: {
            /** @enum {string} */
            action: "add" | "update" | "supersede" | "merge" | "retire" | "none";
            agent_id?: string | null;
            before?: string | null;
            block_type?: string | null;
            confidence: number;
            content: string;
            /** Format: date-time */
            created_at: string;
            extractor?: string | null;
            id: string;
            job_id?: string | null;
            key?: string | null;
            kind: string;
            project_id?: string | null;
            reason: string;
            result?: components["schemas"]["Result"] | null;
            scope?: string | null;
            session_id?: string | null;
            sources: components["schemas"]["Source"][];
            /** @enum {string} */
            status: "pending" | "applied" | "rejected" | "quarantined" | "reverted";
            supersedes?: string | null;
            /** @enum {string} */
            target: "block" | "memory" | "entry" | "node_item";
            /** @enum {string} */
            trust: "user" | "assistant" | "tool" | "import";
            /**
             * @default proposal
             * @constant
             */
            type: "proposal";
            /** Format: date-time */
            updated_at: string;
            valid_from?: string | null;
            version: number;
        };
        /**
         * ProposalEdit
         * @description What to change about a proposal; what is left out stays.
         */
        ProposalEdit: {
            content?: string;
            target?: "block" | "memory" | "entry" | "node_item";
        };
        /**
         * ProposalPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        ProposalPage: {
            data: components["schemas"]["Proposal"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * Readiness
         * @description Whether the service is ready, and each dependency by name: `ok`, or what is wrong with it.
         */
        Readiness: {
            checks: {
                [key: string]: string;
            };
            ready: boolean;
        };
        /**
         * RecallAsked
         * @description What the message itself should recall.
         */
        RecallAsked: {
            kinds?: ("memory" | "node_item" | "store_entry" | "summary")[] | null;
            /** @default 8 */
            limit?: number;
            /** @default 0.3 */
            min_score?: number;
            /** @description leave out memories that are trusted less */
            min_trust?: ("user" | "assistant" | "tool" | "import") | null;
            /**
             * @default auto
             * @enum {string}
             */
            mode?: "auto" | "off";
        };
        /**
         * RecalledEntries
         * @description What a recall answers; `misses` for the ids that were asked about and are not in `data`.
         */
        RecalledEntries: {
            data: components["schemas"]["RecalledEntry"][];
            misses: components["schemas"]["Miss"][];
            tokens: number;
        };
        /**
         * RecalledEntry
         * @description An entry that was recalled, by its best passage, and how.
         */
        RecalledEntry: {
            explain?: components["schemas"]["Explanation"] | null;
            id: string;
            /** @default store_entry */
            kind: string;
            matched: components["schemas"]["Matched"];
            object: components["schemas"]["StoreEntry"];
            score: number;
            text: string;
        };
        /**
         * RecalledLine
         * @description A line of an archive that a query found; without a query it has no score.
         */
        RecalledLine: {
            agent_id: string | null;
            /** @enum {string} */
            block_type: "core" | "archival";
            content: string;
            line_number: number;
            /** @enum {string} */
            scope: "user" | "agent";
            score: number | null;
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * RecalledLines
         * @description What a query found, best first.
         */
        RecalledLines: {
            data: components["schemas"]["RecalledLine"][];
        };
        /**
         * RecalledMemories
         * @description What a recall answers; `misses` for the ids that were asked about and are not in `data`.
         */
        RecalledMemories: {
            data: components["schemas"]["RecalledMemory"][];
            misses: components["schemas"]["Miss"][];
            tokens: number;
        };
        /**
         * RecalledMemory
         * @description A memory that was recalled, and how.
         */
        RecalledMemory: {
            agent_id: string | null;
            assets: components["schemas"]["Asset"][];
            category: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            explain?: components["schemas"]["Explanation"] | null;
            id: string;
            importance: number;
            key: string;
            matched: components["schemas"]["Matched"];
            node_ids: string[];
            pinned: boolean;
            project_id: string | null;
            /** @enum {string} */
            scope: "global" | "project" | "agent";
            score: number;
            session_id: string | null;
            source: string;
            sources: components["schemas"]["Source"][];
            summary: string | null;
            superseded_by: string | null;
            tags: string[];
            /** @enum {string} */
            trust: "user" | "assistant" | "tool" | "import";
            /**
             * @default memory_row
             * @constant
             */
            type: "memory_row";
            /** Format: date-time */
            updated_at: string;
            user_id: string | null;
            valid_from: string | null;
            valid_to: string | null;
            value: string;
            version: number;
            workspace_id: string | null;
        };
        /**
         * RecalledText
         * @description What recall found for the message: the best passage of one object, since when it holds, and where it comes from.
         */
        RecalledText: {
            id: string;
            /** @enum {string} */
            kind: "memory" | "node_item" | "store_entry" | "summary";
            score: number;
            source: string;
            text: string;
            /** Format: date-time */
            when: string;
        };
        /**
         * RecalledThing
         * @description Something that was recalled: its best passage, itself, and how it was found.
         */
        RecalledThing: {
            explain?: components["schemas"]["Explanation"] | null;
            id: string;
            /** @enum {string} */
            kind: "block_line" | "entry" | "memory" | "node_item" | "store_entry" | "summary" | "flushed";
            matched: components["schemas"]["Matched"];
            object: unknown;
            score: number;
            text: string;
        };
        /**
         * RecalledThings
         * @description What a recall answers; `misses` for the ids that were asked about and are not in `data`.
         */
        RecalledThings: {
            data: components["schemas"]["RecalledThing"][];
            misses: components["schemas"]["Miss"][];
            tokens: number;
        };
        /**
         * RecallWeights
         * @description How much each part may add to a recall's score; what is left out keeps its default.
         */
        RecallWeights: {
            actor?: number | null;
            close_reading?: number | null;
            importance?: number | null;
            lexical?: number | null;
            pinned?: number | null;
            preference?: number | null;
            recency?: number | null;
            semantic?: number | null;
            session?: number | null;
            spoken_by_user?: number | null;
            temporal?: number | null;
        };
        /**
         * Receipt
         * @description What is left of an erasure: counts, digests and times; nothing of the person but a salted digest of the id.
         */
        Receipt: {
            backups: {
                [key: string]: unknown;
            }[];
            completed_at: string | null;
            counts: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            erased_at: string;
            everything: boolean;
            files: {
                [key: string]: unknown;
            } | null;
            hashes: {
                [key: string]: string;
            };
            id: string;
            outside: {
                [key: string]: unknown;
            };
            person_sha256: string;
            pseudonym: string;
            salt: string;
            sha256: string | null;
            /**
             * @default erasure_receipt
             * @constant
             */
            type: "erasure_receipt";
        };
        /**
         * ReceiptPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        ReceiptPage: {
            data: components["schemas"]["Receipt"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * RecordedChange
         * @description One change of one object: who made it, for which user, in which job.
         */
        RecordedChange: {
            action: string;
            actor: components["schemas"]["Actor"];
            /** Format: date-time */
            created_at: string;
            id: string;
            job_id: string | null;
            kind: string;
            object_id: string;
            user_id: string | null;
            version: number;
        };
        /**
         * RecordedChangePage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        RecordedChangePage: {
            data: components["schemas"]["RecordedChange"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * Rehearsed
         * @description What settling would propose.
         */
        Rehearsed: {
            proposals: components["schemas"]["Proposal"][];
        };
        /**
         * Reminder
         * @description Something the model should have in mind for this turn, without the user seeing it said.
         */
        Reminder: {
            content: string;
            score: number;
            source: components["schemas"]["ReminderSource"];
        };
        /**
         * ReminderSource
         * @description The memory a reminder came from: a line of an archive, as it stood then.
         */
        ReminderSource: {
            agent_id: string | null;
            /** @enum {string} */
            block_type: "core" | "archival";
            /**
             * @default block_line
             * @constant
             */
            kind: "block_line";
            line_number: number;
            /** @enum {string} */
            scope: "user" | "agent";
            /** Format: date-time */
            updated_at: string;
        };
        /**
         * Resolve
         * @description Variables for the key's template.
         */
        Resolve: {
            agent_id?: string | null;
            variables: {
                [key: string]: unknown;
            };
        };
        /**
         * Resolved
         * @description The key that variables make.
         */
        Resolved: {
            key: string;
        };
        /**
         * ResourceFault
         * @description What is wrong with a field of a resource; in YAML, in which line.
         */
        ResourceFault: {
            field: string;
            line?: number | null;
            message: string;
        };
        /**
         * ResourceValidation
         * @description The faults that were found; without faults, the resources with defaults filled in.
         */
        ResourceValidation: {
            errors: components["schemas"]["ResourceFault"][];
            resources: {
                [key: string]: unknown;
            }[];
            valid: boolean;
        };
        /**
         * Restore
         * @description Which copy to bring back.
         */
        Restore: {
            agent_id?: string | null;
            backup_id: string;
            key?: string | null;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Restored
         * @description How many messages were restored, and the counts afterwards.
         */
        Restored: {
            restored: number;
            token_count: number;
            total_count: number;
        };
        /**
         * Result
         * @description The row that a proposal became, or that says the same already.
         */
        Result: {
            id: string;
            version?: number | null;
        };
        /**
         * Reverted
         * @description What undoing a job came to.
         */
        Reverted: {
            job_id: string;
            kept: components["schemas"]["KeptObject"][];
            reverted: components["schemas"]["RevertedObject"][];
        };
        /**
         * RevertedObject
         * @description An object that is again what it was before the job.
         */
        RevertedObject: {
            id: string;
            /** @enum {string} */
            kind: "block" | "memory" | "entry" | "node" | "node_item" | "node_edge";
        };
        /**
         * Run
         * @description One run of an agent; `conversation` entries live as long as it does.
         */
        Run: {
            agent_id: string;
            ended_at: string | null;
            run_id: string;
            /** Format: date-time */
            started_at: string;
            /**
             * @default run
             * @constant
             */
            type: "run";
        };
        /**
         * RunStart
         * @description How to start a run.
         */
        RunStart: {
            /** @default 262144 */
            budget_bytes?: number;
            /**
             * @description also answer what the agent sees
             * @default false
             */
            hydrate?: boolean;
        };
        /**
         * SavedMemory
         * @description A memory as a save left it; `created` unless it was there.
         */
        SavedMemory: {
            agent_id: string | null;
            assets: components["schemas"]["Asset"][];
            category: string;
            created: boolean;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            id: string;
            importance: number;
            key: string;
            node_ids: string[];
            pinned: boolean;
            project_id: string | null;
            /** @enum {string} */
            scope: "global" | "project" | "agent";
            session_id: string | null;
            source: string;
            sources: components["schemas"]["Source"][];
            summary: string | null;
            superseded_by: string | null;
            tags: string[];
            /** @enum {string} */
            trust: "user" | "assistant" | "tool" | "import";
            /**
             * @default memory_row
             * @constant
             */
            type: "memory_row";
            /** Format: date-time */
            updated_at: string;
            user_id: string | null;
            valid_from: string | null;
            valid_to: string | null;
            value: string;
            version: number;
            workspace_id: string | null;
        };
        /**
         * Session
         * @description A conversation's thread through everything: whose, with which agent, in which project.
         */
        Session: {
            agent_id: string | null;
            conversations: components["schemas"]["SessionConversation"][];
            /** Format: date-time */
            created_at: string;
            id: string;
            /** Format: date-time */
            last_activity_at: string;
            project_id: string | null;
            settled_at: string | null;
            settled_through: components["schemas"]["SettledThrough"][];
            /**
             * @default session
             * @constant
             */
            type: "session";
            /** Format: date-time */
            updated_at: string;
            user_id: string | null;
            version: number;
            workspace_id: string;
        };
        /**
         * SessionAppend
         * @description Messages of a session: a text (one user message), one message, or up to 100.
         */
        SessionAppend: {
            agent_id?: string | null;
            messages: string | components["schemas"]["NewMessage"] | (string | components["schemas"]["NewMessage"])[];
            project_id?: string | null;
        };
        /**
         * SessionConversation
         * @description A conversation that messages of a session were appended to.
         */
        SessionConversation: {
            key: string;
            last_activity_at: string;
            resource_id: string;
        };
        /**
         * SettleAsk
         * @description How to settle.
         */
        SettleAsk: {
            /**
             * @description show the proposals, change nothing
             * @default false
             */
            dry_run?: boolean;
        };
        /**
         * SettledThrough
         * @description The last message of a conversation that was learned from.
         */
        SettledThrough: {
            key: string;
            message_id: string;
            resource_id: string;
        };
        /**
         * Settling
         * @description The job that settles a session; without one there was nothing new.
         */
        Settling: {
            job_id: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "nothing_new";
        };
        /**
         * Share
         * @description One part of the budget.
         */
        Share: {
            limit: number;
            share: number;
            used: number;
        };
        /**
         * SignedIn
         * @description A browser that has signed in: who, and what its writes must carry.
         */
        SignedIn: {
            csrf_token: string;
            /** Format: date-time */
            expires_at: string;
            step_up_expires_at: string | null;
            /**
             * @default browser_session
             * @constant
             */
            type: "browser_session";
            user: components["schemas"]["Person"];
        };
        /**
         * Source
         * @description A link to what produced a memory.
         */
        Source: {
            /** @enum {string} */
            kind: "message" | "session" | "entry" | "url";
            quote?: string | null;
            ref: string;
        };
        /**
         * SourceBody
         * @description A link to what produced a memory.
         */
        SourceBody: {
            /** @enum {string} */
            kind: "message" | "session" | "entry" | "url";
            quote?: string | null;
            ref: string;
        };
        /**
         * SourceList
         * @description The sources of a memory.
         */
        SourceList: {
            data: components["schemas"]["Source"][];
        };
        /**
         * SourceRemoval
         * @description Which sources to take away.
         */
        SourceRemoval: {
            kind?: ("message" | "session" | "entry" | "url") | null;
            ref?: string | null;
        };
        /**
         * Stats
         * @description How full an instance is.
         */
        Stats: {
            allocation: {
                [key: string]: components["schemas"]["Share"];
            };
            last_error: components["schemas"]["LastError"] | null;
            last_flush: components["schemas"]["LastFlush"] | null;
            message_count: number;
            role_distribution: {
                [key: string]: number;
            };
            token_count: number;
            token_limit: number | null;
            token_utilization: number;
            tokenizer: components["schemas"]["TokenizerUsed"];
            tokens_until_flush: number | null;
            ttl_remaining: number | null;
        };
        /**
         * StepUp
         * @description The password or a code, given again.
         */
        StepUp: {
            password?: string | null;
            totp?: string | null;
        };
        /**
         * Store
         * @description A memory store. Its version and updated_at are its own: they do not move with its entries.
         *
         *     `created_by` is the user that made it, to whom a `private` store belongs.
         */
        Store: {
            archived_at?: string | null;
            /** Format: date-time */
            created_at: string;
            created_by: string | null;
            description: string;
            entry_count: number;
            id: string;
            metadata: {
                [key: string]: string;
            };
            name: string;
            read_only: boolean;
            /** @enum {string} */
            status: "active" | "archived";
            total_size: number;
            /**
             * @default memory_store
             * @constant
             */
            type: "memory_store";
            /** Format: date-time */
            updated_at: string;
            version: number;
            /** @enum {string} */
            visibility: "org" | "private";
        };
        /**
         * StoreChange
         * @description What to change about a store; what is left out stays, a null in the metadata removes its key.
         */
        StoreChange: {
            description?: string | null;
            metadata?: {
                [key: string]: string | null;
            } | null;
            name?: string | null;
            read_only?: boolean | null;
            visibility?: ("org" | "private") | null;
        };
        /**
         * StoreCreate
         * @description A new store.
         */
        StoreCreate: {
            /** @default  */
            description?: string;
            metadata?: {
                [key: string]: string;
            };
            name: string;
            /**
             * @description user and agent keys only read its entries
             * @default false
             */
            read_only?: boolean;
            /**
             * @description `private`: for the user that makes it alone
             * @default org
             * @enum {string}
             */
            visibility?: "org" | "private";
        };
        /**
         * StoredEntry
         * @description An entry as it was just stored: whether its key is new, and the keys that were evicted for it.
         */
        StoredEntry: {
            agent_id: string;
            category: string;
            content: string;
            /** @default false */
            created: boolean;
            /** Format: date-time */
            created_at: string;
            evicted: string[];
            expires_at: string | null;
            id: string;
            key: string;
            run_id: string | null;
            /** @enum {string} */
            scope: "agent" | "user";
            size: number;
            tags: string[];
            /**
             * @default memory_entry
             * @constant
             */
            type: "memory_entry";
            /** Format: date-time */
            updated_at: string;
            user_id: string | null;
            version: number;
            workspace_id: string;
        };
        /**
         * StoreDiff
         * @description What changed between two moments, by path.
         */
        StoreDiff: {
            files: components["schemas"]["FileDiff"][];
        };
        /**
         * StoredInsight
         * @description An insight as its save answers.
         */
        StoredInsight: {
            category: string;
            confidence: number;
            /** Format: date-time */
            created_at: string;
            id: string;
            insight: string;
            metadata: {
                [key: string]: unknown;
            };
            source: string;
            /**
             * @default true
             * @constant
             */
            stored: true;
            /**
             * @default insight
             * @constant
             */
            type: "insight";
            /** Format: date-time */
            updated_at: string;
            user_id: string;
            version: number;
        };
        /**
         * StoreEntry
         * @description A text at a path; lists leave its content out.
         */
        StoreEntry: {
            content?: string | null;
            content_sha256: string;
            /** Format: date-time */
            created_at: string;
            id: string;
            metadata: {
                [key: string]: string;
            };
            path: string;
            size: number;
            store_id: string;
            /**
             * @default memory
             * @constant
             */
            type: "memory";
            /** Format: date-time */
            updated_at: string;
            version: number;
        };
        /**
         * StorePage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        StorePage: {
            data: components["schemas"]["Store"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * StoreRecallBody
         * @description What to recall in a store, and in which form.
         */
        StoreRecallBody: {
            /** @default false */
            explain?: boolean;
            /** @description explain those that are not found, in `misses` */
            ids?: string[];
            /** @default 10 */
            limit?: number;
            max_tokens?: number | null;
            min_score?: number | null;
            /**
             * @default hybrid
             * @enum {string}
             */
            mode?: "hybrid" | "lexical" | "semantic";
            /** @description what `last week` is relative to */
            now?: (string | Date) | null;
            query: string;
        };
        /**
         * TextDiff
         * @description What changed from one state of an object to another, as a unified diff; empty where nothing did.
         *
         *     A version is None where the object was not made yet. `redacted`: the content of one of the two is gone for good.
         */
        TextDiff: {
            diff: string;
            from_version: number | null;
            /** @default false */
            redacted: boolean;
            to_version: number | null;
        };
        /**
         * TokenizerUsed
         * @description What counts the tokens; `fallback` when it is not the model's own.
         */
        TokenizerUsed: {
            encoding: string;
            fallback: boolean;
        };
        /**
         * Tokens
         * @description What each part costs, and all of them.
         */
        Tokens: {
            entries: number;
            messages: number;
            recalled: number;
            system_reminders: number;
            total: number;
            user_memory: number;
        };
        /**
         * TotpEnrolment
         * @description A secret for an authenticator app; in force once it was confirmed with a code.
         */
        TotpEnrolment: {
            otpauth_uri: string;
            secret: string;
        };
        /**
         * UsageBucket
         * @description What one face was used for in one span of time. `hit_rate` is null without a recall, `latency_ms` without a call.
         */
        UsageBucket: {
            /** Format: date-time */
            at: string;
            evictions: number;
            face: string;
            hit_rate: number | null;
            latency_ms: number | null;
            recalls: number;
            tokens: number;
            writes: number;
        };
        /**
         * UsageOverTime
         * @description Numbers by bucket and face, oldest first; a bucket in which a face was not used is left out.
         */
        UsageOverTime: {
            data: components["schemas"]["UsageBucket"][];
        };
        /**
         * User
         * @description A person of the org.
         */
        User: {
            /** Format: date-time */
            created_at: string;
            email: string | null;
            id: string;
            insight_capture: boolean;
            owner: boolean;
            /** @enum {string} */
            role: "owner" | "member";
            totp_enabled: boolean;
            /**
             * @default user
             * @constant
             */
            type: "user";
            /** Format: date-time */
            updated_at: string;
            version: number;
        };
        /**
         * UserChange
         * @description What to change about a user; what is left out stays, and null takes the e-mail address away.
         */
        UserChange: {
            email?: string | null;
            role?: ("owner" | "member") | null;
        };
        /**
         * UserCreate
         * @description A user to register.
         */
        UserCreate: {
            email?: string | null;
            /**
             * @default member
             * @enum {string}
             */
            role?: "owner" | "member";
            user_id: string;
        };
        /**
         * UserMemory
         * @description The core blocks as the model reads them; `etag` and text stay until the memory changes.
         */
        UserMemory: {
            content: string;
            etag: string;
            tokens: number;
        };
        /**
         * UserPage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        UserPage: {
            data: components["schemas"]["User"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * Verdict
         * @description What a check of a receipt found. `left` counts, by table and column, rows that carry the person's id and were there
         *     when it was erased; `since` counts rows that were written later under the same id.
         */
        Verdict: {
            backups: {
                [key: string]: unknown;
            }[];
            complete: boolean;
            intact: boolean;
            left: {
                [key: string]: number;
            };
            ok: boolean;
            receipt: string;
            since: {
                [key: string]: number;
            };
        };
        /**
         * Which
         * @description Which instance: its key, or the variables its key is made of.
         */
        Which: {
            agent_id?: string | null;
            key?: string | null;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        /**
         * Wiped
         * @description How many insights were erased.
         */
        Wiped: {
            deleted: number;
        };
        /**
         * Workspace
         * @description A part of an org; agents live in one.
         */
        Workspace: {
            /** Format: date-time */
            created_at: string;
            id: string;
            name: string | null;
            /**
             * @default workspace
             * @constant
             */
            type: "workspace";
            /** Format: date-time */
            updated_at: string;
            version: number;
        };
        /**
         * WorkspacePage
         * @description One page, newest first; `has_more` tells of the direction that was asked for.
         */
        WorkspacePage: {
            data: components["schemas"]["Workspace"][];
            first_id: string | null;
            has_more: boolean;
            last_id: string | null;
        };
        /**
         * WorkspacePut
         * @description A workspace's name.
         */
        WorkspacePut: {
            name?: string | null;
        };
        /**
         * Write
         * @description Messages to put in the place of all.
         */
        Write: {
            agent_id?: string | null;
            key?: string | null;
            messages: string | components["schemas"]["NewMessage"] | (string | components["schemas"]["NewMessage"])[];
            project_id?: string | null;
            session_id?: string | null;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    "directory.list_agents": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentPage"];
                };
            };
        };
    };
    "directory.read_agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    "directory.put_agent": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentPut"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
        };
    };
    "entries.diff": {
        parameters: {
            query: {
                /** @description only what is of this category */
                category?: string;
                /** @description a version, or a time */
                from: number | (string | Date);
                /** @description the current run */
                run_id?: string;
                /** @description `user`: only this user's with the agent; `agent`: all others */
                scope?: "agent" | "user";
                /** @description a version, or a time */
                to: number | (string | Date);
            };
            header?: never;
            path: {
                agent_id: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextDiff"];
                };
            };
        };
    };
    "entries.list": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                /** @description only what is of this category */
                category?: string;
                limit?: number;
                /** @description part of a key or content */
                query?: string;
                /** @description the current run */
                run_id?: string;
                /** @description repeatable; all must hold */
                tag?: string[];
                updated_after?: string | Date;
                updated_before?: string | Date;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryPage"];
                };
            };
        };
    };
    "entries.store_batch": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryBatch"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryBatchResult"];
                };
            };
        };
    };
    "entries.export": {
        parameters: {
            query?: {
                /** @description `agent`: the agent's own entries; `user`: this user's with it */
                scope?: "agent" | "user";
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": Uint8Array;
                    "application/zip": Uint8Array;
                };
            };
        };
    };
    "entries.import_zip": {
        parameters: {
            query?: {
                mode?: "upsert" | "replace";
                /** @description `agent`: the agent's own entries; `user`: this user's with it */
                scope?: "agent" | "user";
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        /** @description a zip */
        requestBody: {
            content: {
                "application/octet-stream": Uint8Array;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResult"];
                };
            };
        };
    };
    "entries.recall": {
        parameters: {
            query?: {
                /** @description as it stood at this instant */
                as_of?: string | Date;
                /** @description the current run */
                run_id?: string;
                /** @description `user`: only this user's with the agent; `agent`: all others */
                scope?: "agent" | "user";
            };
            header?: never;
            path: {
                agent_id: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                    "text/markdown": string;
                };
            };
        };
    };
    "entries.store": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryPut"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredEntry"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredEntry"];
                };
            };
        };
    };
    "entries.forget": {
        parameters: {
            query?: {
                /** @description only what is of this category */
                category?: string;
                /** @description the current run */
                run_id?: string;
                /** @description `user`: only this user's with the agent; `agent`: all others */
                scope?: "agent" | "user";
            };
            header?: never;
            path: {
                agent_id: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forgotten"];
                };
            };
        };
    };
    "entries.history": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                /** @description only what is of this category */
                category?: string;
                limit?: number;
                /** @description the current run */
                run_id?: string;
                /** @description `user`: only this user's with the agent; `agent`: all others */
                scope?: "agent" | "user";
            };
            header?: never;
            path: {
                agent_id: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryRevisionPage"];
                };
            };
        };
    };
    "entries.hydrate": {
        parameters: {
            query?: {
                budget_bytes?: number;
                /** @description the current run */
                run_id?: string;
            };
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hydration"];
                };
            };
        };
    };
    "entries.restore": {
        parameters: {
            query?: {
                /** @description only what is of this category */
                category?: string;
                /** @description the current run */
                run_id?: string;
                /** @description `user`: only this user's with the agent; `agent`: all others */
                scope?: "agent" | "user";
            };
            header?: never;
            path: {
                agent_id: string;
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryRestoreBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredEntry"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredEntry"];
                };
            };
        };
    };
    "entries.start_run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunStart"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HydratedRun"] | components["schemas"]["Run"];
                };
            };
        };
    };
    "entries.end_run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    "auth.login_by_link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LinkLogin"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    "auth.login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    "auth.logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.set_password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    "auth.step_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StepUp"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    "auth.propose_totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpEnrolment"];
                };
            };
        };
    };
    "auth.drop_totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "auth.confirm_totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Code"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "learning.consolidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ConsolidateAsk"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsolidationRehearsal"] | components["schemas"]["Consolidation"];
                };
            };
            /** @description A job consolidates. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consolidation"];
                };
            };
        };
    };
    context: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContextAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Context"];
                };
            };
        };
    };
    "context.user_memory": {
        parameters: {
            query?: {
                /** @description with this agent's core too */
                agent_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserMemory"];
                };
            };
        };
    };
    "conversations.append": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Append"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendResult"];
                };
            };
        };
    };
    "conversations.clear": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Clear"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Cleared"];
                };
            };
        };
    };
    "conversations.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Which"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceDeleted"];
                };
            };
        };
    };
    "conversations.flush": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Flush"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlushResult"];
                };
            };
        };
    };
    "conversations.health": {
        parameters: {
            query?: {
                /** @description speak as this agent */
                agent_id?: string;
                /** @description the instance */
                key?: string;
                /** @description in place of key: a JSON object */
                variables?: string;
            };
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    "conversations.list_instances": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description those of every owner (service keys) */
                all?: boolean;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
            };
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceRowPage"];
                };
            };
        };
    };
    "conversations.pop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Which"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Popped"];
                };
            };
        };
    };
    "conversations.read": {
        parameters: {
            query?: {
                /** @description speak as this agent */
                agent_id?: string;
                /** @description also what flushes took out */
                include_flushed?: boolean;
                /** @description the instance */
                key?: string;
                limit?: number;
                offset?: number;
                /** @description the newest so many */
                tail?: number;
                /** @description in place of key: a JSON object */
                variables?: string;
            };
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Messages"];
                };
            };
        };
    };
    "conversations.resolve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Resolve"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resolved"];
                };
            };
        };
    };
    "conversations.restore": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Restore"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Restored"];
                };
            };
        };
    };
    "conversations.stats": {
        parameters: {
            query?: {
                /** @description speak as this agent */
                agent_id?: string;
                /** @description the instance */
                key?: string;
                /** @description in place of key: a JSON object */
                variables?: string;
            };
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stats"];
                };
            };
        };
    };
    "conversations.write": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Write"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendResult"];
                };
            };
        };
    };
    "erasures.list": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiptPage"];
                };
            };
        };
    };
    "erasures.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                receipt_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
        };
    };
    "erasures.verify": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                receipt_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verdict"];
                };
            };
        };
    };
    "learning.hygiene": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hygiene"];
                };
            };
        };
    };
    "insights.list": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                category?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InsightPage"];
                };
            };
        };
    };
    "insights.save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InsightBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotStored"];
                };
            };
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredInsight"] | components["schemas"]["NotStored"];
                };
            };
        };
    };
    "insights.wipe": {
        parameters: {
            query?: {
                category?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Wiped"];
                };
            };
        };
    };
    "insights.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                insight_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
        };
    };
    "insights.delete": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                insight_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "jobs.list": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
                status?: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
        };
    };
    "jobs.read": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.retry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.revert": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reverted"];
                };
            };
        };
    };
    "directory.list_keys": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
        };
    };
    "auth.create_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    "auth.revoke_key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "jobs.llm_calls": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                /** @description of this job alone */
                job_id?: string;
                limit?: number;
                status?: "running" | "succeeded" | "failed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LlmCallPage"];
                };
            };
        };
    };
    "memories.list": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description speak for this agent */
                agent_id?: string;
                /** @description as they stood at this instant */
                as_of?: string | Date;
                /** @description the page of newer ones before this id */
                before_id?: string;
                category?: string;
                include_expired?: boolean;
                include_superseded?: boolean;
                limit?: number;
                min_importance?: number;
                min_trust?: "user" | "assistant" | "tool" | "import";
                pinned?: boolean;
                /** @description speak from this project */
                project_id?: string;
                scope?: "global" | "project" | "agent";
                /** @description speak from this session */
                session_id?: string;
                source?: string;
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryPage"];
                };
            };
        };
    };
    "memories.save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemorySave"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedMemory"];
                };
            };
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedMemory"];
                };
            };
        };
    };
    "auth.delete_memories": {
        parameters: {
            query?: {
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeletionBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deletion"];
                };
            };
        };
    };
    "memories.get": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description as it stood at this instant */
                as_of?: string | Date;
                /** @description find it also when it has expired */
                include_expired?: boolean;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
        };
    };
    "memories.delete": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description find it also when it has expired */
                include_expired?: boolean;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "memories.change": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description find it also when it has expired */
                include_expired?: boolean;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
        };
    };
    "memories.list_assets": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description speak for this agent */
                agent_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetPage"];
                };
            };
        };
    };
    "memories.upload_asset": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description the file's name: printable characters */
                name?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/octet-stream": Uint8Array;
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    "memories.download_asset": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                asset_id: string;
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": Uint8Array;
                };
            };
        };
    };
    "memories.delete_asset": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                asset_id: string;
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "memories.diff": {
        parameters: {
            query: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description a version, or a time */
                from: number | (string | Date);
                /** @description find it also when it has expired */
                include_expired?: boolean;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
                /** @description a version, or a time */
                to: number | (string | Date);
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextDiff"];
                };
            };
        };
    };
    "memories.history": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description speak for this agent */
                agent_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                /** @description find it also when it has expired */
                include_expired?: boolean;
                limit?: number;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PastMemoryPage"];
                };
            };
        };
    };
    "memories.restore": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description find it also when it has expired */
                include_expired?: boolean;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryRestore"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
        };
    };
    "memories.retire": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memory"];
                };
            };
        };
    };
    "memories.list_sources": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceList"];
                };
            };
        };
    };
    "memories.add_source": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SourceBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Source"];
                };
            };
        };
    };
    "memories.remove_sources": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                kind?: "message" | "session" | "entry" | "url";
                /** @description speak from this project */
                project_id?: string;
                ref?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                memory_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SourceRemoval"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "memories.batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryBatchSave"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryBatch"];
                };
            };
        };
    };
    "memories.extract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExtractAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Extraction"];
                };
            };
        };
    };
    "memories.recall": {
        parameters: {
            query: {
                /** @description speak for this agent */
                agent_id?: string;
                category?: string;
                explain?: boolean;
                graph?: boolean;
                /** @description ids to explain; commas may part them */
                ids?: string[];
                limit?: number;
                max_tokens?: number;
                min_score?: number;
                min_trust?: "user" | "assistant" | "tool" | "import";
                mode?: "hybrid" | "lexical" | "semantic";
                /** @description what `last week` is relative to */
                now?: string | Date;
                /** @description speak from this project */
                project_id?: string;
                q: string;
                /** @description speak from this session */
                session_id?: string;
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecalledMemories"];
                };
            };
        };
    };
    "memories.recall_post": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemoryRecallBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecalledMemories"];
                };
            };
        };
    };
    "stores.list_stores": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                "created_at[gte]"?: string | Date;
                "created_at[lte]"?: string | Date;
                include_archived?: boolean;
                limit?: number;
                /** @description how the name begins, in any case */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorePage"];
                };
            };
        };
    };
    "stores.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StoreCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Store"];
                };
            };
        };
    };
    "stores.open": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Store"];
                };
            };
        };
    };
    "stores.delete_store": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "stores.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StoreChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Store"];
                };
            };
        };
    };
    "stores.archive": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Store"];
                };
            };
        };
    };
    "stores.diff": {
        parameters: {
            query: {
                /** @description a version, or a time */
                from: string | (string | Date);
                /** @description a version, or a time */
                to: string | (string | Date);
            };
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreDiff"];
                };
            };
        };
    };
    "stores.export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The zip */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": Uint8Array;
                    "application/zip": Uint8Array;
                };
            };
        };
    };
    "stores.import_zip": {
        parameters: {
            query?: {
                mode?: "upsert" | "replace";
            };
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        /** @description a zip */
        requestBody: {
            content: {
                "application/octet-stream": Uint8Array;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Imported"];
                };
            };
        };
    };
    "stores.list": {
        parameters: {
            query?: {
                /** @description the page after this path */
                after_path?: string;
                /** @description as it was at this time */
                as_of?: string | Date;
                /** @description roll up what lies deeper; 0: nothing */
                depth?: number;
                limit?: number;
                /** @description whole segments: `notes` or `notes/` */
                path_prefix?: string;
            };
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PathPage"];
                };
            };
        };
    };
    "stores.create_entry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreEntry"];
                };
            };
        };
    };
    "stores.read_entry": {
        parameters: {
            query?: {
                /** @description as it was at this time */
                as_of?: string | Date;
            };
            header?: never;
            path: {
                entry_id: string;
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreEntry"];
                };
            };
        };
    };
    "stores.update_entry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entry_id: string;
                store_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreEntry"];
                };
            };
        };
    };
    "stores.delete_entry": {
        parameters: {
            query?: {
                /** @description only if it is still at this version */
                version?: number;
            };
            header?: never;
            path: {
                entry_id: string;
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "stores.restore_entry": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entry_id: string;
                store_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryRestore"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreEntry"];
                };
            };
        };
    };
    "stores.get": {
        parameters: {
            query?: {
                /** @description as it was at this time */
                as_of?: string | Date;
            };
            header?: never;
            path: {
                path: string;
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoreEntry"];
                };
            };
        };
    };
    "stores.recall": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StoreRecallBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecalledEntries"];
                };
            };
        };
    };
    "stores.list_versions": {
        parameters: {
            query?: {
                action?: "created" | "updated" | "deleted";
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                "created_at[gte]"?: string | Date;
                "created_at[lte]"?: string | Date;
                entry_id?: string;
                limit?: number;
                /** @description the path it had then */
                path?: string;
            };
            header?: never;
            path: {
                store_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryVersionPage"];
                };
            };
        };
    };
    "stores.read_version": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryVersion"];
                };
            };
        };
    };
    "stores.redact_version": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                store_id: string;
                version_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryVersion"];
                };
            };
        };
    };
    "nodes.list": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description speak for this agent */
                agent_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                kind?: string;
                limit?: number;
                /** @description speak from this project */
                project_id?: string;
                /** @description part of a name or alias */
                q?: string;
                /** @description speak from this session */
                session_id?: string;
                visibility?: "user" | "project" | "org";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodePage"];
                };
            };
        };
    };
    "nodes.create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    "nodes.get": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                node_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    "nodes.delete": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                node_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "nodes.change": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                node_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NodeChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    "nodes.add_item": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                node_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ItemBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeItem"];
                };
            };
        };
    };
    "nodes.remove_item": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                item_id: string;
                node_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "nodes.merge": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                node_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Node"];
                };
            };
        };
    };
    "nodes.neighbors": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description by the edges that held at this instant */
                as_of?: string | Date;
                depth?: number;
                direction?: "both" | "out" | "in";
                /** @description speak from this project */
                project_id?: string;
                relation?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                node_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Graph"];
                };
            };
        };
    };
    "nodes.put_edge": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EdgeBody"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Edge"];
                };
            };
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Edge"];
                };
            };
        };
    };
    "nodes.delete_edge": {
        parameters: {
            query?: {
                /** @description speak for this agent */
                agent_id?: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
            };
            header?: never;
            path: {
                edge_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "nodes.path": {
        parameters: {
            query: {
                /** @description speak for this agent */
                agent_id?: string;
                from: string;
                /** @description speak from this project */
                project_id?: string;
                /** @description speak from this session */
                session_id?: string;
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Graph"];
                };
            };
        };
    };
    "conversations.list_resources": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryResourcePage"];
                };
            };
        };
    };
    "conversations.read_resource": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryResource"];
                };
            };
        };
    };
    "conversations.put_resource": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        /** @description JSON, or YAML as `application/yaml` */
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryResource"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryResource"];
                };
            };
        };
    };
    "conversations.delete_resource": {
        parameters: {
            query?: {
                /** @description delete its instances too */
                force?: boolean;
            };
            header?: never;
            path: {
                resource_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "conversations.read_schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    "conversations.validate_resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description JSON, or YAML as `application/yaml` */
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourceValidation"];
                };
            };
        };
    };
    "blocks.list": {
        parameters: {
            query?: {
                /** @description the agent of the block */
                agent_id?: string;
                /** @description `user` unless an agent is named */
                scope?: "user" | "agent" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Blocks"];
                };
            };
        };
    };
    "blocks.read": {
        parameters: {
            query?: {
                /** @description the agent of the block */
                agent_id?: string;
                /** @description as it stood at this instant */
                as_of?: string | Date;
                /** @description `user` unless an agent is named */
                scope?: "user" | "agent";
            };
            header?: never;
            path: {
                block_type: "core" | "archival";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Block"];
                };
            };
        };
    };
    "blocks.write": {
        parameters: {
            query?: {
                /** @description the agent of the block */
                agent_id?: string;
                /** @description `user` unless an agent is named */
                scope?: "user" | "agent";
            };
            header?: never;
            path: {
                block_type: "core" | "archival";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlockWrite"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Block"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Block"];
                };
            };
        };
    };
    "blocks.delete": {
        parameters: {
            query?: {
                /** @description the agent of the block */
                agent_id?: string;
                /** @description delete it only if this is still its `updated_at` */
                expected_updated_at?: string | Date;
                /** @description `user` unless an agent is named */
                scope?: "user" | "agent";
            };
            header?: never;
            path: {
                block_type: "core" | "archival";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "blocks.edit_line": {
        parameters: {
            query?: {
                /** @description the agent of the block */
                agent_id?: string;
                /** @description `user` unless an agent is named */
                scope?: "user" | "agent";
            };
            header?: never;
            path: {
                block_type: "core" | "archival";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LineEdit"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Block"];
                };
            };
        };
    };
    "blocks.diff": {
        parameters: {
            query: {
                /** @description the agent of the block */
                agent_id?: string;
                /** @description a version, or a time */
                from: number | (string | Date);
                /** @description `user` unless an agent is named */
                scope?: "user" | "agent";
                /** @description a version, or a time */
                to: number | (string | Date);
            };
            header?: never;
            path: {
                block_type: "core" | "archival";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TextDiff"];
                };
            };
        };
    };
    "blocks.history": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the agent of the block */
                agent_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
                /** @description `user` unless an agent is named */
                scope?: "user" | "agent";
            };
            header?: never;
            path: {
                block_type: "core" | "archival";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockRevisionPage"];
                };
            };
        };
    };
    "blocks.restore": {
        parameters: {
            query?: {
                /** @description the agent of the block */
                agent_id?: string;
                /** @description `user` unless an agent is named */
                scope?: "user" | "agent";
            };
            header?: never;
            path: {
                block_type: "core" | "archival";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlockRestore"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Block"];
                };
            };
        };
    };
    "blocks.recall": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LineRecall"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecalledLines"];
                };
            };
        };
    };
    "directory.read_org": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    "directory.change_org": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrgChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Org"];
                };
            };
        };
    };
    "directory.list_projects": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPage"];
                };
            };
        };
    };
    "directory.read_project": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    "directory.put_project": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectPut"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    "directory.add_member": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    "directory.remove_member": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "proposals.list": {
        parameters: {
            query?: {
                action?: "add" | "update" | "supersede" | "merge" | "retire" | "none";
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                /** @description of this job alone */
                job_id?: string;
                limit?: number;
                /** @description of this session alone */
                session_id?: string;
                status?: "pending" | "applied" | "rejected" | "quarantined" | "reverted";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProposalPage"];
                };
            };
        };
    };
    "proposals.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    "proposals.edit": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProposalEdit"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    "proposals.accept": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    "proposals.reject": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                proposal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
        };
    };
    "proposals.accept_many": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptMany"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
        };
    };
    recall: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EveryRecallBody"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecalledThings"];
                };
            };
        };
    };
    "activity.revisions": {
        parameters: {
            query?: {
                /** @description made by this key, user or job */
                actor?: string;
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                /** @description made by this job */
                job_id?: string;
                /** @description block, entry, memory, node, store, … */
                kind?: string;
                limit?: number;
                /** @description of this object alone */
                object_id?: string;
                /** @description at this instant or later */
                since?: string | Date;
                /** @description made for this user */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedChangePage"];
                };
            };
        };
    };
    "directory.read_session": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    "sessions.append": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionAppend"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendResult"];
                };
            };
        };
    };
    "sessions.settle": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SettleAsk"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settling"] | components["schemas"]["Rehearsed"];
                };
            };
            /** @description A job learns from the session. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settling"];
                };
            };
        };
    };
    "activity.stats": {
        parameters: {
            query?: {
                /** @description minute, hour, day, or a duration such as 15m, of a minute at least */
                bucket?: string;
                /** @description from this instant on; a day ago */
                from?: string | Date;
                /** @description up to this instant; now */
                to?: string | Date;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageOverTime"];
                };
            };
        };
    };
    "directory.list_users": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
        };
    };
    "directory.create_user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    "directory.delete_user": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "directory.change_user": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    "erasures.erase": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EraseBody"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureJob"];
                };
            };
        };
    };
    "directory.export_user": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A zip of JSON lines. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": Uint8Array;
                    "application/zip": Uint8Array;
                };
            };
        };
    };
    "directory.read_me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    "directory.change_me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MeChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    "directory.list_workspaces": {
        parameters: {
            query?: {
                /** @description the page of older ones after this id */
                after_id?: string;
                /** @description the page of newer ones before this id */
                before_id?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkspacePage"];
                };
            };
        };
    };
    "directory.read_workspace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    "directory.put_workspace": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkspacePut"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Workspace"];
                };
            };
        };
    };
    "service.health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    "service.metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    "service.ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
}
