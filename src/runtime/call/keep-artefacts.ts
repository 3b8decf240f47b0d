// What a failed attempt left behind — its raw error and what the tool put down — as files beside the journal.

import { inspect } from "node:util";
import { classify } from "../../core/classify/classify.ts";
import type { HostEvent } from "../../core/record/event.ts";
import { artefactsFolder, keepArtefact } from "../../journal/files/artefacts.ts";
import type { Attempt } from "./attempt.ts";
import type { LiveCall } from "./live-call.ts";

/** The events that name the files; empty outside a session on disk. A file that cannot be written is told and left out. */
export async function keepArtefacts(run: LiveCall, attempt: Attempt): Promise<readonly HostEvent[]> {
  const { engine, request, call } = run;
  const { session } = request.recorder;
  const { path } = engine.journal;
  if (session === "" || path === null) return [];
  const left = [...attempt.artefacts];
  if (attempt.end === "error")
    left.push({ name: `attempt-${attempt.attempt}.error.txt`, content: inspect(attempt.result) });
  const events: HostEvent[] = [];
  const { redactor } = request.recorder;
  for (const { name: given, content } of left) {
    // Names are shown in events and on the disk.
    const name = redactor.text(given);
    try {
      const kept = await keepArtefact(artefactsFolder(path), { session, call, name, content }, { redactor });
      events.push({ type: "artefact-kept", call, name, ...kept });
    } catch (error) {
      const seen = classify({ surface: "store", error, observedAt: engine.clock.now() });
      engine.suppress(seen, `the call goes on without its artefact ${name}`);
    }
  }
  return events;
}
