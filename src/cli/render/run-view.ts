// Shows a run while it happens, on stderr: redrawn in place on a terminal, line by line elsewhere.

import { stripVTControlCharacters } from "node:util";
import type { Visit } from "../../core/flow/visit.ts";
import type { RunStreamEvent } from "../../core/record/run-stream.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import type { Io } from "../io.ts";
import { variableOf } from "../config/settings.ts";
import type { Paint } from "./paint.ts";
import { OutputQueue } from "./output-queue.ts";
import { FOLLOW_WORDS } from "./words/follow-words.ts";
import { LiveScreen } from "./live-screen.ts";
import { cut, footLine, nameOf, visitLine } from "./picture-lines.ts";
import type { RunPicture } from "../workflow/run-picture.ts";
import { storyLine } from "./story-line.ts";

export interface RunView {
  /** Called after the picture has applied the event; `isNew` is false for events from before this view started. */
  onEvent(event: RunStreamEvent, isNew: boolean): void;
  /** Prints a line between the events. */
  say(text: string): void;
  /** Stops drawing until `show`, while a prompt uses the screen. */
  hide(): void;
  show(): void;
  /** Resolves when everything has been written; the last state stays on screen. */
  end(): Promise<void>;
}

export interface RunViewOptions {
  readonly run: string;
  readonly picture: RunPicture;
  /** Shown at the end of the last line. */
  readonly hint: string;
  /** Room for names that come later, so that the lines above them stay aligned. */
  readonly leastNameColumns?: number;
}

export function createView(cli: Cli, options: RunViewOptions): RunView {
  return isLive(cli) ? new LiveView(cli, options) : new PlainView(cli);
}

/** Whether stderr is an interactive terminal that can move its cursor. */
export function isLive({ stderr, env }: Io): boolean {
  return stderr.isTTY && variableOf("live", env) !== "never";
}

const SECOND_MS = 1_000;
/** More lines would not fit on a small terminal. */
const MAX_LIVE_LINES = 12;
const WIDEST_NAME = 28;

class LiveView implements RunView {
  readonly #cli: Cli;
  readonly #options: RunViewOptions;
  readonly #paint: Paint;
  readonly #screen: LiveScreen;
  readonly #printed = new Set<Visit>();
  #isHidden = false;
  #isOver = false;
  #disarm: () => void = () => undefined;

  constructor(cli: Cli, options: RunViewOptions) {
    this.#cli = cli;
    this.#options = options;
    this.#paint = cli.paintError;
    this.#screen = new LiveScreen(cli.stderr);
  }

  onEvent(): void {
    this.#draw();
  }

  say(text: string): void {
    const { columns } = this.#cli.stderr;
    const plain = stripVTControlCharacters(text);
    // Width is measured without colours; a line that is too long is cut and loses them.
    this.#draw([columnsOf(plain) <= columns ? text : cut(plain, columns)]);
  }

  hide(): void {
    this.#isHidden = true;
    this.#disarm();
    this.#screen.clear();
  }

  show(): void {
    this.#isHidden = false;
    this.#draw();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#isHidden = false;
    this.#draw();
    this.#disarm();
    await this.#screen.end();
  }

  #draw(above: readonly string[] = []): void {
    if (this.#isHidden) return;
    const { picture, run, hint, leastNameColumns = 0 } = this.#options;
    const now = this.#cli.clock.now();
    const line = { locale: this.#cli.locale, paint: this.#paint, columns: this.#cli.stderr.columns, now };
    const words = FOLLOW_WORDS[this.#cli.locale];
    const { visits } = picture;
    const width = Math.min(
      WIDEST_NAME,
      Math.max(leastNameColumns, ...visits.map((visit) => columnsOf(nameOf(visit, this.#cli.locale)))),
    );
    const lineOf = (visit: Visit): string => visitLine(picture, visit, width, line);
    const over = visits.filter((visit) => visit.endedAt > 0 && !this.#printed.has(visit));
    for (const visit of over) this.#printed.add(visit);
    const live = visits.filter(({ endedAt }) => endedAt === 0);
    const more = live.length > MAX_LIVE_LINES ? [words.more(live.length - MAX_LIVE_LINES)] : [];
    const foot = picture.run === null ? [] : [footLine(run, picture, this.#isOver ? "" : hint, line)];
    this.#screen.draw(
      [...above, ...over.map(lineOf)],
      [...live.slice(0, MAX_LIVE_LINES).map(lineOf), ...more, ...foot],
    );
    this.#disarm();
    if (!this.#isOver) this.#disarm = this.#cli.clock.after(SECOND_MS - (now % SECOND_MS), () => this.#draw());
  }
}

class PlainView implements RunView {
  readonly #cli: Cli;
  readonly #output: OutputQueue;
  readonly #paint: Paint;

  constructor(cli: Cli) {
    this.#cli = cli;
    this.#output = new OutputQueue(cli.stderr);
    this.#paint = cli.paintError;
  }

  onEvent(event: RunStreamEvent, isNew: boolean): void {
    const line = isNew ? storyLine(event, this.#cli.clock.now(), this.#cli.locale) : null;
    if (line !== null) this.say(line);
  }

  say(text: string): void {
    void this.#output.write(`${this.#paint("dim", "faultline:")} ${text}\n`);
  }

  hide(): void {
    // Plain lines need no hiding.
  }

  show(): void {
    // Nothing was hidden.
  }

  async end(): Promise<void> {
    await this.#output.end();
  }
}
