// Lines of an agent CLI in, events and a live state out. One parser serves one run. These hold:
// P1  no line makes it throw; what is not understood is counted, the first few kept, and reading goes on.
// P2  the whole of stdout is the answer only when nothing on it was an event: text mode, in which an answer may well be JSON.

import type { AgentEvent } from "../event/agent-event.ts";
import { AgentRun, MAX_TEXT_CHARS, NO_LINES } from "./agent-run.ts";
import type { AgentKind, AgentState } from "./agent-state.ts";
import { errorInAnswer } from "./answer-error.ts";
import { createClaudeReader } from "./claude-reader.ts";
import type { CliReader, CreateReader } from "./cli-reader.ts";
import { createCodexReader } from "./codex-reader.ts";
import { createGeminiReader } from "./gemini-reader.ts";
import { createGooseReader } from "./goose-reader.ts";
import { type JsonObject, objectOf, objectsOf } from "../../core/json-fields.ts";
import { createLineReader } from "./line-reader.ts";
import { createOpencodeReader } from "./opencode-reader.ts";
import { withoutColours } from "./without-colours.ts";

export interface AgentParser {
  /** One line of stdout, without its line break. */
  readonly stdout: (line: string) => readonly AgentEvent[];
  readonly stderr: (line: string) => readonly AgentEvent[];
  /** False: no later line changes the state. */
  readonly wantsLines: () => boolean;
  /** Both streams are over: gives what was still held back. */
  readonly end: () => readonly AgentEvent[];
  /** Live: it changes with every line. */
  readonly state: AgentState;
}

const READERS: Readonly<Record<Exclude<AgentKind, "generic">, CreateReader>> = {
  claude: (run) => createClaudeReader(run, "claude"),
  codex: createCodexReader,
  gemini: createGeminiReader,
  opencode: createOpencodeReader,
  qwen: (run) => createClaudeReader(run, "qwen"),
  goose: createGooseReader,
};

/** Of a line on stderr no more is looked at: what it says about a failure stands at its beginning. */
const MAX_STDERR_CHARS = 65_536;
const CUT_EVENT = /^\s{0,64}\[?\{\s{0,64}"/;

export function createParser(kind: AgentKind): AgentParser {
  return kind === "generic" ? createPlainParser() : createJsonParser(kind, READERS[kind]);
}

function createJsonParser(kind: AgentKind, createReader: CreateReader): AgentParser {
  const run = new AgentRun();
  const reader = createReader(run);
  /** What stdout held before the first event, in case there is none. */
  let held: string[] = [];
  let heldChars = 0;
  let looksLikeEvents = true;
  let sawEvent = false;

  const stdout = createLineReader({
    value: (value, line) => {
      if (readValue(reader.value, value, line)) sawEvent = true;
      else hold(line, eventsIn(value).every(hasType));
    },
    plain: (line) => {
      const behind = reader.behindText?.(line) ?? null;
      if (behind !== null && readValue(reader.value, behind, line)) sawEvent = true;
      else run.unknown(line);
      hold(line, false);
    },
    blank: () => {
      if (held.length > 0) hold("", looksLikeEvents);
    },
    broken: (line) => {
      run.broken(line);
      // The beginning of an event that was cut.
      hold(line, CUT_EVENT.test(line));
    },
  });
  const stderr = createLineReader({
    value: (value, line) => readValue(reader.stderrValue ?? (() => true), value, line),
    plain: readStderr,
    blank: () => undefined,
    broken: readStderr,
  });

  function readStderr(line: string): void {
    reader.stderr?.(withoutColours(line.slice(0, MAX_STDERR_CHARS)));
  }

  function hold(line: string, looksLikeEvent: boolean): void {
    looksLikeEvents &&= looksLikeEvent;
    if (sawEvent || heldChars > MAX_TEXT_CHARS) return;
    held.push(line);
    // The line break counts: of a flood of empty lines no more is kept than of any other.
    heldChars += line.length + 1;
  }

  /** Whether the parser recognised any event. */
  function readValue(read: CliReader["value"], value: unknown, line: string): boolean {
    let isKnown = false;
    for (const event of eventsIn(value)) {
      if (read(event)) isKnown = true;
      else run.unknown(line);
    }
    return isKnown;
  }

  function end(): void {
    stdout.end();
    stderr.end();
    // Events that nobody knows are a newer version's, and no answer.
    if (!sawEvent && held.length > 0 && !looksLikeEvents) {
      run.state.isPlainText = true;
      run.state.unknownLines = NO_LINES;
      run.state.brokenLines = NO_LINES;
      const text = held.join("\n").trimEnd();
      // An error in the place of an answer is for the verdict, not for whoever reads along.
      if (errorInAnswer(kind, text) === null) run.text(text);
      else run.answer(text);
    }
    held = [];
  }

  return {
    stdout: (line) => {
      stdout.take(line);
      return run.drain();
    },
    stderr: (line) => {
      stderr.take(line);
      return run.drain();
    },
    wantsLines: () => true,
    end: () => {
      end();
      return run.drain();
    },
    state: run.state,
  };
}

/** qwen's json mode prints one list of all events. */
function eventsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? objectsOf(value) : [objectOf(value) ?? {}];
}

function hasType(event: JsonObject): boolean {
  return typeof event["type"] === "string";
}

/** Any command: what it prints is its answer, as it comes. */
function createPlainParser(): AgentParser {
  const run = new AgentRun();
  run.state.isPlainText = true;
  return {
    stdout: (line) => {
      run.text(run.isSilent ? line : `\n${line}`);
      return run.drain();
    },
    stderr: () => [],
    wantsLines: () => !run.isFull,
    end: () => [],
    state: run.state,
  };
}
