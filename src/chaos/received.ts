// The requests received: when they came, which fault they got and how they ended. Keys are kept as fingerprints only.
// R1  A key never gets past `fingerprintOf`.
// R2  Records that were returned to a caller never change.
// R3  The memory is bounded: a maximum number of requests, and of characters in all their bodies together.

import { nodeCrypto } from "../host/builtin.ts";
import type { IncomingHttpHeaders } from "node:http";
import type { ChosenBy } from "./choose.ts";
import type { ChaosFaultId } from "./faults.ts";
import type { ProtocolId } from "./wire.ts";

/**
 * `open`: not over yet. `answered`: complete, with any status. `cut`, `reset`, `refused`: ended by the fault. `client-left`: the
 * client closed the connection first.
 */
export type RequestEnd = "open" | "answered" | "cut" | "reset" | "refused" | "client-left";

/** A request that the chaos provider has received. */
export interface ReceivedRequest {
  /** Counted from 1. */
  readonly number: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly protocol: ProtocolId;
  readonly model: string;
  /** Without the query. */
  readonly path: string;
  readonly streaming: boolean;
  readonly chosenBy: ChosenBy;
  /** null: a good answer. */
  readonly fault: ChaosFaultId | null;
  /** What was wrong with the requested fault; the request got a 400 with this message. */
  readonly complaint: string | null;
  /** The fingerprint of the request's key. */
  readonly key: string | null;
  /** undefined: not JSON, or dropped to make room for later bodies. */
  readonly body: unknown;
  /** null: no headers were sent. */
  readonly status: number | null;
  readonly ended: RequestEnd;
  readonly endedAt: number | null;
  /** When the client left early. */
  readonly clientLeftAt: number | null;
}

/** A request to an address that no vendor has; it got a 404 that lists the known ones. */
export interface StrayRequest {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
}

export interface RequestLog {
  readonly requests: readonly ReceivedRequest[];
  readonly strays: readonly StrayRequest[];
  readonly perModel: Readonly<Record<string, number>>;
  /** Records the request as open. The returned handle updates it, even after a `clear`. */
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

/** A server may run for days; the oldest requests are dropped first. */
const MAX_KEPT = 1000;
/** Twice the largest allowed body; all of it must fit into one response. */
const MAX_BODY_CHARS = 64 * 1024 * 1024;

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
    if (kept.length > MAX_KEPT) kept.shift();
    let tooMany = kept.reduce((sum, { bodyChars }) => sum + bodyChars, -MAX_BODY_CHARS);
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
      if (strays.length > MAX_KEPT) strays.shift();
    },
    clear() {
      kept = [];
      strays = [];
      count = 0;
      perModel.clear();
    },
  };
}

/** The same key gives the same fingerprint, which cannot be reversed. */
export function fingerprintOf(key: string): string {
  return `key_${nodeCrypto().createHash("sha256").update(key).digest("hex").slice(0, 8)}`;
}

/** The fingerprint of a request's key, wherever its vendor puts it. */
export function keyIn(headers: IncomingHttpHeaders, url: URL): string | null {
  const bearer = /^bearer\s+(.+)$/i.exec(headers.authorization ?? "")?.[1];
  const found = [bearer, headers["x-api-key"], headers["x-goog-api-key"], url.searchParams.get("key")];
  const key = found.find((one) => typeof one === "string" && one !== "");
  return typeof key === "string" ? fingerprintOf(key) : null;
}
