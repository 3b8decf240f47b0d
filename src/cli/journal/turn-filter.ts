// Which entries belong to one turn: its own, those of its calls, and what happened to shared things while it was open.

import type { Entry } from "../../core/index.ts";
import { fieldsOf } from "../render/values.ts";

export interface TurnFilter {
  /** Entries must come in their order. */
  has(entry: Entry): boolean;
  /** All turns that were seen so far. */
  readonly turns: ReadonlySet<string>;
}

/** null takes everything. */
export function createTurnFilter(turn: string | null): TurnFilter {
  const turns = new Set<string>();
  const calls = new Set<string>();
  let isOpen = false;
  return {
    turns,
    has({ event }) {
      const { turn: of, call } = fieldsOf(event) ?? {};
      if (event.type === "turn-started") turns.add(event.turn);
      if (turn === null) return true;
      if (of === turn) {
        if (event.type === "turn-started") isOpen = true;
        if (event.type === "turn-ended") isOpen = false;
        if (event.type === "call-started") calls.add(event.call);
        return true;
      }
      if (of !== undefined) return false;
      return typeof call === "string" ? calls.has(call) : isOpen;
    },
  };
}
