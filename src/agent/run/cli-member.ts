// An agent CLI as a member of a chain: its failure domains, its retries and its time limit.

import type { FailureDomains } from "../../core/decide/fallback.ts";
import { secretTag } from "../../host/secret-tag.ts";
import type { Member } from "../../runtime/tool/chain.ts";
import { type ChainRequest, tool, type ToolOptions } from "../../runtime/tool/tool.ts";
import { AGENT_CLIS } from "../verdict/cli-table.ts";
import type { CliTarget } from "./cli.ts";

/** A run is expensive and slow to start, so each CLI is tried once while another target can answer. */
const RETRY_BEFORE_FALLBACK = { maxAttempts: 1 } as const;

/** The process has its own watchdog, which reports what limit was exceeded. The call's limit is later, for a process that cannot be killed. */
const GRACE_MS = 30_000;
const LONGEST_MS = 30 * 24 * 3_600_000;

/** `capabilities`: for requests that require certain capabilities. */
export function cliMember<Request extends ChainRequest, Output>(
  target: CliTarget,
  run: ToolOptions<Request, Output>["run"],
  capabilities: readonly string[] = [],
): Member<Request, Output> {
  const { id, kind, idempotent, lastResort } = target;
  return {
    tool: tool<Request, Output>({
      id,
      surface: "cli",
      provider: AGENT_CLIS[kind].provider,
      idempotent,
      timeoutMs: Math.min(target.timeouts.totalMs + GRACE_MS, LONGEST_MS),
      // The cost of a run is unknown before it has run.
      cost: { estimate: () => null },
      run,
    }),
    facts: { ...cliDomains(target), capabilities, contextWindowTokens: Infinity, lastResort },
    retryBeforeFallback: RETRY_BEFORE_FALLBACK,
  };
}

type CliIdentity = Pick<CliTarget, "id" | "kind" | "command" | "env" | "model" | "credential">;

export function cliDomains({ id, kind, command, env, model, credential }: CliIdentity): FailureDomains {
  const { binary, baseUrlEnv, keyEnv, configHomeEnv } = AGENT_CLIS[kind];
  // Two unknown commands are assumed to share nothing.
  if (binary === null) return { endpoint: id, account: credential ?? id, model: model ?? id };
  const baseUrl = baseUrlEnv === null ? undefined : env[baseUrlEnv];
  const whose = [...keyEnv, configHomeEnv ?? ""].flatMap((name) => {
    const value = env[name] ?? "";
    return value === "" ? [] : [`${name}=${value}`];
  });
  return {
    endpoint: baseUrl === undefined || baseUrl === "" ? command : `${command}+${originOf(baseUrl)}`,
    account: credential ?? (whose.length === 0 ? "own" : `key-${secretTag(whose.join("\n"))}`),
    model: model ?? kind,
  };
}

/** Drops the user name, which may be a secret. */
function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : `address-${secretTag(baseUrl)}`;
}
