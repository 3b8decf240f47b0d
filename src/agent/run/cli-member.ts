// An agent CLI as a target of a chain: what it can fail together with, and how patient the chain is with it.

import type { FailureDomains } from "../../core/decide/fallback.ts";
import { secretTag } from "../../host/secret-tag.ts";
import type { Member } from "../../runtime/tool/chain.ts";
import { type ChainRequest, tool, type ToolOptions } from "../../runtime/tool/tool.ts";
import { AGENT_CLIS } from "../verdict/cli-table.ts";
import type { CliTarget } from "./cli.ts";

/** A run is expensive and slow to start: while another target can answer, each is tried once. */
const RETRY_BEFORE_FALLBACK = { maxAttempts: 1 } as const;

/** The process has its own clock, which says which limit was passed; the call's is for a process that cannot be ended. */
const GRACE_MS = 30_000;
const LONGEST_MS = 30 * 24 * 3_600_000;

/** `capabilities`: what it can do for requests that name their needs. */
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
      // What a run costs is not known before it has run.
      cost: { estimate: () => null },
      run,
    }),
    facts: { ...cliDomains(target), capabilities, contextWindowTokens: Infinity, lastResort },
    retryBeforeFallback: RETRY_BEFORE_FALLBACK,
  };
}

type Told = Pick<CliTarget, "id" | "kind" | "command" | "env" | "model" | "credential">;

export function cliDomains({ id, kind, command, env, model, credential }: Told): FailureDomains {
  const { binary, baseUrlEnv, keyEnv, configHomeEnv } = AGENT_CLIS[kind];
  // Of two commands we do not know, we do not know either whether they have anything in common.
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

/** Without a user name, which may be a secret. */
function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : `address-${secretTag(baseUrl)}`;
}
