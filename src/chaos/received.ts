// What was received, when, what it got and how it ended. Keys are kept as fingerprints only.
// R1  a key never gets further than `fingerprintOf`.
// R2  what is handed out does not change afterwards.
// R3  what is kept is bounded: so many requests, and so many characters of their bodies together.

import { nodeCrypto } from "../host/builtin.ts";
import type { IncomingHttpHeaders } from "node:http";
import type { ChosenBy } from "./choose.ts";
import type { ChaosFaultId } from "./faults.ts";
import type { ProtocolId } from "./wire.ts";

/**
 * `open`: not over yet. `answered`: to its last byte, whatever it said. `cut`, `reset`, `refused`: as the fault wanted.
 * `client-left`: the client closed the connection first.
 */
export type RequestEnd = "open" | "answered" | "cut" | "reset" | "refused" | "client-left";

export interface ReceivedRequest {
  /** Counted from 1. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly protocol: ProtocolId;
  readonly model: string;
  /** Without its query. */
  readonly path: string;
  readonly streaming: boolean;
  readonly chosenBy: ChosenBy;
  /** null: a good answer. */
  readonly fault: ChaosFaultId | null;
  /** What was wrong with how a fault was asked for; it was answered with a 400 that says so. */
  readonly complaint: string | null;
  /** The fingerprint of the key it came with. */
  readonly key: string | null;
  /** undefined: it was no JSON, or had to make room for the bodies of later requests. */
  readonly body: unknown;
  /** null: no headers were sent. */
  readonly status: number | null;
  readonly ended: RequestEnd;
  readonly endedAt: number | null;
  /** When the client left before the end. */
  readonly clientLeftAt: number | null;
}

/** A request to an address that none of the vendors has; it was answered with a 404 that lists the ones there are. */
export interface StrayRequest {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
}

export interface RequestLog {
  readonly requests: readonly ReceivedRequest[];
  readonly strays: readonly StrayRequest[];
  readonly perModel: Readonly<Record<string, number>>;
  /** Writes it down as open. What is given back changes it, also when it was cleared away meanwhile. */
  begin(
    request: Omit<ReceivedRequest, "number" | "status" | "ended" | "endedAt" | "clientLeftAt">,
    bodyChars: number,
  ): LogEntry;
  stray(request: StrayRequest): void;
  clear(): void;
}

export interface LogEntry {
  readonly number: number;
  change(change: Partial<ReceivedRequest>): ReceivedRequest;
}

/** A server may run for days; the oldest go first. */
const MOST_KEPT = 1000;
/** Two of the largest there may be; all of it must fit into one answer. */
const MOST_BODY_CHARS = 64 * 1024 * 1024;

interface Kept {
  current: ReceivedRequest;
  bodyChars: number;
}

export function createRequestLog(): RequestLog {
  let kept: Kept[] = [];
  let strays: StrayRequest[] = [];
  let count = 0;
  const perModel = new Map<string, number>();

  function makeRoom(): void {
    if (kept.length > MOST_KEPT) kept.shift();
    let tooMany = kept.reduce((sum, { bodyChars }) => sum + bodyChars, -MOST_BODY_CHARS);
    for (const entry of kept) {
      if (tooMany <= 0) return;
      if (entry.bodyChars === 0) continue;
      tooMany -= entry.bodyChars;
      entry.bodyChars = 0;
      entry.current = Object.freeze({ ...entry.current, body: undefined });
    }
  }

  return {
    get requests() {
      return kept.map(({ current }) => current);
    },
    get strays() {
      return [...strays];
    },
    get perModel() {
      return Object.fromEntries(perModel);
    },
    begin(request, bodyChars) {
      const number = ++count;
      perModel.set(request.model, (perModel.get(request.model) ?? 0) + 1);
      const open = { number, ...request, status: null, ended: "open", endedAt: null, clientLeftAt: null } as const;
      const entry: Kept = { current: Object.freeze(open), bodyChars };
      kept.push(entry);
      makeRoom();
      return { number, change: (change) => (entry.current = Object.freeze({ ...entry.current, ...change })) };
    },
    stray(request) {
      strays.push(Object.freeze(request));
      if (strays.length > MOST_KEPT) strays.shift();
    },
    clear() {
      kept = [];
      strays = [];
      count = 0;
      perModel.clear();
    },
  };
}

/** The same key gives the same fingerprint; the way back does not exist. */
export function fingerprintOf(key: string): string {
  return `key_${nodeCrypto().createHash("sha256").update(key).digest("hex").slice(0, 8)}`;
}

/** The fingerprint of the key a request came with, wherever its vendor puts it. */
export function keyIn(headers: IncomingHttpHeaders, url: URL): string | null {
  const bearer = /^bearer\s+(.+)$/i.exec(headers.authorization ?? "")?.[1];
  const found = [bearer, headers["x-api-key"], headers["x-goog-api-key"], url.searchParams.get("key")];
  const key = found.find((one) => typeof one === "string" && one !== "");
  return typeof key === "string" ? fingerprintOf(key) : null;
}
