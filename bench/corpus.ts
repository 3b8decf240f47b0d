// Reads labelled failures and measures a classifier on them.

import { classify, traitsOf, type Evidence, type FaultCode } from "../src/core/index.ts";
import { classifyError } from "../src/error-classifier/index.ts";

export interface LabelledFailure {
  readonly id: string;
  readonly evidence: Evidence;
  readonly codes: readonly FaultCode[];
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
}

export interface Accuracy {
  readonly cases: number;
  /** Retryable, context overflow, or other: right on this share. */
  readonly threeWay: number;
  /** One of the right codes. */
  readonly exact: number;
  /** The right wait, or rightly none. */
  readonly timing: number;
}

type ThreeWay = "retryable" | "overflow" | "other";

interface CorpusLine {
  readonly id: string;
  readonly surface: Evidence["surface"];
  readonly provider: string | null;
  readonly input: Partial<Evidence>;
  readonly expect: {
    readonly codes: readonly FaultCode[];
    readonly retryable: boolean;
    readonly retryAfterMs: number | null;
  };
}

/** The time at which the failures are classified. Only waits given as a point in time depend on it. */
const OBSERVED_AT = Date.UTC(2026, 10, 15);

export function parseCorpus(text: string): readonly LabelledFailure[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const { id, surface, provider, input, expect } = JSON.parse(line) as CorpusLine;
      return { id, evidence: { observedAt: OBSERVED_AT, ...input, surface, provider }, ...expect };
    });
}

export function measure(cases: readonly LabelledFailure[]): Accuracy {
  const faults = cases.map(({ evidence }) => classify(evidence));
  const share = (right: (index: number) => boolean): number =>
    cases.filter((_, index) => right(index)).length / cases.length;
  return {
    cases: cases.length,
    threeWay: share((index) => wayOf(faults[index]?.code ?? "Unclassified") === wantedWay(cases[index])),
    exact: share((index) => cases[index]?.codes.includes(faults[index]?.code ?? "Unclassified") === true),
    timing: share((index) => (faults[index]?.retryAfterMs ?? null) === cases[index]?.retryAfterMs),
  };
}

/** The specification's own list of patterns, applied to all text of the failure. */
export function measurePatternList(cases: readonly LabelledFailure[]): number {
  const right = cases.filter((failure) => {
    const { status, body, message, code } = failure.evidence;
    const text = [status, typeof body === "string" ? body : JSON.stringify(body), message, code]
      .filter((part) => part !== undefined)
      .join(" ");
    const category = classifyError(text);
    const way: ThreeWay =
      category === "retryable" ? "retryable" : category === "context_overflow" ? "overflow" : "other";
    return way === wantedWay(failure);
  });
  return right.length / cases.length;
}

function wayOf(code: FaultCode): ThreeWay {
  if (code === "ContextOverflow") return "overflow";
  return traitsOf(code).retryable ? "retryable" : "other";
}

function wantedWay(failure: LabelledFailure | undefined): ThreeWay {
  if (failure?.codes.includes("ContextOverflow") === true) return "overflow";
  return failure?.retryable === true ? "retryable" : "other";
}
