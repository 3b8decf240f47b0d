// How a run ends, as the events that say so: completed, failed with what failed, cancelled, or broken by a bug.

import type { FaultCode } from "../../core/fault/catalogue.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { matrixOutcome, type MatrixOutcome, MATRIX_OUTCOMES } from "../../core/fault/vocabulary.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import { type RunState, visitOf } from "../../core/flow/run-state.ts";
import { siblingsOf } from "../../core/flow/run.ts";

export interface RunEnding {
  readonly events: readonly RunEvent[];
  /** Of its session. */
  readonly status: "done" | "failed" | "cancelled";
  readonly message: string;
}

/** The visit it fails because of, and those beside it that are passed over. */
export function failedEnd(state: RunState): RunEnding {
  const { node, execution, outcome } = state.failing ?? { node: "", execution: 0, outcome: "" };
  const visit = visitOf(state, { node, execution });
  const why = visit?.fault ?? fault("InvariantBroken", { message: "a run failed without a fault" });
  const beside = (visit === undefined ? [] : siblingsOf(state, visit)).map((sibling): RunEvent => {
    const place = { node: sibling.node, execution: sibling.execution, attempt: sibling.attempt };
    return { type: "node-skipped", ...place, reason: "sibling-failed", fault: null, route: null };
  });
  const ended = { type: "run-ended", status: "failed", outcome, node, fault: why } as const;
  return { events: [...beside, ended], status: "failed", message: why.message };
}

export function completedEnd(state: RunState): RunEnding {
  const last = state.ends.findLast(({ outcome }) => outcome !== "") ?? { node: "", outcome: "completed" };
  const declared = MATRIX_OUTCOMES.find((outcome) => outcome === last.outcome);
  if (declared === undefined) {
    const ended = { type: "run-ended", status: "completed", outcome: last.outcome, node: "", fault: null } as const;
    return { events: [ended], status: "done", message: "" };
  }
  // A path may end in one of the matrix's outcomes, and those are failures: of the node that led there, if it has failed.
  const led = state.visits.findLast(({ node }) => node === last.node)?.fault;
  const seen = state.visits.findLast(
    (visit) => visit.fault !== null && matrixOutcome(visit.fault.code, "coder") === declared,
  )?.fault;
  const message = `the workflow ended at ${last.node} with ${declared}`;
  const why = led ?? seen ?? fault(DECLARED_AS[declared], { message, context: { stage: last.node, declared: true } });
  const ended = { type: "run-ended", status: "failed", outcome: declared, node: last.node, fault: why } as const;
  return { events: [ended], status: "failed", message };
}

/** What an outcome that a workflow declares itself means, when nothing in the run has failed in that way. */
const DECLARED_AS: Readonly<Record<MatrixOutcome, FaultCode>> = {
  provider_network_error: "NetworkDisconnect",
  provider_timeout: "NetworkTimeout",
  provider_auth_error: "AuthFailed",
  provider_not_found: "BinaryMissing",
  review_schema_invalid: "SchemaInvalid",
  tester_schema_invalid: "SchemaInvalid",
  test_failed: "TestsFailed",
  provider_permission_denied: "PermissionLoop",
  approval_rejected: "ApprovalRejected",
  canceled: "SessionCancelled",
  provider_quota_exceeded: "QuotaExhausted",
  provider_runtime_error: "ExecutionFailed",
  provider_unsupported: "MissingCapability",
  max_iterations_reached: "TurnLimit",
  internal_error: "ExecutionFailed",
};

export function cancelledEnd(by: string): RunEnding {
  const message = `the run was cancelled by ${by}`;
  const why = fault("SessionCancelled", { message });
  const ended = { type: "run-ended", status: "cancelled", outcome: "canceled", node: "", fault: why } as const;
  return { events: [ended], status: "cancelled", message };
}

/** Something inside is broken, and no node is to blame. */
export function brokenEnd(why: Fault): RunEnding {
  const outcome = matrixOutcome(why.code, "coder");
  const ended = { type: "run-ended", status: "failed", outcome, node: "", fault: why } as const;
  return { events: [ended], status: "failed", message: why.message };
}
