// What one row of the fault table says, and what a fault may be told.

import type { FaultCode } from "../../core/fault/catalogue.ts";
import { ERROR_IDS, type ErrorId } from "../errors/error-ids.ts";
import type { ConnectionAct, ChaosRequest, ProtocolId, Reply, Stamp } from "../wire.ts";

/** One value, or one for each protocol. */
export type PerProtocol<T> = T | Readonly<Record<ProtocolId, T>>;

/**
 * Who can know that it failed. `answer`: status, headers and body name it. `transport`: only the connection shows it.
 * `content`: only whoever holds the content against what was asked.
 */
export type SeenIn = "answer" | "transport" | "content";

/** What a fault may be told, by header, by the name of the model or by a scenario. */
export interface Parameters {
  /** Seconds until it passes. */
  readonly "retry-after": number;
  /** How many pieces of content come before it. */
  readonly "after": number;
  /** How long it lasts. */
  readonly "for-ms": number;
  /** How long each wait is. */
  readonly "wait-ms": number;
  /** A proxy's page instead of the vendor's JSON. */
  readonly "as": "json" | "html";
  /** Which error is sent. */
  readonly "error": ErrorId;
}

export const PARAMETER_NAMES = ["retry-after", "after", "for-ms", "wait-ms", "as", "error"] as const;

const LONGEST_MS = 24 * 3_600_000;

/** From 0 to how much, however a fault is asked for. */
export const PARAMETER_LIMITS = {
  // A little more than three years.
  "retry-after": { most: 100_000_000, isWhole: false },
  "after": { most: 100_000, isWhole: true },
  "for-ms": { most: LONGEST_MS, isWhole: false },
  "wait-ms": { most: LONGEST_MS, isWhole: false },
} as const;

/** Values as they are written; anything that is not listed is a number. */
export const PARAMETER_CHOICES: Readonly<Partial<Record<keyof Parameters, readonly string[]>>> = {
  as: ["json", "html"],
  error: ERROR_IDS,
};

/** Everything a fault is made from. */
export interface Scene {
  readonly asked: ChaosRequest;
  /** What the model would have said. */
  readonly reply: Reply;
  readonly params: Parameters;
  readonly stamp: Stamp;
  readonly path: string;
}

export interface FaultRow<Id extends string = string> {
  readonly id: Id;
  /** `stream`: it makes no sense for a request that does not stream. */
  readonly needs: "any" | "stream";
  /** The code Faultline gives it when it is told nothing; null where nothing failed, or where it depends on the patience of whoever waits. */
  readonly means: PerProtocol<FaultCode | null>;
  readonly seenIn: PerProtocol<SeenIn>;
  /** Content was sent before it failed, when it streams. */
  readonly afterOutput: boolean;
  /** What it may be told, with the values it has otherwise. */
  readonly params: Readonly<Partial<Parameters>>;
  /** One sentence. */
  readonly about: string;
  readonly plan: (scene: Scene) => readonly ConnectionAct[];
}

type Details = Pick<FaultRow, "about" | "plan"> & Partial<Omit<FaultRow, "id">>;

/** Most faults need nothing, are told nothing and are named by the answer. */
export function row<const Id extends string>(id: Id, means: FaultRow["means"], details: Details): FaultRow<Id> {
  return { id, means, needs: "any", seenIn: "answer", afterOutput: false, params: {}, ...details };
}

export function forProtocol<T>(value: PerProtocol<T>, protocol: ProtocolId): T {
  return isPerProtocol(value) ? value[protocol] : value;
}

function isPerProtocol<T>(value: PerProtocol<T>): value is Readonly<Record<ProtocolId, T>> {
  return typeof value === "object" && value !== null && "openai-chat" in value;
}
