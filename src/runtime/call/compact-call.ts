// A call outside sessions that succeeded at once, before anybody was told of it: kept as one small object, because nearly all
// calls are such ones and hardly any of them is ever looked at. Its events are made when somebody looks.

import type { ItemFault } from "../../core/fault/partial.ts";
import type { Cost } from "../../core/flow/money.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import type { Binding } from "./binding.ts";

export interface CompactCall {
  readonly call: string;
  readonly by: Pick<Binding, "tool" | "counted">;
  /** Infinity for never. */
  readonly deadlineAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly cost: Cost;
  readonly errors: readonly ItemFault[];
}

interface Happened {
  readonly at: number;
  readonly event: JournalEvent;
}

/** How many events it stands for. */
export const COMPACT_EVENTS = 3;

export function eventsOf({ call, by, deadlineAt, startedAt, endedAt, cost, errors }: CompactCall): readonly Happened[] {
  const attempt = 1;
  const { id: tool } = by.tool;
  const durationMs = endedAt - startedAt;
  const until = Number.isFinite(deadlineAt) ? deadlineAt : null;
  return [
    {
      at: startedAt,
      event: by.counted({ type: "call-started", call, turn: "", tool, digest: "", input: null, deadlineAt: until }),
    },
    { at: startedAt, event: by.counted({ type: "call-admitted", call, tool, attempt }) },
    {
      at: endedAt,
      event: by.counted({ type: "call-succeeded", call, tool, attempt, durationMs, cost, errors, output: null }),
    },
  ];
}
