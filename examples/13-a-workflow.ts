// A workflow in TypeScript: a stage is retried, the run fails, and an operator continues it after the cause is fixed.

import { createWorkflows, defineWorkflow, stage } from "faultline/workflow";
import { fault, FaultError, tool } from "faultline";

let isDown = true;
const publish = tool({
  id: "publish",
  idempotent: true,
  retry: { maxAttempts: 2, backoff: { initialMs: 1 } },
  run: (text: string) => {
    if (isDown) throw new FaultError(fault("ToolUnavailable", { message: "the printer is away" }));
    return `published: ${text}`;
  },
});

const workflow = defineWorkflow({
  id: "letter",
  stages: {
    draft: stage({
      retryPolicy: { maxAttempts: 2, backoff: { initialMs: 1 } },
      act: (_request, _tools, { attempt }) => (attempt === 1 ? "hello wrld" : "hello world"),
      assert: ({ output }) =>
        output === "hello world" ? { verdict: "ok" } : { verdict: "retry", reason: "a letter is missing" },
    }),
    print: stage({
      idempotent: true,
      act: (_request, { turn }, { nodes }) => turn.call(publish, String(nodes["draft"]?.output)),
    }),
  },
});

const workflows = createWorkflows({ workflows: [workflow] });
const { runs } = workflows;
const first = await runs.start(workflow);
const end = await runs.advance(first);
console.log(end.status, end.outcome, end.fault?.code);
// failed provider_network_error ToolUnavailable

const report = await runs.show(first);
console.log(report?.state.visits.map(({ node, state, attempt, callAttempts }) => [node, state, attempt, callAttempts]));
// [ [ 'draft', 'completed', 2, 0 ], [ 'print', 'failed', 1, 2 ] ]
console.log(report?.actions.map(({ id }) => id).includes("retry-stage"));
// true

// An operator switches the printer on and retries. The draft is not written again.
isDown = false;
const { run: second } = await runs.act(first, "retry-stage", { by: "ann" });
console.log((await runs.advance(second)).status, (await runs.show(first))?.summary.successor === second);
// completed true

await workflows.close();
