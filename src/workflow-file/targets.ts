// The targets of an agent: `openai/gpt-5.5`, `claude`, and their fallbacks.

import { AGENT_KINDS } from "../agent/parse/agent-state.ts";
import type { AgentTarget } from "../workflow-model/node-options.ts";
import { providerNamed } from "../workflow-model/providers.ts";
import { sharedPlace } from "../workflow-model/shared-place.ts";
import type { Path } from "../yaml-file/locate.ts";
import { nearest } from "../options/nearest.ts";
import { type WorkflowFinding, finding, said } from "./codes.ts";
import { PROVIDER_TYPES, type WorkflowFile, type WrittenAgent, type WrittenCli } from "./schema.ts";
import type { Environment } from "../agent/process/child-env.ts";

type Providers = NonNullable<WorkflowFile["providers"]>;
type Read = { readonly target: AgentTarget } | { readonly finding: WorkflowFinding };

export interface ReadTargets {
  readonly targets: readonly AgentTarget[];
  readonly findings: readonly WorkflowFinding[];
}

export function readTargets(id: string, agent: WrittenAgent, providers: Providers): ReadTargets {
  const path = ["agents", id];
  const { model, cli, fallback = [] } = agent;
  if ((model === undefined) === (cli === undefined)) return { targets: [], findings: [eitherOr(path, model)] };
  const read = [
    model === undefined ? readCli(cli ?? "", [...path, "cli"]) : readModel(model, [...path, "model"], providers),
    ...fallback.map((written, index) => readFallback(written, [...path, "fallback", index], providers)),
  ];
  return {
    targets: read.flatMap((one) => ("target" in one ? [one.target] : [])),
    findings: read.flatMap((one) => ("finding" in one ? [one.finding] : [])),
  };
}

function eitherOr(path: Path, model: string | undefined): WorkflowFinding {
  const both = model !== undefined;
  const message = `${said(path)} has ${both ? "both `model` and `cli`" : "neither `model` nor `cli`"}`;
  const help = both
    ? "Keep one. The model of a CLI is written as `cli: { name: claude, model: opus }`."
    : "Add `model: provider/model`, or `cli:` with the name of an agent CLI.";
  return finding("conflict", both ? [...path, "cli"] : path, message, both ? "one too many" : "needs one", help, "key");
}

/** A model and a CLI can be fallbacks of each other; the name tells which it is. */
function readFallback(written: WrittenCli, path: Path, providers: Providers): Read {
  if (typeof written !== "string" || isKnownCli(written)) return readCli(written, path);
  if (written.includes("/")) return readModel(written, path, providers);
  if (nearest(written, AGENT_KINDS) !== null) return readCli(written, path);
  const message = `${said(path)} is neither a model, which is written provider/model, nor an agent CLI`;
  const help = `Write a model as openai/gpt-5.5, or one of ${AGENT_KINDS.join(", ")}.`;
  return { finding: finding("unknown-provider", path, message, "no provider", help) };
}

/** `provider/model`; a model name may contain slashes. */
function readModel(written: string, path: Path, providers: Providers): Read {
  const slash = written.indexOf("/");
  if (slash <= 0 || slash === written.length - 1) {
    const message = `${said(path)} must be provider/model`;
    const known = [...Object.keys(providers), ...PROVIDER_TYPES].join(", ");
    return {
      finding: finding(
        "unknown-provider",
        path,
        message,
        "no provider",
        `Write it as openai/gpt-5.5. Providers: ${known}.`,
      ),
    };
  }
  const name = written.slice(0, slash);
  const declared = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const provider = declared?.type ?? (isProviderType(name) ? name : null);
  if (provider === null && declared === undefined) return { finding: unknownProvider(path, name, providers) };
  if (declared === undefined && providerNamed(name)?.needsBaseUrl === true) return { finding: noAddress(path, name) };
  const target: AgentTarget = {
    kind: "model",
    name,
    // A declared provider of unknown type is reported once, at its declaration.
    provider: provider ?? name,
    model: written.slice(slash + 1),
    baseUrl: declared?.base_url ?? "",
    apiKeyEnv: declared?.api_key_env ?? "",
  };
  return { target };
}

