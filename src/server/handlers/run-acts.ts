// What operators do with runs.

import { createHash } from "node:crypto";
import type { HandlersOf } from "../asked.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";

export function runActHandlers({
  workflows,
  journal,
}: ServerParts): HandlersOf<"startRun" | "act" | "cancelRun" | "resumeRun"> {
  const { runs } = workflows;
  return {
    async startRun({ who, idempotencyKey, body: { workflow: id, inputs, run: given } }) {
      const known = await workflows.find(id);
      if (known?.canStart !== true) throw new Refused("cannot-start");
      const keyed = idempotencyKey === "" ? undefined : runOfKey(who.name, idempotencyKey);
      const run = given ?? keyed;
      // The server that took this request before died before it could answer.
      if (run !== undefined && run === keyed && ((await journal.kept("run", run)) ?? null) !== null) return { run };
      const started = await runs.start(known.workflow, {
        by: who.name,
        ...(inputs === undefined ? {} : { inputs }),
        ...(run === undefined ? {} : { run }),
      });
      return { run: started };
    },
    async act({ who, params: { run }, body: { action, params, key } }) {
      return runs.act(run, action, {
        by: who.name,
        ...(params === undefined ? {} : { params }),
        ...(key === undefined ? {} : { key }),
      });
    },
    async cancelRun({ who, params: { run } }) {
      await runs.cancel(run, who.name);
      return { run, did: true };
    },
    async resumeRun({ who, params: { run } }) {
      await runs.resume(run, null, { by: who.name });
      return { run, did: true };
    },
  };
}

/** A repeated request finds the run that it has started. */
function runOfKey(by: string, key: string): string {
  return `run_${createHash("sha256").update(`${by}\0${key}`).digest("hex").slice(0, 20)}`;
}
