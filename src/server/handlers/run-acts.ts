// What operators do with runs.

import { createHash } from "node:crypto";
import type { HandlersOf } from "../handler.ts";
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
    async act({ who, params: { run }, body: { action, params, key: given }, idempotencyKey, intend }) {
      // The offer that is meant is the one of now, also when the request is repeated after a crash.
      const key = given ?? (idempotencyKey === "" ? null : await intend(() => keyOfOffer(run, action)));
      return runs.act(run, action, {
        by: who.name,
        ...(params === undefined ? {} : { params }),
        ...(key === null ? {} : { key }),
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

  /** null when the run does not offer it. */
  async function keyOfOffer(run: string, action: string): Promise<string | null> {
    return (await runs.show(run))?.actions.find(({ id }) => id === action)?.key ?? null;
  }
}

/** A repeated request finds the run that it has started. */
function runOfKey(by: string, key: string): string {
  return `run_${createHash("sha256").update(`${by}\0${key}`).digest("hex").slice(0, 20)}`;
}