function noAddress(path: Path, name: string): WorkflowFinding {
  const help = `Add it under \`providers\`: \`${name}: { base_url: "http://127.0.0.1:11434/v1" }\`.`;
  return finding("conflict", path, `provider \`${name}\` has no address of its own`, "needs `base_url`", help);
}

function unknownProvider(path: Path, name: string, providers: Providers): WorkflowFinding {
  const known = [...new Set([...Object.keys(providers), ...PROVIDER_TYPES])];
  const near = nearest(name, known);
  const label = near === null ? "not known" : `did you mean \`${near}\`?`;
  const help = `Known: ${known.join(", ")}. Others are declared under \`providers\` with \`type: openai-compatible\` and a \`base_url\`.`;
  return finding("unknown-provider", path, `there is no provider \`${name}\``, label, help);
}

function isProviderType(name: string): boolean {
  return PROVIDER_TYPES.includes(name);
}

export function checkProviders(providers: Providers): readonly WorkflowFinding[] {
  return Object.entries(providers).flatMap(([name, { type, base_url: baseUrl }]) => {
    const path = ["providers", name];
    const own = type ?? (isProviderType(name) ? name : null);
    if (own === null) {
      const near = nearest(name, PROVIDER_TYPES);
      const label = near === null ? "needs `type`" : `did you mean \`${near}\`?`;
      const help = `Add \`type:\` with one of ${PROVIDER_TYPES.join(", ")}.`;
      return [
        finding(
          "unknown-provider",
          path,
          `provider \`${name}\` needs a \`type\`: the interface it speaks`,
          label,
          help,
          "key",
        ),
      ];
    }
    if (baseUrl !== undefined || providerNamed(own)?.needsBaseUrl !== true) return [];
    const help = "Add `base_url:`, such as `http://127.0.0.1:11434/v1`.";
    return [finding("conflict", path, `provider \`${name}\` has no address`, "needs `base_url`", help, "key")];
  });
}

function isKnownCli(name: string): boolean {
  return AGENT_KINDS.some((kind) => kind === name);
}

function readCli(written: WrittenCli, path: Path): Read {
  const { name, command = "", args = [], model = "" } = typeof written === "string" ? { name: written } : written;
  if (!isKnownCli(name)) {
    const near = nearest(name, AGENT_KINDS);
    const label = near === null ? "not known" : `did you mean \`${near}\`?`;
    const help = `Known: ${AGENT_KINDS.join(", ")}. Any other command is \`{ name: generic, command: … }\`.`;
    const place = typeof written === "string" ? path : [...path, "name"];
    return { finding: finding("unknown-cli", place, `there is no agent CLI \`${name}\``, label, help) };
  }
  if (name === "generic" && command === "") {
    const help = "Write `{ name: generic, command: ./my-agent }`.";
    return {
      finding: finding("conflict", path, `${said(path)} is \`generic\` but names no command`, "needs `command`", help),
    };
  }
  return { target: { kind: "cli", cli: name, command, args, model } };
}

/** Warns if all targets of an agent are at one place: a fallback that fails together with the first target helps little. */
export function checkDomains(
  id: string,
  targets: readonly AgentTarget[],
  env: Environment,
): readonly WorkflowFinding[] {
  const shared = sharedPlace(targets, env);
  if (shared === null) return [];
  const account = shared.account ? " with the same account" : "";
  const model = shared.model ? " and ask for the same model" : "";
  const path = ["agents", id];
  const message = `all targets of ${said(path)} are reached at ${shared.place}${account}${model}, so they can fail together`;
  const help = "Add a target at another address to `fallback`. A gateway with several providers behind it is fine.";
  return [finding("shared-domain", [...path, "fallback"], message, "no protection against an outage", help, "key")];
}
