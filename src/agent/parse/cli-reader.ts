// What a reader of one CLI's output is: it is given values and lines, and tells a run what they mean.

import type { AgentRun } from "./agent-run.ts";
import type { JsonObject } from "../../core/json-fields.ts";

export interface CliReader {
  /** A JSON object of stdout; false when its kind is not known. */
  readonly value: (value: JsonObject) => boolean;
  /** A JSON object of stderr; false when its kind is not known. */
  readonly stderrValue?: (value: JsonObject) => boolean;
  /** A plain line of stderr, without colours. */
  readonly stderr?: (line: string) => void;
  /** An event that stands behind other text on its line, for CLIs that write so. */
  readonly behindText?: (line: string) => unknown;
}

export type CreateReader = (run: AgentRun) => CliReader;
