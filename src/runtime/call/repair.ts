// Carries out what was decided about a request before it is sent again: a fresh credential, a smaller request, the mistake
// told to the model; and makes it fit the target in charge. Each change is written down before the attempt that uses it.
// Y1  a compacted request is strictly smaller, or it is not used.
// Y2  a repair that fails is told, and the next recourse of the row is taken: it never fails the call by itself.

import { classify } from "../../core/classify/classify.ts";
import type { Fault } from "../../core/fault/fault.ts";
import type { CallState, RequestChange } from "../../core/flow/call.ts";
import type { Repairs } from "../tool/chain-part.ts";
import { redecide } from "./call-ending.ts";
import type { LiveCall } from "./live-call.ts";

/** False when the call cannot go on like this: it was cancelled, or something else has been decided. */
export async function carryOutRepair(run: LiveCall, { decision, fault: about }: CallState): Promise<boolean> {
  const part = run.binding.tool.chain;
  const repair = decision === null ? undefined : REPAIRS[decision.recourse];
  if (part === null || about === null || repair === undefined) return true;
  const done = await inTime(run, (signal) => repair(part.repairs, run.given, about, signal));
  if (run.cancelled !== null) return false;
  if (done === null) {
    await redecide(run, about);
    return false;
  }
  if (done.input !== run.given) run.replaceInput(done.input);
  await writeAdapted(run, [{ rule: done.rule, where: "request", why: done.why }], done.kept);
  return true;
}

interface Repaired {
  readonly input: unknown;
  /** Nobody could make it again, so the journal keeps it. */
  readonly kept: boolean;
  readonly rule: string;
  readonly why: string;
}

type Repair = (repairs: Repairs, input: unknown, about: Fault, signal: AbortSignal) => Promise<Repaired | null>;

const REPAIRS: Readonly<Record<string, Repair | undefined>> = {
  "compact": async ({ compact, sizeOf }, input, about, signal) => {
    const smaller: unknown = (await compact?.(input, about, signal)) ?? null;
    if (smaller === null) return null;
    const [before, after] = [sizeOf(input), sizeOf(smaller)];
    return after < before
      ? { input: smaller, kept: true, rule: "compacted", why: `from about ${before} to about ${after} tokens` }
      : null;
  },
  "regenerate": ({ regenerate }, input, about) =>
    Promise.resolve(
      regenerate === null
        ? null
        : {
            input: regenerate(input, about),
            kept: true,
            rule: "asked-again",
            why: "the answer was not usable; the reason is told",
          },
    ),
  "refresh-credential": async ({ refresh }, input, about, signal) => {
    if (refresh === null) return null;
    const fresh = await refresh(input, about, signal);
    // A credential is never kept: the next life gets one of its own.
    return { input: fresh, kept: false, rule: "credential-refreshed", why: "the old one was refused" };
  },
};

/** Makes the request fit the target in charge. */
export async function fitToTarget(run: LiveCall): Promise<void> {
  const part = run.binding.tool.chain;
  if (part === null) return;
  const { input, changes } = part.repairs.fit(run.given);
  run.fitted(input);
  if (changes.length > 0) await writeAdapted(run, changes, false);
}

async function writeAdapted(run: LiveCall, changes: readonly RequestChange[], kept: boolean): Promise<void> {
  const { call, record, request, binding } = run;
  const { session } = request.recorder;
  const event = { type: "call-adapted", call, tool: binding.tool.id, changes, kept } as const;
  const key = `${session}/${call}`;
  await record.write(event, kept && session !== "" ? [{ kind: "input", key, value: { value: run.given } }] : []);
}

/** null: it could not be done. Somebody else's code: it may throw, and it may hang. */
async function inTime(
  run: LiveCall,
  work: (signal: AbortSignal) => Promise<Repaired | null>,
): Promise<Repaired | null> {
  const { clock, suppress } = run.engine;
  const { tool } = run.binding;
  const given = new AbortController();
  const now = clock.now();
  const untilAt = Math.min(now + tool.timeoutMs, run.request.deadline.at);
  let disarm: () => void = () => undefined;
  const left = new Promise<null>((resolve) => {
    disarm = clock.after(untilAt - now, () => resolve(null));
    run.wake = () => resolve(null);
  });
  try {
    return await Promise.race([work(given.signal), left]);
  } catch (error) {
    suppress(
      classify({ surface: "node", error }),
      `a repair for ${tool.id} failed; what comes next in the policy is done`,
    );
    return null;
  } finally {
    disarm();
    run.wake = null;
    given.abort();
  }
}
