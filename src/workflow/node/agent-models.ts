// The models of an agent as targets of a chain: made from what the workflow says, named as it names them, and listened to. CLIs among
// them get their place.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { CliTarget } from "../../agent/run/cli.ts";
import { classify } from "../../core/classify/classify.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import type { ModelTargetOptions } from "../../provider/model/model-options.ts";
import { heardModel, type RawLog } from "./agent-raw.ts";
import type { NamedTarget } from "./agent-targets.ts";
import { placeOfCli } from "./cli-members.ts";
import type { AgentTarget } from "../../workflow-model/node-options.ts";
import { createModel, type ModelAgentTarget, modelDomains, providerNamed } from "../../workflow-model/providers.ts";
import type { Environment } from "../../agent/process/child-env.ts";

/**
 * Throws what keeps the first from being made. One that only stands in is no trouble before it is needed. `clis` are those among the
 * targets that are no models. `own`: see `ownTargets`.
 */
export async function modelTargets(
  targets: readonly NamedTarget<AgentTarget>[],
  clis: readonly CliTarget[],
  env: Environment,
  log: RawLog,
  own: string,
): Promise<readonly ModelTargetOptions[]> {
  const made: ModelTargetOptions[] = [];
  for (const { id, target } of targets) {
    if (target.kind === "model") {
      const model = made.length === 0 ? await createModel(target, env) : await modelOrFailing(target, env);
      const { endpoint, account } = modelDomains(target, env);
      // What an operator wants to be tried now has an account of its own here, which nothing holds back yet.
      const credential = own === "" ? account : `${account} ${own}`;
      made.push({ id, model: heardModel(model, id, log), endpoint, credential });
    } else made.push(...clis.filter((cli) => cli.id === id).map((cli) => ({ id, model: placeOfCli(cli) })));
  }
  return made;
}

/** One of them is handed no schema, so that it has to stand in the prompt. */
export function needsSchemaWords(targets: readonly NamedTarget<AgentTarget>[]): boolean {
  return targets.some(({ target }) => target.kind === "cli" || providerNamed(target.provider)?.passesSchema === false);
}

async function modelOrFailing(target: ModelAgentTarget, env: Environment): Promise<LanguageModelV4> {
  try {
    return await createModel(target, env);
  } catch (error) {
    const failure = new FaultError(classify({ surface: "node", error }));
    const fail = (): Promise<never> => Promise.reject(failure);
    const { provider, model: modelId } = target;
    return { specificationVersion: "v4", provider, modelId, supportedUrls: {}, doGenerate: fail, doStream: fail };
  }
}
