// A gateway's settings: a checked file with its keys read from the environment and its names resolved.

import type { Timeouts } from "../../provider/model/watch.ts";
import type { StatedPrice } from "../../provider/price/price-table.ts";
import type { HedgeOptions } from "../../runtime/tool/tool.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";

export interface GatewayTarget {
  readonly name: string;
  readonly provider: string;
  /** The preferred one first. */
  readonly dialects: readonly [Protocol, ...Protocol[]];
  readonly baseUrl: string;
  /** Null: none is sent. */
  readonly key: string | null;
  readonly models: readonly string[];
  readonly region: string | null;
  /** It continues a text that another target has begun. */
  readonly continues: boolean;
  readonly maxConcurrent: number | null;
  readonly maxPerMinute: number | null;
  /** Prices of its models that the file states. They win over the built-in ones. */
  readonly prices: readonly StatedPrice[];
  readonly timeouts: Partial<Timeouts>;
}

export interface RouteStep {
  readonly target: GatewayTarget;
  /** Null: the model that the client asks for. */
  readonly model: string | null;
}

export interface GatewayRoute {
  readonly name: string;
  readonly steps: readonly [RouteStep, ...RouteStep[]];
  readonly midStream: "fail" | "restart" | "continue";
  readonly affinity: boolean;
  /** The slowest allowed stream; 0 for any. */
  readonly leastPerSecond: number;
  /** null: a silent target is waited for. */
  readonly hedge: HedgeOptions | null;
}

/** The windows of time that have a limit, in micro-cents. */
export interface SpendLimits {
  readonly hour: number | null;
  readonly day: number | null;
  readonly month: number | null;
}

/** What is kept of a call besides its line in the ledger. */
export interface KeepRule {
  readonly prompts: boolean;
  readonly answers: boolean;
  readonly forDays: number;
}

export interface ClientKey {
  readonly name: string;
  /** The hash of the key, in hex. */
  readonly sha256: string;
  /** Null: all. */
  readonly routes: ReadonlySet<string> | null;
  /** Null: all. */
  readonly regions: ReadonlySet<string> | null;
  readonly limits: SpendLimits;
  /** It may use models without a price, although it has a budget. */
  readonly mayUseUnpriced: boolean;
  /** It may use paths that are not model calls. */
  readonly mayUseOtherPaths: boolean;
  /** null: as the gateway has it. */
  readonly keep: KeepRule | null;
}

export interface GatewaySettings {
  readonly targets: ReadonlyMap<string, GatewayTarget>;
  readonly routes: readonly GatewayRoute[];
  readonly keys: readonly ClientKey[];
  readonly keepAliveMs: number;
  /** null: neither prompts nor answers. */
  readonly keep: KeepRule | null;
  readonly maxBodyBytes: number;
  /** Null: other paths are refused. */
  readonly otherPaths: GatewayTarget | null;
}
