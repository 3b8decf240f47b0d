// A rule is a row: the signals it requires and the code they mean. Rows are ordered, and the first match wins.

import type { FaultCode } from "../fault/catalogue.ts";
import type { EvidenceSource } from "../fault/fault.ts";
import type { Evidence, Surface } from "./evidence.ts";

/** Every condition given must hold; within one condition any of the values will do. */
export interface When {
  readonly surface?: readonly Surface[];
  /** Matches a provider whose name starts so: `gemini` is also `gemini-cli`. */
  readonly provider?: readonly string[];
  /** Only what came from a provider: the same words in an error of the program itself say nothing about a request. */
  readonly fromProvider?: true;
  readonly aborted?: "session" | "turn" | "tool" | "no";
  /** Identifiers in lower case: error types, codes and names. */
  readonly token?: readonly string[];
  readonly errno?: readonly string[];
  readonly stop?: readonly string[];
  readonly rpcCode?: readonly number[];
  readonly signal?: readonly string[];
  readonly exitCode?: readonly number[];
  readonly status?: readonly number[];
  /** Words: each group must be said, by any of its phrases (see `read-text.ts` for how they match). */
  readonly says?: readonly (readonly string[])[];
  /** The groups of `says` must lie this close together (characters). Without it, anywhere in the text. */
  readonly within?: number;
  /** None of these phrases may be said. */
  readonly unless?: readonly string[];
  readonly emptyBody?: true;
  /** No HTTP error status: there was an answer to read. Below an error status, a body that cannot be read is a side effect. */
  readonly answered?: true;
}

/** A row of the classifier: the signals it looks for and the fault code they mean. */
export interface Rule {
  /** `group/name`, unique; it is written into every fault the rule makes. */
  readonly id: string;
  readonly when: When;
  readonly means: FaultCode;
  /** The code to use instead when a tool or an MCP server failed rather than a provider. */
  readonly onTool?: FaultCode;
  /** No connection came about, so that nothing has reached the other side. */
  readonly neverSent?: true;
  /** A real signal that this row recognises; a test runs each. A string is error text. */
  readonly example: Evidence | string;
}

export interface RuleGroup {
  readonly source: EvidenceSource;
  /** Made on first use: a program that meets no failure does not pay for the tables. */
  readonly rules: () => readonly Rule[];
}
