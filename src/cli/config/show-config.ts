// Prints every setting with its value and where it comes from. Of a secret, it shows only whether it is set.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SHAPE_REDACTOR } from "../../core/index.ts";
import { folderBeside, isPostgresAddress, shownPlace } from "../../journal/journal-place.ts";
import { HASHES_FILE } from "../../server/tokens.ts";
import { kindOfFile } from "../../workflow/folder/workflow-folder.ts";
import { tryRead } from "../../core/try-read.ts";
import type { Cli } from "../cli.ts";
import type { Io } from "../io.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { tableLines } from "../render/table.ts";
import { CONFIG_WORDS } from "../render/words/config-words.ts";
import { PROVIDER_SETTINGS } from "./provider-settings.ts";
import { settingOf } from "./setting-of.ts";
import { defaultOf, fromVariables, type Resolved, type Setting, type SettingName, SETTINGS } from "./settings.ts";

export interface ConfigCommandOptions {
  readonly showOrigin?: true;
}

/** The values of the flags of this command and of the program, by their names without dashes. */
type Flags = Readonly<Record<string, unknown>>;

interface Row extends Resolved {
  readonly name: string;
  readonly isSecret: boolean;
}

export async function showConfig({ showOrigin }: ConfigCommandOptions, flags: Flags, cli: Cli): Promise<void> {
  const { json, locale, paint } = cli;
  const rows = await rowsOf(flags, cli);
  if (json) {
    const shown = rows.map(({ name, value, origin, isSecret }) =>
      isSecret ? { name, isSet: value !== null, origin } : { name, value, origin },
    );
    return cli.stdout.write(`${safeJson({ settings: shown })}\n`);
  }
  const words = CONFIG_WORDS[locale];
  const columns = showOrigin === true ? words.head : words.head.slice(0, 2);
  const lines = tableLines(
    columns.map((title) => ({ title })),
    rows.map(({ name, value, origin, isSecret }) =>
      [
        name,
        value === null ? words.notSet : isSecret ? words.isSet : oneLine(value),
        value === null ? "" : words.origins[origin.kind](oneLine(origin.name)),
      ].slice(0, columns.length),
    ),
  );
  const [head = "", ...others] = lines;
  await cli.stdout.write(`${[paint("bold", head), ...others].join("\n")}\n`);
}

async function rowsOf(flags: Flags, cli: Cli): Promise<readonly Row[]> {
  const { env } = cli;
  const found = new Map<SettingName, Resolved>();
  for (const name of Object.keys(SETTINGS) as SettingName[])
    found.set(name, await settingOf(name, flagOf(SETTINGS[name], flags), env));
  const { workflows, policy, journal } = Object.fromEntries(found) as Readonly<Record<SettingName, Resolved>>;
  found.set("policy", policyIn(workflows, policy));
  return [
    ...Array.from(found, ([name, resolved]) => rowOf(name, SETTINGS[name], resolved, env)),
    tokensBeside(journal.value ?? ""),
    ...PROVIDER_SETTINGS.map(([name, setting]) =>
      rowOf(name, setting, fromVariables(setting, env) ?? defaultOf(setting), env),
    ),
  ];
}

/** `--color auto` is what happens without the flag. */
function flagOf({ flag = "--" }: Setting, flags: Flags): string | undefined {
  const given = flags[flag.slice(2)];
  return typeof given === "string" && given !== "auto" ? given : undefined;
}

/** The variables of a secret are all named, never their values. */
function rowOf(name: string, { isSecret, variables }: Setting, { value, origin }: Resolved, env: Io["env"]): Row {
  if (isSecret !== true) return { name, value: value === null ? null : safe(value), origin, isSecret: false };
  const set = variables.filter((variable) => (env[variable] ?? "") !== "");
  if (set.length === 0) return { name, value: null, origin, isSecret: true };
  return { name, value: "", origin: { kind: "variable", name: set.join(", ") }, isSecret: true };
}

function policyIn(workflows: Resolved, policy: Resolved): Resolved {
  const folder = workflows.value;
  if (folder === null || policy.origin.kind === "flag") return policy;
  const names = tryRead(() => readdirSync(folder), []);
  const file = names.find((name) => kindOfFile(name) === "policy");
  if (file === undefined) return policy;
  return { value: join(folder, file), origin: { kind: "file", name: folder } };
}

/** The tokens that a server of the journal accepts. */
function tokensBeside(journal: string): Row {
  const file = safe(join(folderBeside(journal), HASHES_FILE));
  const row = { name: "tokens", isSecret: false };
  if (!existsSync(file)) return { ...row, value: null, origin: { kind: "default", name: "" } };
  return { ...row, value: file, origin: { kind: "file", name: file } };
}

/** An address without user, password and parameters; other texts without what looks like a secret. */
function safe(value: string): string {
  if (isPostgresAddress(value)) return shownPlace(value);
  const url = /^https?:/i.test(value) ? URL.parse(value) : null;
  return url === null ? SHAPE_REDACTOR.text(value) : `${url.origin}${url.pathname}`;
}
