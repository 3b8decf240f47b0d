// A node that waits for a person. The answer is its output. Its edges decide where a no leads; without such an edge, a no fails the
// node.

import { fault } from "../../core/fault/fault.ts";
import type { Answer, QuestionPayload } from "../../core/flow/interaction.ts";
import type { Stage, StageScope } from "../../workflow-model/stage.ts";
import { StageFailure } from "../advance/attempt.ts";
import { initUnlessSkipped, type NodeDeps, stageBase, firstOpenRoute } from "./base.ts";
import { expressionScope, rendered, scopeAfter } from "./expression-scope.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";

type GateOptions = Extract<NodeOptions, { readonly kind: "human_gate" }>;

export interface GateOutput {
  readonly approved: boolean;
  /** The id of the option, for Select. */
  readonly choice?: string;
  /** The text of the answer, for Ask. */
  readonly text?: unknown;
  /** Why it was rejected, if a reason was given. */
  readonly reason?: string;
  /** The question expired, and `on_timeout` answered it. */
  readonly timedOut?: true;
}

export function gateStage(options: GateOptions, deps: NodeDeps): Stage {
  return {
    ...stageBase(options, deps),
    kind: "human_gate",
    timeoutMs: attemptMs(options),
    init: initUnlessSkipped(options, deps, (scope) => rendered(options.prompt, expressionScope(scope))),
    act: async (request, tools, scope) => {
      const { ask, onTimeout } = options;
      const asked = PAYLOADS[ask](request, options, scope);
      const payload = onTimeout === "approve" ? { ...asked, onTimeout } : asked;
      const output =
        toldByOperator(scope) ?? outputOf(options, await tools.ask({ payload, timeoutMs: options.gateTimeoutMs }));
      if (!output.approved && !(await hasWayForNo(options, deps, scope, output))) throw notApproved(options.id, output);
      return { output };
    },
  };
}

/** An operator's comment on the chosen option, which the answer to a question cannot hold. */
function toldByOperator({ instruction }: StageScope): GateOutput | null {
  const { option, text } = instruction?.params ?? {};
  return typeof option === "string" ? { approved: true, choice: option, text } : null;
}

/** Extra time to record the answer. */
const AFTER_ANSWER_MS = 60_000;

/** When the person is asked in this process, the attempt waits for the answer, so it must not time out before the question does. */
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

/** Reads an accepted answer, by kind of question. */
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

/** Only an edge with a condition can mean a no; an edge without one is for the yes. */
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
