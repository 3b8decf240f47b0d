// The command line for each operator action, as a table. `…` marks what the person has to fill in.

import type { ActionId, OfferedAction } from "../../core/flow/action.ts";
import { exampleOf } from "../../core/flow/answer-form.ts";
import { INTERACTIONS, type Question } from "../../core/index.ts";
import type { RunCommandDeps } from "./run-deps.ts";

const BLANK = "…";

type Spell = (run: string, action: OfferedAction) => readonly string[];

const SPELLED: Readonly<Partial<Record<ActionId, Spell>>> = {
  "continue-discussion": (run) => ["runs", "continue", run, "--text", BLANK],
  "retry-now": (run) => ["runs", "retry", run, "--now"],
  "retry-stage": (run) => ["runs", "retry", run],
  "switch-provider": (run, { choices }) => ["runs", "switch", run, "--to", choices[0] ?? BLANK],
  "resume": (run) => ["workflow", "resume", run],
  "cancel": (run) => ["runs", "cancel", run],
};

/** The parameters of an action as options of `runs do`. */
const FILLED: Readonly<Record<OfferedAction["needs"], (action: OfferedAction) => readonly string[]>> = {
  nothing: () => [],
  text: () => ["--text", BLANK],
  target: ({ choices }) => ["--target", choices[0] ?? BLANK],
  limits: ({ limits }) =>
    LIMIT_OPTIONS.flatMap(({ name, option }) => (name in limits ? [option, BLANK] : [])).slice(0, 2),
  answer: () => [],
  commands: () => ["--command", BLANK],
  tools: () => ["--tool", BLANK],
};

/** The engine's name of each limit, and the option that raises it. */
const LIMIT_OPTIONS = [
  { name: "maxCostMicrocents", option: "--max-cost-usd" },
  { name: "timeoutMs", option: "--timeout" },
  { name: "maxNodes", option: "--max-nodes" },
  { name: "turnCap", option: "--turn-cap" },
] as const;

/** `offered` holds all offered actions: if several are of the same kind, the command includes a key. */
export function commandFor(
  { command }: Pick<RunCommandDeps, "command">,
  run: string,
  action: OfferedAction,
  offered: readonly OfferedAction[],
  questions: readonly Question[],
): string {
  if (action.needs === "answer") {
    const question = questions.find(({ id }) => id === action.question);
    const isOnly = questions.length === 1;
    return command("runs", "answer", isOnly ? run : action.question, ...answerWords(question));
  }
  const isOneOfMany = offered.filter(({ id }) => id === action.id).length > 1;
  const spell = SPELLED[action.id];
  if (spell !== undefined && !isOneOfMany) return command(...spell(run, action));
  const key = isOneOfMany ? ["--key", action.key] : [];
  return command("runs", "do", run, action.id, ...FILLED[action.needs](action), ...key);
}

/** The words that answer the question. Every option is named, so that none is suggested; the shell quotes them, so nothing is answered by accident. */
export function answerWords(question: Question | undefined): readonly string[] {
  if (question === undefined) return [BLANK];
  const { payload } = question;
  // Answers given here are recorded, and a secret must not be.
  if (INTERACTIONS[payload.kind].secret) return ["--reject", BLANK];
  if (payload.kind === "Select") return [payload.options.map(({ id }) => id).join("|") || BLANK];
  if (payload.kind === "Ask") return [exampleOf(payload.schema)];
  return [INTERACTIONS[payload.kind].answer === "yes-no" ? "yes|no" : BLANK];
}
