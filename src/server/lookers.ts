// Who is looking at a question right now, so that two people do not answer it at once. Pages tell so every few seconds; it is known
// to this server only, and forgotten soon after the last word.

import type { Clock } from "../host/clock.ts";

export interface Lookers {
  /** Someone looks at a question. */
  note(question: string, name: string): void;
  /** The names of the others who look at it. */
  others(question: string, than: string): string[];
}

const SEEN_FOR_MS = 20_000;

export function createLookers(clock: Clock): Lookers {
  const byQuestion = new Map<string, Map<string, number>>();

  function forget(now: number): void {
    for (const [question, names] of byQuestion) {
      for (const [name, at] of names) if (now - at > SEEN_FOR_MS) names.delete(name);
      if (names.size === 0) byQuestion.delete(question);
    }
  }

  return {
    note(question, name) {
      forget(clock.now());
      const names = byQuestion.get(question) ?? new Map<string, number>();
      names.set(name, clock.now());
      byQuestion.set(question, names);
    },
    others(question, than) {
      forget(clock.now());
      return [...(byQuestion.get(question)?.keys() ?? [])].filter((name) => name !== than).toSorted();
    },
  };
}
