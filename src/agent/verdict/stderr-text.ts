// Extracts the part of a CLI's stderr that is about its failure. Colours, stack frames, progress and help pages are removed, because their
// words would suggest the wrong cause.

import { withoutColours } from "../parse/without-colours.ts";

export interface StderrText {
  readonly text: string;
  /** The CLI printed its help, as CLIs do when they reject their arguments. */
  readonly showsHelp: boolean;
}

export function readStderr(stderr: string): StderrText {
  const kept: string[] = [];
  for (const raw of stderr.split("\n")) {
    const line = withoutColours(raw).trimEnd();
    if (HELP.test(line)) return { text: joined(kept), showsHelp: true };
    if (line !== "" && !NOISE.some((noise) => noise.test(line))) kept.push(line);
  }
  return { text: joined(kept), showsHelp: false };
}

/** The start of a help page. The text before it may name the rejected argument. */
const HELP = /^(?:Usage: |USAGE:|Options:$|Commands:$|Positionals:$)/;

/** Lines that successful runs print, too, each with a real example. */
const NOISE: readonly RegExp[] = [
  /^\s+at /, //                                        at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
  /^WARNING: proceeding, even though/, //              WARNING: proceeding, even though we could not create PATH aliases
  /^Reading (?:additional input|prompt) from stdin/, // Reading additional input from stdin...
  /^\[STARTUP\] /, //                                  [STARTUP] Phase 'cleanup_ops' was started but never ended. Skipping metrics.
  /^YOLO mode is enabled/, //                          YOLO mode is enabled. All tool calls will be automatically approved.
  /^Warning: /, //                                     Warning: no stdin data received in 3s, proceeding without it.
  /^warning: /, //                                     warning: Codex could not find bubblewrap on PATH.
  /^Retrying (?:provider attempt|in \d)/, //           Retrying provider attempt (0 buffered tool call(s) discarded).
  /^Attempt \d+ failed/, //                            Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {…}
  /^Error executing tool /, //                         Error executing tool run_shell_command: Tool "run_shell_command" not found.
  /^Could not parse message into JSON: /, //           Could not parse message into JSON: {"type":"content_block_delta"
  /^From chunk: /, //                                  From chunk: [ "event: content_block_delta" ]
  /^\d{4}-\d{2}-\d{2}T\S+\s+(?:ERROR|WARN|INFO) /, //  2026-11-15T19:35:14.940993Z ERROR codex_api::endpoint::responses_websocket: failed to connect
  /^> \S+ · /, //                                      > build · m1
  /^Loaded cached credentials/, //                     Loaded cached credentials.
  /^\(node:\d+\) |^\(Use `node --trace/, //            (node:123) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.
];

function joined(lines: readonly string[]): string {
  return lines.join("\n").trim();
}
