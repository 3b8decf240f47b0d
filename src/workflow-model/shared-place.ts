// Finds what all targets of an agent have in common: if that fails, no target is left.

import { AGENT_KINDS } from "../agent/parse/agent-state.ts";
import { cliDomains } from "../agent/run/cli-member.ts";
import { AGENT_CLIS } from "../agent/verdict/cli-table.ts";
import { type FailureDomains, sharesAll } from "../core/decide/fallback.ts";
import { originOf } from "../provider/domain/endpoint.ts";
import type { AgentTarget } from "./node-options.ts";
import { modelDomains } from "./providers.ts";
import type { Environment } from "../agent/process/child-env.ts";

export interface SharedPlace {
  /** An address, or an agent CLI. */
  readonly place: string;
  readonly account: boolean;
  readonly model: boolean;
}

/** null if two of them are at different places, or there is only one. */
export function sharedPlace(targets: readonly AgentTarget[], env: Environment): SharedPlace | null {
  const [first, ...others] = targets.map((target) => domainsOf(target, env));
  if (first === undefined || others.length === 0) return null;
  const areShared = (...domains: readonly (keyof FailureDomains)[]): boolean =>
    others.every((other) => sharesAll(first, other, domains));
  if (!areShared("endpoint")) return null;
  const place = originOf(first.endpoint) ?? first.endpoint;
  return { place, account: areShared("account"), model: areShared("model") };
}

function domainsOf(target: AgentTarget, env: Environment): FailureDomains {
  if (target.kind === "model") return modelDomains(target, env);
  const kind = AGENT_KINDS.find((one) => one === target.cli) ?? "generic";
  const { command, args, model } = target;
  const own = {
    id: [command, ...args].join(" "),
    kind,
    env,
    command: command === "" ? (AGENT_CLIS[kind].binary ?? "") : command,
  };
  return cliDomains({ ...own, model: model === "" ? null : model, credential: null });
}
