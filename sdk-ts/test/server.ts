/** A real HTTP server that answers from a script, and keeps what it was asked. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Client, type ClientOptions } from "@holdfast/client";

export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** `drop`: the connection is broken after the request was read. `hang`: no answer ever comes. */
export type Planned = Answer | "drop" | "hang";

export interface Script extends AsyncDisposable {
  url: string;
  asked: Asked[];
  client(options?: ClientOptions): Client;
  close(): Promise<void>;
}

/** Start a server that gives these answers in turn; the last one goes on. */
export async function answering(...answers: Planned[]): Promise<Script> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    asked.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    const planned = answers[Math.min(asked.length, answers.length) - 1];
    if (planned === "drop") {
      request.socket.destroy();
    } else if (planned !== undefined && planned !== "hang") {
      const content = planned.body instanceof Uint8Array ? planned.body : JSON.stringify(planned.body ?? {});
      response.writeHead(planned.status ?? 200, planned.headers).end(planned.status === 204 ? undefined : content);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return {
    url,
    asked,
    client: (options = {}) => new Client({ url, key: "hf_test_none", retries: { firstWaitMs: 1 }, ...options }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A problem+json answer. */
export function problem(status: number, code: string, facts: object = {}, headers: Record<string, string> = {}): Answer {
  const body = { type: "about:blank", title: code, status, detail: `it is ${code}`, code, request_id: "req_1", ...facts };
  return { status, headers: { "content-type": "application/problem+json", ...headers }, body };
}
