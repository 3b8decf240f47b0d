// Parses a workflow file into a definition, or reports all its mistakes at once. A file with an error is never loaded.

import { type Locale, REDACTED, SHAPE_REDACTOR } from "../core/index.ts";
import { type Diagnostic, withoutMark } from "../yaml-file/diagnostic.ts";
import { checkForm, type CheckedForm, isAbout, soundPart } from "../yaml-file/issues.ts";
import { diagnosticAt, type FilePlace, type Path, type Range } from "../yaml-file/locate.ts";
import { type FileKind, inOrder, type ReadDocument, readYaml } from "../yaml-file/read.ts";
import { checkAmounts } from "./amounts.ts";
import { build } from "./build.ts";
import { finding, type MistakeRow, MISTAKES, said, type WorkflowFinding } from "./codes.ts";
import { collect, stringsIn } from "./collect.ts";
import type { WorkflowDefinition } from "./definition.ts";
import { bareBraces, explainFinding, withCommaHint, type WrittenFile } from "./explain.ts";
import { isFinding, type ReadText, ReferredFiles } from "./files.ts";
import { fieldsOf, GRAMMAR } from "./grammar.ts";
import { arrowsOf, checkGraph, checkJoins } from "./graph.ts";
import { checkInputs } from "./inputs.ts";
import { checkJsonSchemas } from "./json-schemas.ts";
import { checkNames } from "./names.ts";
import type { FolderDefaults } from "../workflow-model/stage.ts";
import { besides, readPolicy } from "./policy.ts";
import { checkReferences, type Env } from "./references.ts";
import { type WorkflowFile, workflowFileSchema } from "./schema.ts";
import { checkExpressions, checkTexts } from "./texts.ts";
import { type CST, Parser } from "yaml";
import { parseToolManifests, type ToolManifest } from "../tool-file/index.ts";

