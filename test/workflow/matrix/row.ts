// A row of the suite: a workflow, a failure, and everything that is visible from outside.

import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { FaultClass, FaultCode } from "../../../src/core/fault/catalogue.ts";
import type { ActionId } from "../../../src/core/flow/action.ts";
import type { RunStatus } from "../../../src/core/flow/run-state.ts";
import type { RunReport } from "../../../src/workflow/runs-api.ts";
import type { MatrixWorld } from "./world.ts";

/** What is visible of a run that is over or waits for a person. */
export interface Seen {
  readonly status: RunStatus;
  readonly outcome: string;
  readonly fault: `${FaultClass}/${FaultCode}` | null;
  /** How many times a whole stage was retried, and how many times a call was retried within a stage. */
  readonly retries: { readonly workflow: number; readonly transport: number };
  /** Between the attempts of calls, in milliseconds, without jitter. */
  readonly waitsMs: readonly number[];
  /** 0.2 means ±20 %; 0 if the waits are exact. */
  readonly jitter: number;
  /** Why and for how long the run paused: `parked 3600 s`, `gate`. */
  readonly pauses: readonly string[];
  /** Requests that reached the provider, or processes that were started, by model, CLI or program. */
  readonly asked: Readonly<Record<string, number>>;
  /** Visited nodes: `coder#1`, with their end unless completed: `tests#1 failed`. */
  readonly way: readonly string[];
  /** Nodes with all three files kept: raw output, events, and their meaning. */
  readonly files: readonly string[];
  /** The actions offered to the operator, best first. */
  readonly actions: readonly ActionId[];
  /** The first action that the stage's file recommends; null if the run continues by itself. */
  readonly nextAction: ActionId | null;
  /** The beginning of the operator's text about the failure. */
  readonly says: { readonly en: string; readonly zh: string };
}

export interface Row {
  /** A sentence: what fails, and what happens then. */
  readonly name: string;
  /** The row of the seed's table that it proves: `002 Provider timeout`, `000 Session store`. */
  readonly seed: string;
  /** The injected failure, in a few words. */
  readonly injected: string;
  /** A file of `fixtures/`. */
  readonly file: string;
  /** Replacements in the file for this row. */
  readonly edits?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** The provider's scenario; by default it answers well. */
  readonly rules?: readonly ScenarioRule[];
  /** What the agent CLIs do, one entry per start; the last is repeated. A CLI that is not listed is not installed. */
  readonly clis?: Readonly<Record<string, readonly CliDeed[]>>;
  /** Real time, for effects that only a busy machine shows; hurried where that makes it busy for long. */
  readonly inRealTime?: true | "hurried";
  /** The node whose failure the row is about. */
  readonly node: string;
  /** Everything that happens after the run was started. Default: advance it once. */
  readonly goes?: (world: MatrixWorld, run: string) => Promise<void>;
  readonly expected: Seen;
  /** In the node's raw output file. */
  readonly raw?: string;
  /** Further checks. */
  readonly also?: (world: MatrixWorld, report: RunReport) => void;
}

/** A recording of a real CLI by name, or what is printed before it hangs forever. */
export type CliDeed = string | { readonly hangsAfter: string };
