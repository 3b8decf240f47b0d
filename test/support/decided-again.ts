// Whether what the entries of a session hold is all that decided: every decision is made again, and must come out as recorded.

import { type Entry, type Policy, replayUnder } from "../../src/core/index.ts";
import { doneAbout, replayStage } from "../../src/core/record/policy-replay.ts";

/** What comes out differently, as a text for each entry; `decisions` counts those that were made again. */
export function decidedAgain(
  entries: readonly Entry[],
  policy: Policy,
): { readonly decisions: number; readonly different: readonly string[] } {
  const again = replayUnder(policy);
  const different: string[] = [];
  let decisions = 0;
  const compare = (seq: number, was: unknown, is: unknown): void => {
    decisions += 1;
    const [before, after] = [JSON.stringify(was), JSON.stringify(is)];
    if (before !== after) different.push(`entry ${seq}: decided ${before}, and again ${after}`);
  };
  for (const entry of entries.map((one) => JSON.parse(JSON.stringify(one)) as Entry)) {
    const { event, at, seq } = entry;
    if (event.type === "call-failed" || event.type === "call-decided") compare(seq, event.decision, again(entry));
    if (event.type === "node-failed" && event.saw === undefined) continue;
    if (event.type === "node-retrying") {
      const { decision, delayMs } = event;
      compare(seq, { do: "retry", decision, delayMs }, replayStage(event, at));
    } else if (event.type === "node-deferred" || event.type === "node-failed" || event.type === "node-skipped") {
      if (event.fault !== null) compare(seq, doneAbout(event), replayStage(event, at)?.do);
    }
  }
  return { decisions, different };
}
