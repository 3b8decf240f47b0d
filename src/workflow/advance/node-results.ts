// The results of finished nodes, for the nodes after them: read from the journal once, and held while the run is advanced. A node does
// not see the nodes that run in parallel to it. So what it sees depends on no timing, and is the same after a crash.

import type { Fault } from "../../core/fault/fault.ts";
import { viewFor } from "../../core/fault/view.ts";
import { executionsOf, keyOf, type RunState, settledCount } from "../../core/flow/run-state.ts";
import { isBeside, type Visit } from "../../core/flow/visit.ts";
import type { Journal } from "../../journal/journal.ts";
import { deepFreeze } from "../define.ts";
import { instructionFor } from "../operator/instructions.ts";
import { readInputs, readOutput } from "./summary.ts";
import type { NodeResult, StageScope } from "../../workflow-model/stage.ts";

/** When more paths than this were read, all are forgotten; what a visit sees is then computed again. */
const MAX_PATHS = 100;

export class NodeResults {
  readonly #run: string;
  readonly #journal: Journal;
  readonly #outputs = new Map<string, unknown>();
  readonly #results = new Map<string, NodeResult>();
  /** By path: what a visit on this path sees of the first `upTo` visits, all of which are over. */
  readonly #seen = new Map<string, { readonly upTo: number; readonly latest: Map<string, Seen> }>();
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
    const results = await this.#seenBy(state, visit);
    const instruction = await instructionFor(this.#journal, this.#run, state, visit);
    let nodes: StageScope["nodes"] | null = null;
    return Object.freeze({
      run: this.#run,
      node: visit.node,
      execution: visit.execution,
      attempt: visit.attempt,
      inputs: this.#inputs,
      // Built on first read. From entries, because a node may have any name, even `__proto__`.
      get nodes(): StageScope["nodes"] {
        return (nodes ??= Object.freeze(Object.fromEntries(results)));
      },
      executionsOf: (node: string) => executionsOf(state, node),
      lastFault: visit.fault,
      instruction,
    });
  }

  /** The newest finished visit of each node, without those that run in parallel to this one. */
  async #seenBy({ visits }: RunState, { path = [] }: Visit): Promise<readonly Seen[]> {
    const isSeen = (one: Visit): one is OverVisit => isOver(one) && !isBeside(one, { path });
    const key = path.join(" ");
    const known = this.#seen.get(key) ?? { upTo: 0, latest: new Map<string, Seen>() };
    const { latest } = known;
    const upTo = settledCount(visits);
    await this.#addTo(latest, visits.slice(known.upTo, upTo).filter(isSeen));
    if (!this.#seen.has(key) && this.#seen.size >= MAX_PATHS) this.#seen.clear();
    this.#seen.set(key, { upTo, latest });
    const later = visits.slice(upTo).filter(isSeen);
    return [...(later.length === 0 ? latest : await this.#addTo(new Map(latest), later)).values()];
  }

  /** Adds the newest visit of each node; only its output is read. */
  async #addTo(results: Map<string, Seen>, more: readonly OverVisit[]): Promise<ReadonlyMap<string, Seen>> {
    for (const one of new Map(more.map((visit) => [visit.node, visit])).values())
      results.set(one.node, [one.node, await this.#resultOf(one)]);
    return results;
  }

  /** A visit that is over does not change, so its result is kept. */
  async #resultOf(visit: OverVisit): Promise<NodeResult> {
    const key = keyOf(visit);
    const known = this.#results.get(key);
    if (known !== undefined) return known;
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

/** The name of a node, and its result. */
type Seen = readonly [string, NodeResult];

type OverVisit = Visit & { readonly state: NodeResult["status"] };

function isOver(visit: Visit): visit is OverVisit {
  return visit.state === "completed" || visit.state === "failed" || visit.state === "skipped";
}

/** The output as a later process would read it, and frozen: a node sees the same with and without a crash before it. */
function asKept(output: unknown): unknown {
  // A value without a form in JSON, such as undefined, has no text.
  const text = JSON.stringify(output) as string | undefined;
  return text === undefined ? undefined : deepFreeze(JSON.parse(text) as unknown);
}

/** What a model may see of a fault, because nodes write it into prompts. */
function shownFault(fault: Fault | null): NodeResult["fault"] {
  if (fault === null) return null;
  const { class: faultClass, code, message } = viewFor("model", fault, { correlationId: "" });
  return { class: faultClass, code, message };
}
