// What an agent CLI can fail together with: its program and the address it was given, its account, its model.

import type { FailureDomains } from "../../core/decide/fallback.ts";
import { secretTag } from "../../host/secret-tag.ts";
import { AGENT_CLIS } from "../verdict/cli-table.ts";
import type { CliTarget } from "./cli.ts";

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
