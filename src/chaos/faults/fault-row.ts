// A row of the fault table, and the parameters of a fault.

import type { FaultCode } from "../../core/fault/catalogue.ts";
import { ERROR_IDS, type ErrorId } from "../errors/error-ids.ts";
import type { ConnectionAct, ChaosRequest, ProtocolId, Reply, Stamp } from "../wire.ts";

/** One value, or one for each protocol. */
export type PerProtocol<T> = T | Readonly<Record<ProtocolId, T>>;

/**
 * Where the failure is visible. `answer`: in status, headers and body. `transport`: only on the connection. `content`: only by
 * checking the content against the request.
 */
export type SeenIn = "answer" | "transport" | "content";

/** Parameters of a fault, set by header, by model name or by a scenario. */
export interface Parameters {
  /** Seconds until it passes. */
  readonly "retry-after": number;
  /** How many pieces of content come before it. */
  readonly "after": number;
  /** How long it lasts. */
  readonly "for-ms": number;
  /** The length of each wait. */
  readonly "wait-ms": number;
  /** A proxy's page instead of the vendor's JSON. */
  readonly "as": "json" | "html";
  /** The error that is sent. */
  readonly "error": ErrorId;
}

export const PARAMETER_NAMES = ["retry-after", "after", "for-ms", "wait-ms", "as", "error"] as const;

const LONGEST_MS = 24 * 3_600_000;

/** The allowed range of each parameter. */
export const PARAMETER_LIMITS = {
  // A little more than three years.
  "retry-after": { most: 100_000_000, isWhole: false },
  "after": { most: 100_000, isWhole: true },
  "for-ms": { most: LONGEST_MS, isWhole: false },
  "wait-ms": { most: LONGEST_MS, isWhole: false },
} as const;

/** Allowed values; parameters that are not listed are numbers. */
export const PARAMETER_CHOICES: Readonly<Partial<Record<keyof Parameters, readonly string[]>>> = {
  as: ["json", "html"],
  error: ERROR_IDS,
};

/** Everything a fault is built from. */
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
  /** `stream`: only for requests that stream. */
  readonly needs: "any" | "stream";
  /** The code Faultline gives it without further hints; null if nothing failed, or if it depends on the client's timeouts. */
  readonly means: PerProtocol<FaultCode | null>;
  readonly seenIn: PerProtocol<SeenIn>;
  /** In a stream, content was sent before it failed. */
  readonly afterOutput: boolean;
  /** Its parameters with their defaults. */
  readonly params: Readonly<Partial<Parameters>>;
  /** One sentence. */
  readonly about: string;
  readonly plan: (scene: Scene) => readonly ConnectionAct[];
}

type Details = Pick<FaultRow, "about" | "plan"> & Partial<Omit<FaultRow, "id">>;

/** Most faults need nothing, have no parameters and are visible in the answer. */
export function row<const Id extends string>(id: Id, means: FaultRow["means"], details: Details): FaultRow<Id> {
  return { id, means, needs: "any", seenIn: "answer", afterOutput: false, params: {}, ...details };
}

export function forProtocol<T>(value: PerProtocol<T>, protocol: ProtocolId): T {
  return isPerProtocol(value) ? value[protocol] : value;
}

function isPerProtocol<T>(value: PerProtocol<T>): value is Readonly<Record<ProtocolId, T>> {
  return typeof value === "object" && value !== null && "openai-chat" in value;
}
