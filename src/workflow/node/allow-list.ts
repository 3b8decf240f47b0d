// The commands a node may run: exactly those in its list. Commands are compared word by word, so spacing and quotes do not matter.

import { fault, FaultError, isFaultError } from "../../core/fault/fault.ts";
import { lineOf, shownLine, splitLine, type CommandWords } from "../../workflow-model/command-line.ts";
import type { AllowList } from "../../workflow-model/node-options.ts";

export interface Allowed {
  readonly words: CommandWords;
  /** More words may follow. */
  readonly isPrefix: boolean;
}

/** Throws for an entry that could never match a command. */
export function readAllowList({ commands }: AllowList): readonly Allowed[] {
  return commands.map(readEntry);
}

function readEntry(entry: string): Allowed {
  const text = entry.trim();
  if (text === "*") throw unusable(entry, "it would allow everything. Name the commands the node needs");
  const isPrefix = text.endsWith(" *");
  try {
    return { words: splitLine(isPrefix ? text.slice(0, -2) : text), isPrefix };
  } catch (error) {
    const why = isFaultError(error) ? error.fault.context["why"] : undefined;
    if (why === undefined) throw error;
    throw unusable(entry, `no command can match it: ${why}`, error);
  }
}

function unusable(entry: string, why: string, cause?: unknown): FaultError {
  const message = `the entry ${JSON.stringify(shownLine(entry))} of an allow list is invalid: ${why}. Write the words of a command, and end it with " *" to allow more words.`;
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "allow" } }), { cause });
}

export function isAllowed(words: CommandWords, list: readonly Allowed[]): boolean {
  return list.some(
    (entry) =>
      (entry.isPrefix ? words.length >= entry.words.length : words.length === entry.words.length) &&
      entry.words.every((word, index) => words[index] === word),
  );
}

/** `isTyped`: an operator typed it in place of the node's own commands. */
export function notAllowed(node: string, words: CommandWords, isTyped: boolean): FaultError {
  const line = shownLine(lineOf(words));
  const command = JSON.stringify(line);
  const grant = isTyped
    ? `name it with the action: --command ${command} on the command line, \`commands\` in a program`
    : "grant it to this run with the action grant-and-retry";
  return new FaultError(
    fault("Forbidden", {
      message: `node ${node} may not run ${command}, so it ran none of its commands. To allow it, add it to the node's allow list (end it with " *" to allow more words), or ${grant}.`,
      context: { command: line, stage: node, field: "allow", ran: false },
    }),
  );
}
