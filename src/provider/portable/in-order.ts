// A look at a history that finds nothing to repair, which is nearly always: each call answered right behind its message, each
// answer with its call, and no thoughts of another vendor. One walk without a copy; whatever it is not sure of, the rules judge.

import type { Message } from "./pass.ts";
import { isForeignThought } from "./reasoning.ts";
import type { TargetFacts } from "./target-facts.ts";
import { isAnsweredHere } from "./tool-pairs.ts";

export function isInOrder(prompt: readonly Message[], to: TargetFacts): boolean {
  /** Ids of calls that are not answered yet. */
  const open: string[] = [];
  for (const message of prompt) {
    if (message.role === "system") continue;
    if (message.role !== "tool" && open.length > 0) return false;
    for (const part of message.content) {
      switch (part.type) {
        case "text":
        case "file":
          break;
        case "reasoning":
          if (isForeignThought(part, to)) return false;
          break;
        case "tool-call":
          if (open.includes(part.toolCallId) || !isAnsweredHere(part, to)) return false;
          open.push(part.toolCallId);
          break;
        case "tool-result": {
          const at = open.indexOf(part.toolCallId);
          if (at === -1 || message.role !== "tool") return false;
          if (at === open.length - 1) open.pop();
          else open.splice(at, 1);
          break;
        }
        default:
          return false;
      }
    }
  }
  return open.length === 0;
}
