// What every command about runs works with, besides what all commands have: the engine on its journal, and how to print commands for
// it. A refusal by the engine becomes a sentence and an exit code.

import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import { type FaultCode, isFaultError } from "../../core/index.ts";
import { createWorkflows, type Workflows } from "../../workflow/workflows.ts";
import type { Cli } from "../cli.ts";
import type { Io } from "../io.ts";
import { settingOf } from "../config/setting-of.ts";
import { SETTINGS } from "../config/settings.ts";
import type { ExitName } from "../exit-codes.ts";
import { refusalOf } from "../fault-sentences/sentence.ts";
import { lookAtJournal, withJournal, withNewJournal } from "../journal/with-journal.ts";
import { commandLine } from "../render/program-name.ts";
import { isPostgresAddress } from "../../journal/journal-place.ts";

export interface JournalOption {
  readonly journal?: string;
}

export interface RunCommandDeps extends Cli {
  readonly workflows: Workflows;
  /** A command line about these runs: `faultline runs show …`, with `--journal` where needed. */
  readonly command: (...words: readonly string[]) => string;
}

export async function journalOf({ journal }: JournalOption, { env }: Pick<Io, "env">): Promise<string> {
  const { value } = await settingOf("journal", journal, env);
  return value ?? SETTINGS.journal.fallback;
}

/** `make` creates the journal if it does not exist; `look` opens it read-only. */
export async function withRuns<T>(
  option: JournalOption & { readonly make?: true; readonly look?: true },
  cli: Cli,
  use: (deps: RunCommandDeps) => Promise<T>,
): Promise<T> {
  const file = await journalOf(option, cli);
  const open = option.make === true ? withNewJournal : option.look === true ? lookAtJournal : withJournal;
  return open(file, cli, async (journal) => {
    const workflows = createWorkflows({ journal, clock: cli.clock, env: cli.env, locale: cli.locale });
    const named = option.journal === undefined ? [] : ["--journal", option.journal];
    const command = (...words: readonly string[]): string => commandLine(...words, ...named);
    try {
      return await use({ ...cli, workflows, command });
    } catch (error) {
      throw refusalInWords(error);
    } finally {
      await workflows.close();
    }
  });
}

/** Whether the journal and SQLite's files beside it can be written. */
export async function mayWrite(option: JournalOption, cli: Cli): Promise<boolean> {
  const file = await journalOf(option, cli);
  if (isPostgresAddress(file)) return true;
  const asked = [file, dirname(file)].map((path) => access(path, constants.W_OK));
  return Promise.all(asked).then(
    () => true,
    () => false,
  );
}

/** The exit codes of the engine's refusals; `with-journal.ts` handles all others. */
const EXITS: Readonly<Partial<Record<FaultCode, ExitName>>> = {
  NotFound: "usage", //       a run, a question or a file that does not exist
  ShapeInvalid: "usage", //   an input or an answer that does not fit
  ResumeMismatch: "config", // the workflow file has changed
  EngineState: "failed", //   an action that is not offered now
  ResourceBusy: "failed", //  another process advances the run
};

export function refusalInWords(error: unknown): unknown {
  if (!isFaultError(error)) return error;
  const exit = EXITS[error.fault.code];
  return exit === undefined ? error : refusalOf(error, exit);
}
