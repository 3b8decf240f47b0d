// The project file, `faultline.config.yaml`: settings that everybody who works in a repository shares. It is looked for in the current
// folder and in those above it, up to the root of the repository. Without a repository only the current folder counts: a folder above it
// may belong to someone else.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import type { Locale } from "../../core/index.ts";
import { isPostgresAddress } from "../../journal/journal-place.ts";
import { renderDiagnostic } from "../../yaml-file/diagnostic.ts";
import { checkForm, type Grammar } from "../../yaml-file/issues.ts";
import { type FileKind, inOrder, readYaml } from "../../yaml-file/read.ts";
import { UsageError } from "../io.ts";
import { refusedFile } from "../system-refusal.ts";
import { type Resolved, type Setting, type SettingName, SETTINGS } from "./settings.ts";

const PROJECT_FILE = "faultline.config.yaml";

const KEYS = Object.entries<Setting>(SETTINGS).flatMap(([name, { isInFile }]) => (isInFile === true ? [name] : []));

const schema = z.strictObject(Object.fromEntries(KEYS.map((key) => [key, z.string().min(1).optional()])));

const KIND: FileKind = { article: "a project file", name: "a project file", syntaxCode: "CFG001", documents: "one" };

const GRAMMAR: Grammar = {
  schemaFor: () => schema,
  codes: {
    unknownKey: "CFG002",
    wrongType: "CFG003",
    unknownName: "CFG004",
    outOfRange: "CFG005",
    missing: "CFG006",
  },
  rangeHelp: {},
  manyNamesHelp: "",
};

/** The nearest project file; null: there is none. */
function findProjectFile(): string | null {
  const above: string[] = [];
  for (let at = process.cwd(); ; at = dirname(at)) {
    above.push(at);
    if (existsSync(join(at, ".git"))) break;
    if (dirname(at) === at) return atIn(above.slice(0, 1));
  }
  return atIn(above);
}

function atIn(folders: readonly string[]): string | null {
  return folders.map((folder) => join(folder, PROJECT_FILE)).find((file) => existsSync(file)) ?? null;
}

/** null: there is no file, or it does not say. */
export function fromProjectFile(name: SettingName): Resolved | null {
  const file = findProjectFile();
  if (file === null) return null;
  const shown = relative(process.cwd(), file);
  const value = readProjectFile(textOf(file, shown), shown)[name];
  if (value === undefined) return null;
  const place = isPostgresAddress(value) ? value : relative(process.cwd(), resolve(dirname(file), value)) || ".";
  return { value: place, origin: { kind: "file", name: shown } };
}

function textOf(file: string, shown: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw refusedFile("read", shown, error);
  }
}

/** Throws a sentence with every mistake. */
function readProjectFile(text: string, file: string): Readonly<Record<string, string | undefined>> {
  const [read] = readYaml(text, file, KIND).documents;
  const checked = read === undefined ? null : schema.safeParse(read.value ?? {});
  if (checked?.success === true) return checked.data;
  const said = {
    "en": `${file} cannot be used.\n\n${mistakesIn(text, file, "en")}`,
    "zh-CN": `${file} 无法使用。\n\n${mistakesIn(text, file, "zh-CN")}`,
  };
  throw new UsageError(said, "config");
}

function mistakesIn(text: string, file: string, locale: Locale): string {
  const { place, documents, mistakes } = readYaml(text, file, { ...KIND, locale });
  const [read] = documents;
  const wrong = read === undefined ? mistakes : checkForm(read, place, { ...GRAMMAR, locale }).diagnostics;
  return inOrder(wrong)
    .map((one) => renderDiagnostic(one, text, locale))
    .join("\n\n");
}
