// What finished nodes have left for those after them: kept in the journal, exact, and held while a run is advanced. A node does not
// see what runs beside it, so that what it sees does not depend on who was faster, and is the same after a crash.

import type { Fault } from "../../core/fault/fault.ts";
import { viewFor } from "../../core/fault/view.ts";
import { executionsOf, isBeside, keyOf, type RunState, type Visit } from "../../core/flow/run.ts";
import type { Journal } from "../../journal/journal.ts";
import { deepFreeze } from "../definition/deep-freeze.ts";
import { instructionFor } from "../operator/standing-instructions.ts";
import { readOutput } from "./node-output.ts";
import { readInputs } from "./run-inputs.ts";
import type { NodeResult, StageScope } from "../../workflow-model/stage.ts";

export { keepOutput, readOutput } from "./node-output.ts";

export class NodeResults {
  readonly #run: string;
  readonly #journal: Journal;
  readonly #outputs = new Map<string, unknown>();
  readonly #results = new Map<string, NodeResult>();
  #inputs: Readonly<Record<string, unknown>> | null = null;

  constructor(run: string, journal: Journal) {
    this.#run = run;
    this.#journal = journal;
  }

  put(visit: Visit, output: unknown): void {
    this.#outputs.set(keyOf(visit), asKept(output));
  }

  async scopeFor(state: RunState, visit: Visit): Promise<StageScope> {
    this.#inputs ??= await readInputs(this.#journal, this.#run);
    // The newest visit of each node that is over. From entries, because a node may be called anything, `__proto__` too.
    const seen = state.visits.filter(isOver).filter((one) => !isBeside(one, visit));
    const latest = new Map(seen.map((one) => [one.node, one]));
    const results: [string, NodeResult][] = [];
    for (const [node, one] of latest)
      results.push([node, this.#results.get(keyOf(one)) ?? (await this.#readResult(one))]);
    const nodes: Record<string, NodeResult> = Object.fromEntries(results);
    const instruction = await instructionFor(this.#journal, this.#run, state, visit);
    return Object.freeze({
      run: this.#run,
      node: visit.node,
      execution: visit.execution,
      attempt: visit.attempt,
      inputs: this.#inputs,
      nodes: Object.freeze(nodes),
      executionsOf: (node: string) => executionsOf(state, node),
      lastFault: visit.fault,
      instruction,
    });
  }

  /** Of a visit that is over: nothing changes about it any more. */
  async #readResult(visit: OverVisit): Promise<NodeResult> {
    const key = keyOf(visit);
    if (!this.#outputs.has(key)) {
      this.#outputs.set(key, deepFreeze(await readOutput(this.#journal, this.#run, visit)));
    }
    const { state: status, execution, attempt, fault } = visit;
    const output = this.#outputs.get(key);
    const result = Object.freeze({ status, output, execution, attempts: attempt, fault: shownFault(fault) });
    this.#results.set(key, result);
    return result;
  }
}

type OverVisit = Visit & { readonly state: NodeResult["status"] };

function isOver(visit: Visit): visit is OverVisit {
  return visit.state === "completed" || visit.state === "failed" || visit.state === "skipped";
}

/** As a later life would find it: a node sees the same whether or not there was a crash before it, and nobody can change it. */
function asKept(output: unknown): unknown {
  // What has no form in JSON, such as nothing at all, has no text.
  const text = JSON.stringify(output) as string | undefined;
  return text === undefined ? undefined : deepFreeze(JSON.parse(text) as unknown);
}

/** Prompts go to models, so they get what models may see. */
function shownFault(fault: Fault | null): NodeResult["fault"] {
  if (fault === null) return null;
  const { class: faultClass, code, message } = viewFor("model", fault, { correlationId: "" });
  return { class: faultClass, code, message };
}
