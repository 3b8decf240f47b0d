// Which commands a node may run: exactly those in its list, compared word by word, so that spacing and quotes change nothing.

import { fault } from "../../core/fault/fault.ts";
import { FaultError, isFaultError } from "../../core/fault/fault-error.ts";
import { lineOf, shownLine, splitLine, type CommandWords } from "../../workflow-model/command-line.ts";
import type { AllowList } from "../../workflow-model/node-options.ts";

export interface Allowed {
  readonly words: CommandWords;
  /** More words may follow. */
  readonly isPrefix: boolean;
}

/** Throws for an entry that could never be run. */
export function readAllowList({ commands }: AllowList): readonly Allowed[] {
  return commands.map(readEntry);
}

function readEntry(entry: string): Allowed {
  const text = entry.trim();
  if (text === "*") throw unusable(entry, "it would allow everything. Name the commands that are needed");
  const isPrefix = text.endsWith(" *");
  try {
    return { words: splitLine(isPrefix ? text.slice(0, -2) : text), isPrefix };
  } catch (error) {
    const why = isFaultError(error) ? error.fault.context["why"] : undefined;
    if (why === undefined) throw error;
    throw unusable(entry, `no command could ever be it: ${why}`, error);
  }
}

function unusable(entry: string, why: string, cause?: unknown): FaultError {
  const message = `the entry ${JSON.stringify(shownLine(entry))} of an allow list cannot be used: ${why}. Write the words of a command, with " *" at their end to allow more words.`;
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "allow" } }), { cause });
}

export function isAllowed(words: CommandWords, list: readonly Allowed[]): boolean {
  return list.some(
    (entry) =>
      (entry.isPrefix ? words.length >= entry.words.length : words.length === entry.words.length) &&
      entry.words.every((word, index) => words[index] === word),
  );
}

/** `isTyped`: by an operator, in place of the node's own commands. */
export function notAllowed(node: string, words: CommandWords, isTyped: boolean): FaultError {
  const line = shownLine(lineOf(words));
  const command = JSON.stringify(line);
  const grant = isTyped
    ? `name it with the action: --command ${command} on the command line, \`commands\` in a program`
    : "grant it to this run with the action grant-and-retry";
  return new FaultError(
    fault("Forbidden", {
      message: `node ${node} may not run ${command}, so none of its commands was run. To allow it, add it to allow of the node (with " *" at its end to allow more words after it), or ${grant}.`,
      context: { command: line, stage: node, field: "allow", ran: false },
    }),
  );
}
