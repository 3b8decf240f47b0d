// Prompts and answers, for gateways whose file asks to keep them. Off unless it does.
// K1  Nothing is kept before the one redactor has read it.
// K2  What is older than its owner allowed is removed, by whichever process of the journal finds it first.

import { countOf, objectOf, textOrNull } from "../../core/json-fields.ts";
import type { Journal, Keep } from "../../journal/journal.ts";
import type { KeepRule } from "../config/settings.ts";

/** What was kept of a call; null for a part that was not. */
export interface Transcript {
  readonly prompt: string | null;
  readonly answer: string | null;
}

/** The most that is kept of a prompt or an answer, in UTF-16 units. */
const MOST_CHARACTERS = 65_536;
/** How many characters wait for a journal that cannot be written. Later calls are left out, and counted. */
const MOST_WAITING = 64 * 1_048_576;
const PRUNE_MS = 3_600_000;
const PRUNED_AT_ONCE = 200;
const DAY_MS = 86_400_000;

export class Transcripts {
  readonly #journal: Journal;
  readonly #scrub: (text: string) => string;
  /** What waits to be written. Calls that end during a write add to it. */
  #keeps: Keep[] = [];
  #characters = 0;
  /** How much of it the last write was about. */
  #tried = { keeps: 0, characters: 0 };
  /** For how many calls there was no room. */
  dropped = 0;
  #prunedAt = -Infinity;

  constructor(journal: Journal, scrub: (text: string) => string) {
    this.#journal = journal;
    this.#scrub = scrub;
  }

  add(call: string, at: number, rule: KeepRule, { prompt, answer }: Transcript): void {
    const shown = (text: string | null, isKept: boolean): string | null =>
      isKept && text !== null ? this.#scrub(text).slice(0, MOST_CHARACTERS).toWellFormed() : null;
    const kept = { prompt: shown(prompt, rule.prompts), answer: shown(answer, rule.answers) };
    this.#characters += (kept.prompt?.length ?? 0) + (kept.answer?.length ?? 0);
    if (this.#characters > MOST_WAITING) return void (this.dropped += 1);
    this.#keeps.push({ kind: "transcript", key: call, value: { at, until: at + rule.forDays * DAY_MS, ...kept } });
  }

  /** How many calls are not written. */
  get waiting(): number {
    return this.#keeps.length;
  }

  /** Drops what the last write was about: it is written, or the journal refuses it for good. */
  drop(): void {
    this.#keeps.splice(0, this.#tried.keeps);
    this.#characters -= this.#tried.characters;
    this.#tried = { keeps: 0, characters: 0 };
  }

  /** If it fails, everything is written again: a call's name is its key. */
  async write(now: number): Promise<void> {
    this.#tried = { keeps: this.#keeps.length, characters: this.#characters };
    if (this.#keeps.length > 0) await this.#journal.keep([...this.#keeps]);
    this.drop();
    if (now - this.#prunedAt < PRUNE_MS) return;
    this.#prunedAt = now;
    await this.#prune(now);
  }

  async #prune(now: number): Promise<void> {
    for (;;) {
      const oldest = await this.#journal.keptByTime("transcript", { order: "oldest", limit: PRUNED_AT_ONCE });
      const over = oldest.filter(({ value }) => countOf(objectOf(value)?.["until"]) <= now);
      if (over.length === 0) return;
      await this.#journal.keep(over.map(({ key }) => ({ kind: "transcript", key, value: null })));
      if (over.length < PRUNED_AT_ONCE) return;
    }
  }
}

/** What was kept of a call; null when nothing was, or its time is over. */
export async function transcriptOf(journal: Journal, call: string, now: number): Promise<Transcript | null> {
  const kept = objectOf(await journal.kept("transcript", call));
  if (kept === null || countOf(kept["until"]) <= now) return null;
  return { prompt: textOrNull(kept["prompt"]), answer: textOrNull(kept["answer"]) };
}
