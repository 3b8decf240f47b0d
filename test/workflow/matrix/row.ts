// What a row of the suite is: a workflow, a failure, and everything that is seen of it from outside.

import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { FaultClass, FaultCode } from "../../../src/core/fault/catalogue.ts";
import type { ActionId } from "../../../src/core/flow/action.ts";
import type { RunStatus } from "../../../src/core/flow/run.ts";
import type { RunReport } from "../../../src/workflow/runs-api.ts";
import type { MatrixWorld } from "./world.ts";

/** What is seen of a run when it is over, or waits for a person. */
export interface Seen {
  readonly status: RunStatus;
  readonly outcome: string;
  readonly fault: `${FaultClass}/${FaultCode}` | null;
  /** Times that a whole stage was done again, and times that a call was made again within a stage. */
  readonly retries: { readonly workflow: number; readonly transport: number };
  /** Between the attempts of calls, in milliseconds, without their jitter. */
  readonly waitsMs: readonly number[];
  /** ±0.2 is 20 %; 0 when the waits are exact. */
  readonly jitter: number;
  /** Why and for how long the run was put away: `parked 3600 s`, `gate`. */
  readonly pauses: readonly string[];
  /** Requests that reached the provider, or processes that were started, by the name of the model, CLI or program. */
  readonly asked: Readonly<Record<string, number>>;
  /** Nodes as they were visited: `coder#1`, and how each ended when it was not completed: `tests#1 failed`. */
  readonly way: readonly string[];
  /** Nodes about which all three files were kept: raw output, events, and what they mean. */
  readonly files: readonly string[];
  /** What the operator is offered, best first. */
  readonly actions: readonly ActionId[];
  /** What the file about the stage says an operator would do first; null where the run goes on by itself. */
  readonly nextAction: ActionId | null;
  /** How what the operator reads about the failure begins. */
  readonly says: { readonly en: string; readonly zh: string };
}

export interface Row {
  /** A sentence: what fails, and what comes of it. */
  readonly name: string;
  /** The row of the seed's table it proves: `002 Provider timeout`, `000 Session store`. */
  readonly seed: string;
  /** What is made to fail, in a few words. */
  readonly injected: string;
  /** A file of `fixtures/`. */
  readonly file: string;
  /** Words of the file that are something else in this row. */
  readonly edits?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** What the provider does; without it it answers well. */
  readonly rules?: readonly ScenarioRule[];
  /** What the agent CLIs do, one entry for each time they are started; the last is repeated. A CLI that is not named is not installed. */
  readonly clis?: Readonly<Record<string, readonly CliDeed[]>>;
  /** Real time, for what only a busy machine can show. */
  readonly inRealTime?: true;
  /** The node whose failure the row is about. */
  readonly node: string;
  /** Everything that happens after the run was started; advancing it once when left out. */
  readonly goes?: (world: MatrixWorld, run: string) => Promise<void>;
  readonly expected: Seen;
  /** In the raw output that was kept about the node. */
  readonly raw?: string;
  /** What else must be true. */
  readonly also?: (world: MatrixWorld, report: RunReport) => void;
}

/** A recording of a real CLI by its name; or what is printed before it hangs for ever. */
export type CliDeed = string | { readonly hangsAfter: string };
