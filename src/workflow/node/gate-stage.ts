// A node that waits for a person. What was answered is its output; where a no leads is for its edges to say, and a no that leads
// nowhere fails the node.

import { fault } from "../../core/fault/fault.ts";
import type { Answer, QuestionPayload } from "../../core/flow/interaction.ts";
import type { Stage, StageScope } from "../../workflow-model/stage.ts";
import { StageFailure } from "../advance/stage-failure.ts";
import { initUnlessSkipped, type NodeDeps, stageBase } from "./base.ts";
import { firstOpenRoute } from "./edges.ts";
import { expressionScope, rendered, scopeAfter } from "./expression-scope.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";

type GateOptions = Extract<NodeOptions, { readonly kind: "human_gate" }>;

export interface GateOutput {
  readonly approved: boolean;
  /** The id of the option, for Select. */
  readonly choice?: string;
  /** What was said, for Ask. */
  readonly text?: unknown;
  /** Why it was rejected, as far as somebody said. */
  readonly reason?: string;
  /** Nobody answered in time, and `on_timeout` did. */
  readonly timedOut?: true;
}

export function gateStage(options: GateOptions, home: NodeDeps): Stage {
  return {
    ...stageBase(options, home),
    kind: "human_gate",
    timeoutMs: attemptMs(options),
    init: initUnlessSkipped(options, home, (scope) => rendered(options.prompt, expressionScope(scope))),
    act: async (request, tools, scope) => {
      const payload = PAYLOADS[options.ask](request, options, scope);
      const output =
        toldByOperator(scope) ?? outputOf(options, await tools.ask({ payload, timeoutMs: options.gateTimeoutMs }));
      if (!output.approved && !(await hasWayForNo(options, home, scope, output))) throw notApproved(options.id, output);
      return { output, capHit: false };
    },
  };
}

/** An operator may choose an option and say something about it, which a question has no room for. */
function toldByOperator({ instruction }: StageScope): GateOutput | null {
  const { option, text } = instruction?.params ?? {};
  return typeof option === "string" ? { approved: true, choice: option, text } : null;
}

/** Writing the answer down takes a moment, too. */
const AFTER_ANSWER_MS = 60_000;

/** A person who is asked where the program runs thinks within the attempt, which must not be over before the question is. */
function attemptMs({ timeoutMs, gateTimeoutMs }: GateOptions): number {
  return gateTimeoutMs === null ? Infinity : Math.max(timeoutMs, gateTimeoutMs + AFTER_ANSWER_MS);
}

type MakePayload = (prompt: string, options: GateOptions, scope: StageScope) => QuestionPayload;

const PAYLOADS: Readonly<Record<GateOptions["ask"], MakePayload>> = {
  Approve: (prompt, { id }, { run, execution }) => ({
    kind: "Approve",
    prompt,
    tool: id,
    approvalKey: `${run}/${id}#${execution}`,
  }),
  Confirm: (prompt) => ({ kind: "Confirm", prompt }),
  Select: (prompt, { options }) => ({ kind: "Select", prompt, options }),
  Ask: (prompt, { id }) => ({ kind: "Ask", prompt, field: id }),
};

/** What an accepted answer says, by what was asked. */
const ACCEPTED: Readonly<Record<GateOptions["ask"], (value: unknown) => GateOutput>> = {
  Approve: (value) => ({ approved: value === true }),
  Confirm: (value) => ({ approved: value === true }),
  Select: (value) => ({ approved: true, choice: String(value) }),
  Ask: (value) => ({ approved: true, text: value }),
};

function outputOf({ ask, onTimeout }: GateOptions, answer: Answer): GateOutput {
  switch (answer.status) {
    case "accepted":
      return ACCEPTED[ask](answer.value);
    case "rejected":
      return { approved: false, reason: answer.reason };
    case "timeout":
      return { approved: onTimeout === "approve", timedOut: true };
  }
}

/** Edges with a condition were written by somebody who thought of it; an edge without one means that all went well. */
async function hasWayForNo(
  { id, next }: GateOptions,
  { sandbox, outcomeWord }: NodeDeps,
  scope: StageScope,
  output: GateOutput,
): Promise<boolean> {
  if (!next.some(({ when }) => when !== null)) return false;
  const after = scopeAfter(scope, { status: "completed", output, capHit: false, fault: null });
  const { executionsOf } = scope;
  return (await firstOpenRoute({ node: id, edges: next, sandbox, scope: after, executionsOf, outcomeWord })) !== null;
}

function notApproved(node: string, output: GateOutput): StageFailure {
  const why = output.timedOut === true ? "no answer came in time" : (output.reason ?? "");
  const message = `gate ${node} was not approved${why === "" ? "" : `: ${why}`}`;
  return new StageFailure(fault("ApprovalRejected", { message, context: { stage: node } }), output);
}
