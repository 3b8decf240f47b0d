// What people did about runs that met failures of one group, and whether it helped: the node that stood because of the failure
// completed afterwards, or failed again. Read from the runs' entries, in place or in the run that continues them.

import { actionWords, ACTION_IDS } from "../../core/flow/action-words.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import type { Fault } from "../../core/fault/fault.ts";
import type { Entry } from "../../core/record/event.ts";
import type { RecourseTally } from "../../core/record/fault-index.ts";
import type { Journal } from "../../journal/journal.ts";

/** Only the newest runs are read: each of them is read whole. */
const MAX_READ_RUNS = 50;

interface Group {
  readonly fingerprint: string;
  readonly code: string;
}

type ReadAll = (run: string, take: (entry: Entry) => void) => Promise<void>;

/** How each action of people went, by its id with `person:` in front. */
export async function actedOn(journal: Journal, readAll: ReadAll, group: Group): Promise<readonly RecourseTally[]> {
  const tallies = new Map<string, { worked: number; failed: number }>();
  const note = (action: string, hasWorked: boolean): void => {
    const tally = tallies.get(action) ?? { worked: 0, failed: 0 };
    tally[hasWorked ? "worked" : "failed"]++;
    tallies.set(action, tally);
  };
  for (const run of await journal.faultRuns(group.fingerprint, { limit: MAX_READ_RUNS })) {
    const story = new Story(group.code, note);
    await readAll(run, (entry) => story.take(entry));
    const { successor } = story;
    if (successor !== null) await readAll(successor, (entry) => story.take(entry));
  }
  return Array.from(tallies, ([action, tally]) => ({ recourse: `${PERSON}${action}`, ...tally }));
}

const PERSON = "person:";

/** What people did, in words; null for what the program itself did. */
export function actedWords(recourse: string, locale: Locale): string | null {
  if (!recourse.startsWith(PERSON)) return null;
  const id = ACTION_IDS.find((known) => `${PERSON}${known}` === recourse);
  return WORDS[locale](id === undefined ? recourse.slice(PERSON.length) : actionWords(id, locale).label);
}

const WORDS: Readonly<Record<Locale, (action: string) => string>> = {
  "en": (action) => `${action}, by a person`,
  "zh-CN": (action) => `${action}（人工）`,
};

/** A run, then the run that continues it. */
class Story {
  successor: string | null = null;
  readonly #code: string;
  readonly #note: (action: string, hasWorked: boolean) => void;
  /** Nodes that stand because of a failure of the group. */
  readonly #standing = new Set<string>();
  /** What a person did about a node, until it has a result. */
  readonly #tried = new Map<string, string>();
  #isContinued = false;

  constructor(code: string, note: (action: string, hasWorked: boolean) => void) {
    this.#code = code;
    this.#note = note;
  }

  take({ event }: Entry): void {
    switch (event.type) {
      case "run-started":
        if (this.#isContinued && event.instruction !== null)
          for (const node of this.#standing) this.#try(node, event.instruction.action);
        return;
      case "run-instructed":
        return this.#try(event.node, event.action);
      case "node-completed":
        return this.#end(event.node, null);
      case "node-failed":
      case "node-paused":
        if (event.fault !== null) this.#end(event.node, event.fault);
        return;
      case "run-superseded":
        // What becomes of the run that continues this one's continuation counts there.
        if (!this.#isContinued) this.successor = event.successor;
        this.#isContinued = true;
        return;
      default:
    }
  }

  #try(node: string, action: string): void {
    if (this.#standing.delete(node)) this.#tried.set(node, action);
  }

  #end(node: string, fault: Fault | null): void {
    const action = this.#tried.get(node);
    if (action !== undefined) this.#note(action, fault === null);
    this.#tried.delete(node);
    // In the run that continues it, a failure counts for that run, which is looked at by itself.
    if (fault !== null && fault.code === this.#code && !this.#isContinued) this.#standing.add(node);
  }
}
