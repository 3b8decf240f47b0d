// Parses the lines of an agent CLI into events and a live state. Each run has its own parser.
// P1  No line makes it throw. Unknown lines are counted, the first few are kept, and parsing continues.
// P2  All of stdout is the answer only if it contained no event. That is text mode, where the answer may well be JSON.

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
import { createJsonLineReader } from "./json-line-reader.ts";
import { createOpencodeReader } from "./opencode-reader.ts";
import { withoutColours } from "./without-colours.ts";

export interface AgentParser {
  /** Parses one line of stdout, without its line break. */
  readonly stdout: (line: string) => readonly AgentEvent[];
  readonly stderr: (line: string) => readonly AgentEvent[];
  /** Returns false once no later line can change the state. */
  readonly wantsLines: () => boolean;
  /** Call it when both streams have ended. Returns the events that were held back. */
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

/** Only this much of a stderr line is read: what it says about a failure is at its beginning. */
const MAX_STDERR_CHARS = 65_536;
const CUT_EVENT = /^\s{0,64}\[?\{\s{0,64}"/;

export function createParser(kind: AgentKind): AgentParser {
  return kind === "generic" ? createPlainParser() : createJsonParser(kind, READERS[kind]);
}

function createJsonParser(kind: AgentKind, createReader: CreateReader): AgentParser {
  const run = new AgentRun();
  const reader = createReader(run);
  /** The lines of stdout before the first event, in case there is none. */
  let held: string[] = [];
  let heldChars = 0;
  let looksLikeEvents = true;
  let sawEvent = false;

  const stdout = createJsonLineReader({
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
      // The line is the beginning of a truncated event.
      hold(line, CUT_EVENT.test(line));
    },
  });
  const stderr = createJsonLineReader({
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
    // Line breaks count, so that a flood of empty lines is bounded, too.
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
    // Unknown events come from a newer version and are not an answer.
    if (!sawEvent && held.length > 0 && !looksLikeEvents) {
      run.state.isPlainText = true;
      run.state.unknownLines = NO_LINES;
      run.state.brokenLines = NO_LINES;
      const text = held.join("\n").trimEnd();
      // An error printed as the answer is for the verdict, not for the listeners.
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

/** qwen's json mode prints all events as one list. */
function eventsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? objectsOf(value) : [objectOf(value) ?? {}];
}

function hasType(event: JsonObject): boolean {
  return typeof event["type"] === "string";
}

/** For any command: its output is its answer. */
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
