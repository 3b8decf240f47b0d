// Events as a session writes them: turns of calls, the last one cut off in the middle.

import type { JournalEvent } from "../../src/core/record/event.ts";

/** About this many bytes of JSON, like an event with a short look at a result. */
export const EVENT_BYTES = 500;

export function callSucceeded(call: string): JournalEvent {
  const event = (output: string): JournalEvent => ({
    type: "call-succeeded",
    call,
    tool: "work",
    attempt: 1,
    durationMs: 12,
    cost: null,
    errors: [],
    output,
  });
  return event("x".repeat(EVENT_BYTES - JSON.stringify(event("")).length));
}

const CALLS_A_TURN = 32;

/** `storeId` is that of the journal it is for, which refuses the sessions of others. */
export function longSession(session: string, storeId: string, events: number): readonly JournalEvent[] {
  const all: JournalEvent[] = [
    {
      type: "session-started",
      manifest: { sessionId: session, storeId, contract: 1, mode: "headless", createdAt: 0, labels: {} },
    },
  ];
  for (let turn = 1; all.length < events; turn++) all.push(...oneTurn(`turn-${turn}`));
  return all.slice(0, events);
}

function oneTurn(turn: string): readonly JournalEvent[] {
  const calls = Array.from({ length: CALLS_A_TURN }, (_, index) => `${turn}/call-${index + 1}`);
  return [
    { type: "turn-started", turn, deadlineAt: null },
    ...calls.flatMap((call): JournalEvent[] => [
      {
        type: "call-started",
        call,
        turn,
        tool: "work",
        digest: "0".repeat(64),
        input: { path: "x".repeat(200) },
        deadlineAt: null,
      },
      { type: "call-admitted", call, tool: "work", attempt: 1 },
      callSucceeded(call),
    ]),
    { type: "turn-ended", turn, status: "done", fault: null },
  ];
}
