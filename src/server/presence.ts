// Who is looking at a question right now, so that two people do not answer it at the same time. A page reports every few seconds
// that it shows the question. Only this server knows it, and forgets a person twenty seconds after the last report.

import type { Clock } from "../host/clock.ts";

export interface Presence {
  /** This person is looking at the question. */
  note(question: string, name: string): void;
  /** The names of the other people who look at it. */
  others(question: string, than: string): string[];
}

const SEEN_FOR_MS = 20_000;

export function createPresence(clock: Clock): Presence {
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
