// Delivers the events of a run to listeners, past events first, each once and in order.
// W1  `catchUp` resolves when every event in the journal has been delivered.

import type { Entry } from "../../core/index.ts";
import { createRunStream, type RunStream, type RunStreamEvent } from "../../core/record/run-stream.ts";
import type { RunCommandDeps } from "../runs/run-deps.ts";
import { RunPicture } from "./run-picture.ts";

export type EventListener = (event: RunStreamEvent, isNew: boolean) => void;

export class WatchedRun {
  readonly run: string;
  readonly picture = new RunPicture();
  readonly #deps: RunCommandDeps;
  readonly #stream: RunStream;
  readonly #listeners: EventListener[] = [];
  #seq = 0;
  /** Events of before the start. */
  readonly #untold: RunStreamEvent[] = [];
  #isStarted = false;
  #unsubscribe: () => void = () => undefined;

  constructor(deps: RunCommandDeps, run: string) {
    this.run = run;
    this.#deps = deps;
    this.#stream = createRunStream(run, { locale: deps.locale });
  }

  onEvent(listener: EventListener): void {
    this.#listeners.push(listener);
  }

  /** Reads the entries recorded so far. Called before a command shows the run or acts on it, so that those steps read only newer entries. */
  async load(): Promise<void> {
    await this.#deps.workflows.runs.readAll(this.run, (entry) => this.#take(entry));
  }

  /** Delivers the events recorded so far with `isNew` false, and all later ones with `isNew` true. */
  async start(): Promise<void> {
    await (this.#seq === 0 ? this.load() : this.catchUp());
    for (const event of this.#untold.splice(0)) this.#tell(event, false);
    this.#isStarted = true;
    const { journal } = this.#deps.workflows;
    this.#unsubscribe = journal.subscribe((entry) => this.#take(entry), { session: this.run, after: this.#seq });
  }

  async catchUp(): Promise<void> {
    for await (const entry of this.#deps.workflows.journal.read(this.run, this.#seq)) this.#take(entry);
  }

  stop(): void {
    this.#unsubscribe();
  }

  #take(entry: Entry): void {
    if (entry.seq <= this.#seq) return;
    this.#seq = entry.seq;
    const events = this.#stream.feed(entry);
    this.picture.feed(entry, events);
    for (const event of events) {
      if (this.#isStarted) this.#tell(event, true);
      else this.#untold.push(event);
    }
  }

  #tell(event: RunStreamEvent, isNew: boolean): void {
    for (const listener of this.#listeners) listener(event, isNew);
  }
}
