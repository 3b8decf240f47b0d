// What an operator can do about a run, as data: a row per action, and which of them are offered for the state a run is in.

/** What an operator can do; the ids are stable, as programs and pages send them. */
export const ACTION_IDS = [
  "answer",
  "continue-discussion",
  "retry-now",
  "retry-stage",
  "sign-in-again",
  "grant-and-retry",
  "raise-limit",
  "regenerate-once",
  "shorten-context",
  "send-back",
  "edit-and-retry",
  "switch-provider",
  "accept-partial",
  "resume",
  "cancel",
] as const;
export type ActionId = (typeof ACTION_IDS)[number];

export type ActionNeeds = "nothing" | "text" | "target" | "limits" | "answer" | "commands" | "tools";

export type ActionEffect =
  | "instruct" //  in place: the visit waits, and gets another attempt with this instruction
  | "successor" // the run has ended: a linked run starts at the node, with this instruction
  | "answer" //    an open question gets its answer
  | "resume" //    somebody advances it again
  | "cancel";

/** An action as a surface shows it, and as it is sent back. */
export interface OfferedAction {
  readonly id: ActionId;
  /** Empty for an action on the whole run. */
  readonly node: string;
  readonly execution: number;
  readonly label: string;
  readonly explains: string;
  /** What is done again. */
  readonly redoes: string;
  /** What stays as it is. */
  readonly keeps: string;
  readonly needs: ActionNeeds;
  /** Targets to choose from, or the ids of a question's options; empty where there is nothing to choose. */
  readonly choices: readonly string[];
  readonly effect: ActionEffect;
  /** The question it answers; empty for every other effect. */
  readonly question: string;
  /** The same for the same offer: taken twice it is done once. */
  readonly key: string;
}
