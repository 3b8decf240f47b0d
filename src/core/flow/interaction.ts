// Questions to a person and their answers, as data. What each kind asks, how long it waits, and what an answer means for
// the call that is held up: a table each. A question that is not answered in time is a no.

import type { FaultCode } from "../fault/catalogue.ts";
import type { QuestionKind } from "../decide/decision.ts";

export type InteractionKind = QuestionKind | "Auth.Password";

export interface SelectOption {
  readonly id: string;
  readonly label: string;
}

/** What a question shows. Never a secret: it is journaled and shown on pages. */
export type QuestionPayload =
  | { readonly kind: "Ask"; readonly prompt: string; readonly field: string }
  | { readonly kind: "Approve"; readonly prompt: string; readonly tool: string; readonly approvalKey: string }
  | { readonly kind: "Select"; readonly prompt: string; readonly options: readonly SelectOption[] }
  | { readonly kind: "Confirm"; readonly prompt: string }
  | { readonly kind: "Auth.DeviceCode"; readonly prompt: string; readonly url: string; readonly code: string }
  | { readonly kind: "Auth.Password"; readonly prompt: string };

export interface Question {
  readonly id: string;
  /** The call that waits for the answer. */
  readonly call: string;
  readonly turn: string;
  readonly session: string;
  /** What made it necessary; null when no fault did. */
  readonly code: FaultCode | null;
  readonly payload: QuestionPayload;
  readonly askedAt: number;
  readonly expiresAt: number;
}

export type Answer =
  | { readonly status: "accepted"; readonly value: unknown }
  | { readonly status: "rejected"; readonly reason: string }
  | { readonly status: "timeout" };

interface InteractionRow {
  /** How long an answer is waited for. */
  readonly timeoutMs: number;
  /** What the question is for, quoted from real use. */
  readonly example: string;
  /** The answer itself is a secret: it reaches whoever asked, and nothing else. */
  readonly secret: boolean;
}

// prettier-ignore
export const INTERACTIONS: Readonly<Record<InteractionKind, InteractionRow>> = {
  "Ask":             { timeoutMs: 120_000, secret: false, example: "Provide a replacement input?" },
  "Approve":         { timeoutMs: 120_000, secret: false, example: "Retry the tool call?" },
  "Select":          { timeoutMs: 120_000, secret: false, example: "The quota is used up until 17:00. What now?" },
  "Confirm":         { timeoutMs: 60_000,  secret: false, example: "Delete the branch?" },
  "Auth.DeviceCode": { timeoutMs: 300_000, secret: false, example: "Authenticate again? Open the page and enter ABCD-1234." },
  "Auth.Password":   { timeoutMs: 120_000, secret: true,  example: "Password for the package registry:" },
};

export const INTERACTION_KINDS = Object.freeze(Object.keys(INTERACTIONS)) as readonly InteractionKind[];
