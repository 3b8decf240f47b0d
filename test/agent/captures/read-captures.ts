// The recorded runs of six agent CLIs under real failures, and what each of them is. The labels were decided from what the
// upstream did, before any parser had read the output.

import { readFileSync } from "node:fs";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import type { AgentParser } from "../../../src/agent/parse/create-parser.ts";
import type { AgentKind } from "../../../src/agent/parse/agent-state.ts";
import type { AgentEnding } from "../../../src/agent/verdict/ending.ts";

export interface Capture {
  readonly name: string;
  readonly kind: Exclude<AgentKind, "generic">;
  readonly version: string;
  readonly mode: "json" | "stream" | "text";
  readonly upstream: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What the recorder did to it: a signal, or its own time limit. */
  readonly ended: string | null;
  readonly observedAt: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly expected: {
    /** Any of these is right; `ok` is success. */
    readonly codes: readonly string[];
    readonly resetAt: boolean;
    readonly retryAfterMs: number | null;
    readonly denials: number;
    readonly session: boolean;
    readonly usage: boolean;
  };
}

export const CAPTURES: readonly Capture[] = readFileSync(new URL("captures.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Capture);

export function captureOf(name: string): Capture {
  const found = CAPTURES.find((capture) => capture.name === name);
  if (found === undefined) throw new Error(`there is no capture ${name}`);
  return found;
}

export function parsed(capture: Pick<Capture, "kind" | "stdout" | "stderr">): AgentParser {
  const parser = createParser(capture.kind);
  for (const line of capture.stdout.split("\n")) parser.stdout(line);
  for (const line of capture.stderr.split("\n")) parser.stderr(line);
  parser.end();
  return parser;
}

export function endingOf(capture: Capture): AgentEnding {
  return {
    exitCode: capture.exitCode,
    signal: capture.signal,
    stderrTail: capture.stderr.slice(-16_384),
    observedAt: capture.observedAt,
    // The machine that recorded them kept this zone.
    timeZone: "UTC",
    ...(capture.ended?.startsWith("timeout") === true ? { timedOut: "total" as const } : {}),
  };
}
