// Removes colours and cursor movements from a line. CLIs print them even into a pipe.

/** CSI sequences, OSC sequences up to their end, and lone escapes. */
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)?|.)?/g;

export function withoutColours(line: string): string {
  return line.includes("\u001b") ? line.replace(ESCAPES, "") : line;
}
