// The demo on screen: finished stages, the running stage with its countdown, and a line for each failure with the decision made
// about it.

import { type Entry, explain, type JournalEvent, type Locale, wordsFor } from "../../core/index.ts";
import { placeOf, type Visit } from "../../core/flow/visit.ts";
import type { RunStreamEvent } from "../../core/record/run-stream.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import type { Paint, Style } from "../render/paint.ts";
import { shown } from "../render/values.ts";
import { OutputQueue } from "../render/output-queue.ts";
import { cut, nameOf, visitLine } from "../render/picture-lines.ts";
import { RunPicture } from "../workflow/run-picture.ts";
import { createView, isLive, type RunView } from "../render/run-view.ts";
import type { DemoNews } from "./drive-demo.ts";
import { START_WORDS, type StartWords } from "./start-words.ts";

export class StartView {
  readonly #locale: Locale;
  readonly #words: StartWords;
  readonly #paint: Paint;
  readonly #columns: number;
  readonly #isLive: boolean;
  readonly #picture = new RunPicture();
  readonly #view: RunView;

  constructor(cli: Cli) {
    this.#locale = cli.locale;
    this.#words = START_WORDS[cli.locale];
    this.#paint = cli.paintError;
    this.#columns = cli.stderr.columns;
    this.#isLive = isLive(cli);
    const options = {
      run: "team",
      picture: this.#picture,
      hint: this.#words.leave,
      leastNameColumns: NAME_COLUMNS,
    };
    this.#view = this.#isLive ? createView(cli, options) : new EndedStages(cli, this.#picture);
  }

  onEntry(entry: Entry, events: readonly RunStreamEvent[]): void {
    this.#picture.feed(entry, events);
    for (const one of events) this.#view.onEvent(one, true);
    const line = this.#lineFor(entry.event);
    if (line !== null) this.#view.say(line);
  }

  onNews(news: DemoNews): void {
    const { worker: begins, takesOver, killed, confirmed, answered } = this.#words;
    switch (news.type) {
      case "worker-started": {
        const says = news.worker === 1 ? begins : takesOver;
        return this.#view.say(this.#line("cyan", "▶", null, says(news.worker, news.pid)));
      }
      case "worker-killed":
        return this.#view.say(this.#line("red", "✗", null, killed(news.worker, news.pid)));
      case "gate-answered": {
        const says = news.by === "operator" ? answered(shown(news.answer, 60)) : confirmed;
        return this.#view.say(this.#line("magenta", "?", this.#picture.visits.at(-1) ?? null, says));
      }
    }
  }

  /** Stops drawing while a prompt uses the screen. */
  hide(): void {
    this.#view.hide();
  }

  show(): void {
    this.#view.show();
  }

  end(): Promise<void> {
    return this.#view.end();
  }

  #lineFor(event: JournalEvent): string | null {
    const { changes, approves, goesOn, colon } = this.#words;
    switch (event.type) {
      case "call-failed": {
        const { title } = wordsFor(event.fault.code, this.#locale);
        const { what } = explain(event.decision, this.#locale);
        return this.#line("yellow", "↻", placeOfCall(event.call), `${title} → ${what} · ${shown(event.tool, 40)}`);
      }
      case "node-completed": {
        const mustFix = fieldOf(event.output, "must_fix");
        if (!Array.isArray(mustFix)) return null;
        const isGood = mustFix.length === 0;
        const says = isGood ? approves : `${changes(mustFix.length)} ${this.#sentBack(event.route)}`;
        return this.#line(isGood ? "green" : "yellow", "·", event, says);
      }
      case "node-failed": {
        const { message, evidence } = event.fault;
        const found = COMPLAINT.exec(evidence.excerpt)?.[1] ?? "";
        return this.#line(
          "yellow",
          "·",
          event,
          [messageIn(this.#locale, message), found].flatMap(lineOrNothing).join(colon),
        );
      }
      case "session-resumed": {
        const finished = this.#picture.visits.filter(({ state }) => state === "completed").length;
        return event.interrupted.length === 0 ? null : this.#line("cyan", "▶", null, goesOn(finished));
      }
      default:
        return null;
    }
  }

  #sentBack(route: Extract<JournalEvent, { type: "node-completed" }>["route"]): string {
    return route.kind === "end" ? "" : this.#words.sentBack(route.nodes.join(", "));
  }

  /** Aligned with the stages. */
  #line(style: Style, mark: string, place: Place | null, text: string): string {
    const names = this.#picture.visits.map((each) => nameOf(each, this.#locale));
    const widest = this.#isLive ? Math.max(NAME_COLUMNS, ...names.map(columnsOf)) : NAME_COLUMNS;
    const visit = place === null ? undefined : this.#picture.visitOf(place);
    const name = visit === undefined ? "" : nameOf(visit, this.#locale);
    const space = " ".repeat(Math.max(0, widest - columnsOf(name)) + 2);
    return `${this.#paint(style, mark)} ${cut(visit === undefined ? text : `${name}${space}${text}`, this.#columns - 2)}`;
  }
}

type Place = Pick<Visit, "node" | "execution">;

/** The message of a failed assertion in the output of Node's test runner. */
const COMPLAINT = /^\s*(?:error: '|AssertionError[^:\n]*: )(.+?)'?$/m;

function lineOrNothing(text: string): readonly string[] {
  return text === "" ? [] : [shown(text, 100)];
}

function placeOfCall(call: string): Place | null {
  return placeOf(call.replace(/\/[^/]*$/, ""));
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && name in value
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Wide enough for `run_tests (round 2)`. */
const NAME_COLUMNS = 19;

/** For a log: prints each stage once, when it has ended. */
class EndedStages implements RunView {
  readonly #cli: Cli;
  readonly #picture: RunPicture;
  readonly #output: OutputQueue;
  readonly #printed = new Set<Visit>();

  constructor(cli: Cli, picture: RunPicture) {
    this.#cli = cli;
    this.#picture = picture;
    this.#output = new OutputQueue(cli.stderr);
  }

  onEvent(): void {
    const { locale, paintError: paint, stderr } = this.#cli;
    const line = { locale, paint, columns: stderr.columns };
    for (const visit of this.#picture.visits) {
      if (visit.endedAt === 0 || this.#printed.has(visit)) continue;
      this.#printed.add(visit);
      void this.#output.write(`${visitLine(this.#picture, visit, NAME_COLUMNS, { ...line, now: visit.endedAt })}\n`);
    }
  }

  say(text: string): void {
    void this.#output.write(`${cut(text, this.#cli.stderr.columns)}\n`);
  }

  hide(): void {
    // A log draws nothing in place, so there is nothing to hide.
  }

  show(): void {
    // Nothing was hidden.
  }

  end(): Promise<void> {
    return this.#output.end();
  }
}
