// A real server on a journal in its own folder, and clients of each role.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import type { ServerOptions } from "../../src/server/options.ts";
import { type RunningServer, startServer } from "../../src/server/server.ts";
import { addToken } from "../../src/server/tokens.ts";

export interface ServerWorld {
  readonly url: string;
  readonly server: RunningServer;
  readonly journalFile: string;
  readonly tokens: Readonly<Record<"operator" | "viewer", string>>;
  readonly operator: Client;
  readonly viewer: Client;
  /** A request as it is, with the operator's token unless `headers` says otherwise. */
  readonly send: (path: string, init?: SendOptions) => Promise<Response>;
}

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** null: none. */
  readonly token?: string | null;
}

type AtEnd = (work: () => void | Promise<void>) => void;

/** A file for a journal in a folder that is deleted after the test. */
export function journalPath(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-server-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "journal.db");
}

/** `atEnd` gets what to do afterwards: by default at the end of the test; pass `afterAll` outside of tests. */
export async function startWorld(
  options: Partial<ServerOptions> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<ServerWorld> {
  const journalFile = options.journal ?? journalPath(atEnd);
  const folder = dirname(journalFile);
  const viewer = await addToken(folder, `viewer-${++worlds}`, "viewer", Date.now());
  const server = await startServer({ port: 0, env: {}, ...options, journal: journalFile });
  atEnd(() => server.close());
  const { url } = server;
  const tokens = { operator: readFileSync(server.tokenFile, "utf8").trim(), viewer };
  return {
    url,
    server,
    journalFile,
    tokens,
    operator: createClient({ baseUrl: url, token: tokens.operator }),
    viewer: createClient({ baseUrl: url, token: viewer }),
    send: (path, { method = "GET", headers = {}, body, token = tokens.operator } = {}) =>
      fetch(url + path, {
        method,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
  };
}

let worlds = 0;
