// A gateway as its operators see it: keys with what they have spent, routes with the targets behind them. No key is in it.

import type { HedgeAfter } from "../core/decide/hedge.ts";
import type { Protocol } from "../provider/wire/protocol.ts";
import { modelInKey, targetKey } from "../runtime/target/targets.ts";
import type { GatewayRoute, GatewaySettings, RouteStep } from "./config/settings.ts";
import { patternOf } from "./route/routing.ts";
import { domainsOf } from "./target/byte-member.ts";
import type { Unwritten } from "./ledger/write-trouble.ts";
import { type KeyAccount, WINDOW_NAMES, type WindowName } from "./key/key-account.ts";

export interface ReportedBudget {
  readonly window: WindowName;
  readonly limitMicrocents: number;
  readonly spentMicrocents: number;
  /** When the window ends and the next one begins. */
  readonly resetsAt: number;
}

export interface ReportedKey {
  readonly name: string;
  /** null: all. */
  readonly routes: readonly string[] | null;
  readonly regions: readonly string[] | null;
  readonly otherPaths: boolean;
  readonly budgets: readonly ReportedBudget[];
}

export interface ReportedStep {
  readonly target: string;
  /** null: the model that the client asks for. */
  readonly model: string | null;
  readonly dialects: readonly Protocol[];
  readonly region: string | null;
  /** Whether a key of the runtime's targets is of this step, whichever process called it and under whatever name. */
  readonly isKeyOf: (targetKey: string) => boolean;
  /** Whether the route asks for the model in such a key. */
  readonly mayAsk: (targetKey: string) => boolean;
}

export interface ReportedRoute {
  readonly name: string;
  readonly midStream: GatewayRoute["midStream"];
  /** How long a target may be silent before the next one is asked, too; null: it is waited for. */
  readonly hedgeAfter: HedgeAfter | null;
  readonly steps: readonly ReportedStep[];
}

export interface GatewayReport {
  readonly keys: readonly ReportedKey[];
  readonly routes: readonly ReportedRoute[];
  /** Since when and why the journal cannot be written; null: it can. */
  readonly unwritten: Unwritten | null;
}

/** What is printed when a gateway starts. */
export interface GatewaySummary {
  readonly targets: readonly string[];
  readonly routes: readonly string[];
  /** How many there are. */
  readonly keys: number;
}

export function summariseGateway({ targets, routes, keys }: GatewaySettings): GatewaySummary {
  return { targets: [...targets.keys()], routes: routes.map(({ name }) => name), keys: keys.length };
}

export function reportGateway(
  { keys, routes }: GatewaySettings,
  accounts: ReadonlyMap<string, KeyAccount>,
): Omit<GatewayReport, "unwritten"> {
  return {
    keys: keys.map(({ name, routes: allowed, regions, mayUseOtherPaths: otherPaths }) => {
      const account = accounts.get(name);
      return {
        name,
        otherPaths,
        routes: listOf(allowed),
        regions: listOf(regions),
        budgets: account === undefined ? [] : WINDOW_NAMES.flatMap((window) => budgetOf(account, window)),
      };
    }),
    routes: routes.map(({ name, midStream, hedge, steps }) => ({
      name,
      midStream,
      hedgeAfter: hedge?.after ?? null,
      steps: steps.map((step) => stepOf(step, name)),
    })),
  };
}

function listOf(names: ReadonlySet<string> | null): readonly string[] | null {
  return names === null ? null : [...names];
}

function budgetOf(account: KeyAccount, window: WindowName): readonly ReportedBudget[] {
  const limitMicrocents = account.limits[window];
  if (limitMicrocents === null) return [];
  return [{ window, limitMicrocents, spentMicrocents: account.spent(window), resetsAt: account.endOf(window) }];
}

function stepOf({ target, model }: RouteStep, route: string): ReportedStep {
  const { name, dialects, region } = target;
  const keys = dialects.map((dialect) => targetKey(domainsOf(target, model ?? "", dialect)));
  // A step without a model of its own has a key for each model: all end alike.
  const isKeyOf = (key: string): boolean => keys.some((own) => (model === null ? key.endsWith(own) : key === own));
  const asked = patternOf(route);
  const mayAsk = (key: string): boolean => model !== null || asked.test(modelInKey(key) ?? "");
  return { target: name, model, dialects, region, isKeyOf, mayAsk };
}
