// Adds, lists and removes the tokens of a journal's server.

import { isFaultError } from "../../core/index.ts";
import type { Role } from "../../api/route.ts";
import { folderBeside } from "../../journal/journal-place.ts";
import { makeFolder } from "../../journal/files/file-store.ts";
import { addToken, listTokens, removeToken } from "../../server/tokens.ts";
import type { Cli } from "../cli.ts";
import { refusalOf } from "../fault-sentences/sentence.ts";
import { UsageError } from "../io.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { tableLines } from "../render/table.ts";
import { SERVE_WORDS } from "../render/words/serve-words.ts";
import { type JournalOption, journalOf } from "../runs/run-deps.ts";

export type TokenPlace = JournalOption;

export interface AddTokenOptions extends TokenPlace {
  readonly role: Role;
}

export async function addTokenTo(name: string, options: AddTokenOptions, cli: Cli): Promise<void> {
  const { locale, json } = cli;
  const folder = folderBeside(await journalOf(options, cli));
  await makeFolder(folder, { mode: 0o700 });
  const { role } = options;
  const token = await asUsageError(addToken(folder, name, role, cli.clock.now()));
  await cli.stdout.write(json ? `${safeJson({ name, role, token })}\n` : `${token}\n`);
  if (!json) await cli.stderr.write(`faultline: ${SERVE_WORDS[locale].tokenMade(oneLine(name), role)}\n`);
}

export async function listTokensOf(options: TokenPlace, cli: Cli): Promise<void> {
  const { locale, json } = cli;
  const words = SERVE_WORDS[locale];
  const tokens = await asUsageError(listTokens(folderBeside(await journalOf(options, cli))));
  if (json) {
    const shown = tokens.map(({ name, role, createdAt }) => ({ name, role, createdAt }));
    return void (await cli.stdout.write(`${safeJson(shown)}\n`));
  }
  if (tokens.length === 0) return void (await cli.stderr.write(`faultline: ${words.noTokens}\n`));
  const columns = words.tokenHead.map((title) => ({ title }));
  const rows = tokens.map(({ name, role, createdAt }) => [oneLine(name), role, new Date(createdAt).toISOString()]);
  for (const line of tableLines(columns, rows)) await cli.stdout.write(`${line}\n`);
}

export async function removeTokenOf(name: string, options: TokenPlace, cli: Cli): Promise<void> {
  const { locale, json } = cli;
  const words = SERVE_WORDS[locale];
  const isRemoved = await asUsageError(removeToken(folderBeside(await journalOf(options, cli)), name));
  if (!isRemoved) throw new UsageError(words.noToken(oneLine(name)), "usage");
  if (json) return void (await cli.stdout.write(`${safeJson({ removed: name })}\n`));
  await cli.stderr.write(`faultline: ${words.tokenRemoved(oneLine(name))}\n`);
}

/** The user can put right a damaged file or a name that cannot be used. */
async function asUsageError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isFaultError(error)) throw refusalOf(error, "usage");
    throw error;
  }
}