/** A workflow, or null, and the mistakes that were found. */
export interface ParsedWorkflow {
  /** null if there is an error. */
  readonly definition: WorkflowDefinition | null;
  /** Errors and warnings. Those about a file that the workflow refers to name that file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Options of `parseWorkflow`. */
export interface ParseOptions {
  /** Reads a file beside the workflow; null if it does not exist. Without it, the workflow cannot refer to files. */
  readonly read?: ReadText;
  /** Files beside the workflow that apply to every workflow of its folder; `read` reads them. */
  readonly defaults?: FolderDefaults;
  /** Used to warn about unset variables for keys; skipped if left out. */
  readonly env?: Env;
  /** The language of the diagnostics. Default: English. */
  readonly locale?: Locale;
}

const KIND: FileKind = {
  article: "a workflow",
  name: "a workflow file",
  syntaxCode: MISTAKES["syntax"].code,
  documents: "one",
};

/** Reads a workflow from YAML and reports every mistake with its place. */
export async function parseWorkflow(text: string, file: string, options: ParseOptions = {}): Promise<ParsedWorkflow> {
  const { locale = "en" } = options;
  const { definition, diagnostics } = await parse(text, file, options);
  if (locale === "en" || diagnostics.length === 0) return { definition, diagnostics };
  // Loaded on demand: most programs never read a mistake in another language.
  const { workflowSentence } = await import("./sentences.ts");
  return { definition, diagnostics: diagnostics.map((one) => workflowSentence(one, locale)) };
}

async function parse(text: string, file: string, options: ParseOptions): Promise<ParsedWorkflow> {
  const { locale = "en" } = options;
  const tooLong = typeof text === "string" ? tooLongAt(withoutMark(text)) : null;
  if (tooLong !== null) return parsedWith([tooManyEntries(file, withoutMark(text), tooLong)], null);
  const { place, documents, mistakes } = readYaml(text, file, { ...KIND, locale });
  const [read] = documents;
  if (read === undefined) return { definition: null, diagnostics: mistakes };
  const written: WrittenFile = { document: read.document, place, source: withoutMark(text) };
  const bare = bareBraces(written);
  if (bare.length > 0) return parsedWith(bare, null);
  const refused = checkNames(read.value);
  if (refused.length > 0)
    return parsedWith(
      refused.map((one) => explainFinding(one, written)),
      null,
    );
  const form = checkForm(read, written.place, { ...GRAMMAR, locale });
  if (form.diagnostics.length > 0) {
    const wrong = withCommaHint(form.diagnostics, form.issues, form.meant.value, written);
    return parsedWith([...wrong, ...mistakesBeside(form, written, options.env ?? null)], null);
  }
  return checkMeaning(read, written, options);
}

function tooManyEntries(file: string, source: string, offset: number): Diagnostic {
  const before = source.slice(0, offset);
  const place = { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
  const message = `a map or a list has more than ${MAX_ENTRIES} entries`;
  const range: Range = [offset, offset + 1];
  const help = "Check that this is a workflow file, or split it into several workflows.";
  return diagnosticAt({ file, at: () => place }, MISTAKES["too-large"].code, message, range, "too many", help);
}

/** Stand in for what is missing or wrong, so that every node, agent and tool keeps its name. */
const PLACEHOLDERS: Readonly<Record<string, unknown>> = {
  faultline: 1,
  workflow: { id: "flow", version: "1" },
  type: "command",
  run: "true",
  agent: "agent",
  prompt: "prompt",
  tool: "tool",
  when: "true",
  value: "true",
  branches: ["end"],
  join: "end",
};

/** Mistakes of meaning in a file that also has mistakes of form: those that do not depend on what is wrong there. */
function mistakesBeside({ meant, issues }: CheckedForm, written: WrittenFile, env: Env | null): readonly Diagnostic[] {
  const file = soundPart(withMaps(meant.value), workflowFileSchema, PLACEHOLDERS);
  const findings =
    file === null ? [] : [...checkAmounts(file), ...checkReferences(file, env), ...checkGraph(file, arrowsOf(file))];
  const places = issues.flatMap((issue): readonly Path[] => {
    const path = issue.path as Path;
    return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
  });
  const isTold = ({ path }: WorkflowFinding): boolean =>
    places.some((place) => isAbout({ path: place }, path) || isAbout({ path }, place));
  return [...findings.filter((one) => isAlone(one) && !isTold(one)), ...checkSecrets(meant.value)].map((one) =>
    explainFinding(one, written),
  );
}

function isAlone({ kind }: WorkflowFinding): boolean {
  const row: MistakeRow = MISTAKES[kind];
  return row.alone === true;
}

/** Makes each node, agent, tool and provider a map, so that references to its name are found even if its value is wrong. */
function withMaps(value: unknown): unknown {
  const file = fieldsOf(value);
  const sections = ["nodes", "agents", "tools", "providers"].flatMap((section) => {
    const held = Object.entries(fieldsOf(file[section])).map(([name, item]) => [name, fieldsOf(item)] as const);
    return file[section] === undefined ? [] : [[section, Object.fromEntries(held)] as const];
  });
  return { ...file, ...Object.fromEntries(sections) };
}

async function checkMeaning(read: ReadDocument, written: WrittenFile, options: ParseOptions): Promise<ParsedWorkflow> {
  // The schema has no transforms, so an accepted value is the written one.
  const file = read.value as WorkflowFile;
  const { locale = "en" } = options;
  const files = new ReferredFiles(options.read ?? (() => null));
  const arrows = arrowsOf(file);
  const { texts, expressions, findings: unread } = collect(file, files);
  const defaults = options.defaults ?? null;
  const policy = readPolicy(file.policy ?? defaults?.policy, files, read, written.place, locale);
  const tools = readManifests(defaults?.tools ?? [], file, files, written.place, locale);
  const findings: readonly WorkflowFinding[] = [
    ...noNodes(file),
    ...checkInputs(file),
    ...checkAmounts(file),
    ...checkReferences(file, options.env ?? null),
    ...checkGraph(file, arrows),
    ...checkJoins(file, arrows),
    ...unread,
    ...policy.findings,
    ...tools.findings,
    ...checkTexts(texts, file, arrows),
    ...(await checkExpressions(expressions, file)),
    ...checkJsonSchemas(file, files),
    ...checkSecrets(file),
  ];
  const diagnostics = [
    ...findings.map((one) => explainFinding(one, written)),
    ...policy.diagnostics,
    ...tools.diagnostics,
  ];
  if (diagnostics.some(isError)) return parsedWith(diagnostics, null);
  return parsedWith(
    diagnostics,
    build(file, {
      files,
      defaults,
      policy: policy.policy,
      manifests: tools.manifests,
      file: written.place.file,
      text: written.source,
    }),
  );
}

function noNodes({ nodes }: WorkflowFile): readonly WorkflowFinding[] {
  if (Object.keys(nodes).length > 0) return [];
  return [finding("missing", ["nodes"], "the workflow has no nodes", "empty", "Add a node with a `type`.", "key")];
}

/** With many errors the list is cut, so warnings are left out first. */
function parsedWith(diagnostics: readonly Diagnostic[], definition: WorkflowDefinition | null): ParsedWorkflow {
  const all = inOrder(diagnostics);
  const errors = diagnostics.filter(isError);
  return { definition, diagnostics: all.length === diagnostics.length || errors.length === 0 ? all : inOrder(errors) };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}

/**
 * The most entries of a map or list; higher than the maximum number of nodes. Longer ones are refused before the YAML is parsed, as one
 * mistake instead of one per entry.
 */
const MAX_ENTRIES = 1000;

/** A longer file is refused by its length alone. */
const MAX_CHARS = 200_000;

/** The offset of the first map or list with too many entries; null if there is none. */
function tooLongAt(source: string): number | null {
  if (source.length > MAX_CHARS) return null;
  // Every entry has one of these characters, so most files need no second pass.
  if ((source.match(/[:,\n]/g)?.length ?? 0) <= MAX_ENTRIES) return null;
  const open: CST.Token[] = [...new Parser().parse(source)];
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    if (token.type === "document" && token.value !== undefined) open.push(token.value);
    if (!("items" in token)) continue;
    if (token.items.length > MAX_ENTRIES) return token.offset;
    for (const { key, value } of token.items)
      open.push(...[key, value].filter((one) => one !== null && one !== undefined));
  }
  return null;
}

// Rejects secrets anywhere in the file. The file is kept in the journal, shown in diagnostics and checked into repositories.

function checkSecrets(value: unknown): readonly WorkflowFinding[] {
  return stringsIn(value, []).flatMap(({ path, text }) => {
    // Checked word by word: a sentence about a password is not a secret.
    const hasOne = text.split(/\s+/).some((word) => looksSecret(word)) || PRIVATE_KEY.test(text);
    if (!hasOne) return [];
    const message = `${said(path)} looks like it contains a secret`;
    const help =
      "Take it out, and make a new one if the file was shared. Keys come from the environment: `api_key_env: OPENAI_API_KEY`; other secrets are inputs with `secret: true`.";
    return [finding("written-secret", path, message, "a secret", help)];
  });
}

const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/;

function looksSecret(word: string): boolean {
  // A {{ }} will be replaced by a secret, but is not one itself. The same holds for a variable of a shell.
  const written = word.replace(VARIABLE, "");
  return (
    written.length > 7 &&
    !written.includes("{{") &&
    SHAPE_REDACTOR.text(written).includes(REDACTED) &&
    !written.includes(REDACTED)
  );
}

/** `$GH_TOKEN` or `${GH_TOKEN}`, in an address with its user. A password that begins with `$` and has capital letters only is rare. */
const VARIABLE = /(?:(?<=\/\/)[\w.-]{1,64}:)?\$(?:[A-Z_][A-Z0-9_]*|\{[A-Z_][A-Z0-9_]*\})(?![A-Za-z0-9])/g;

// Tool manifests that apply to all workflows of a folder: what they say about the tools of one of them.

export interface ReadManifests {
  readonly manifests: readonly ToolManifest[];
  readonly findings: readonly WorkflowFinding[];
  readonly diagnostics: readonly Diagnostic[];
}

/** If two manifests name one tool, the first counts. Manifests of tools that the workflow does not have are left out. */
function readManifests(
  names: readonly string[],
  { tools = {} }: WorkflowFile,
  files: ReferredFiles,
  place: FilePlace,
  locale: Locale,
): ReadManifests {
  const manifests = new Map<string, ToolManifest>();
  const findings: WorkflowFinding[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const name of names) {
    const file = files.open(name, ["tools"]);
    if (isFinding(file)) {
      findings.push(file);
      continue;
    }
    const parsed = parseToolManifests(file.text, besides(place.file, file.name), locale);
    diagnostics.push(...parsed.diagnostics.filter(({ severity }) => severity === "error"));
    for (const manifest of parsed.manifests ?? []) {
      if (Object.hasOwn(tools, manifest.id) && !manifests.has(manifest.id)) manifests.set(manifest.id, manifest);
    }
  }
  return { manifests: [...manifests.values()], findings, diagnostics };
}
