// The interface of a CLI reader. It gets values and lines and records their meaning in a run.

import type { AgentRun } from "./agent-run.ts";
import type { JsonObject } from "../../core/json-fields.ts";

export interface CliReader {
  /** Reads a JSON object from stdout; returns false if its type is unknown. */
  readonly value: (value: JsonObject) => boolean;
  /** Reads a JSON object from stderr; returns false if its type is unknown. */
  readonly stderrValue?: (value: JsonObject) => boolean;
  /** Reads a plain line from stderr, without colours. */
  readonly stderr?: (line: string) => void;
  /** Finds an event after other text on the same line, for CLIs that print like that. */
  readonly behindText?: (line: string) => unknown;
}

export type CreateReader = (run: AgentRun) => CliReader;
