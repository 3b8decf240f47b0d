// Secrets that a workflow uses: the values of variables with a telling name, of those that providers and agent CLIs read
// their keys from, and in those that the file names.

import { AGENT_CLIS } from "../../agent/verdict/cli-table.ts";
import { isSecretName } from "../../core/fault/secret-names.ts";
import type { WorkflowDefinition } from "../../workflow-file/definition.ts";
import { WORKFLOW_PROVIDERS } from "../../workflow-model/providers.ts";
import type { Environment } from "../../agent/process/child-env.ts";

const KEY_VARIABLES: ReadonlySet<string> = new Set([
  ...WORKFLOW_PROVIDERS.flatMap(({ keyEnv }) => keyEnv),
  ...Object.values(AGENT_CLIS).flatMap(({ keyEnv }) => keyEnv),
]);

/** Folders that shells keep in variables with the name of a password: every path would be masked. */
const FOLDERS = new Set(["PWD", "OLDPWD"]);

/** Whatever they look like. */
export function secretsIn(env: Environment): readonly string[] {
  return Object.entries(env).flatMap(([name, value = ""]) =>
    value !== "" && !FOLDERS.has(name) && (KEY_VARIABLES.has(name) || isSecretName(name)) ? [value] : [],
  );
}

/** Of the variables a file names as those of keys. */
export function keysOf({ nodes }: WorkflowDefinition, env: Environment): readonly string[] {
  const targets = nodes.flatMap((node) => (node.kind === "agent" ? node.agent.targets : []));
  const values = targets.map((target) => (target.kind === "model" ? (env[target.apiKeyEnv] ?? "") : ""));
  return [...new Set(values)].filter((value) => value !== "");
}
