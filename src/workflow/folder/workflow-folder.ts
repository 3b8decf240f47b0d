// A folder of workflow files, with a policy and tool manifests that apply to all of them. Changed files are reloaded while the
// program runs:
// D1  A file with a mistake is reported and changes nothing: its last good version stays, until the file is fixed or removed.
// D2  New runs use the newest definitions. A run keeps the one it was started with, policy and manifests included: its digest covers them.
// D3  Breakers, pauses and budgets stay, because the runtime does.
// D4  However often a file is saved, reloads follow one another, and the last one sees the last version.

import { dirname, join, resolve } from "node:path";
import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import type { Policy } from "../../core/policy/policy.ts";
import { nodeFsPromises } from "../../host/builtin.ts";
import type { Clock } from "../../host/clock.ts";
import { isMissingFile } from "../../host/missing-file.ts";
import { compareKeys } from "../../journal/encode.ts";
import type { FolderDefaults, Workflow } from "../../workflow-model/stage.ts";
import type { Diagnostic } from "../../yaml-file/diagnostic.ts";
import type { LoadedFile, WorkflowLoader } from "../definition/load.ts";
import { watchFolders } from "./watch-folders.ts";

export type FolderFileKind = "workflow" | "policy" | "tools";

/** A file of the folder, as it was last read. */
export interface FolderFile {
  /** Its name in the folder. */
  readonly file: string;
  readonly kind: FolderFileKind;
  /** `kept`: it has a mistake, and its last good version is in use. `refused`: it has a mistake, and there was no good version. */
  readonly state: "loaded" | "kept" | "refused";
  /** The id of its workflow; null for other files, and while there is none. */
  readonly workflow: string | null;
  readonly diagnostics: readonly Diagnostic[];
  /** The text the diagnostics are about. */
  readonly text: string;
}

/** What a reload found. */
export interface FolderReport {
  /** Every file that counts, by name. */
  readonly files: readonly FolderFile[];
  /** The names of files that are new or have another text than before. */
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Options of `openFolder`. */
export interface FolderOptions {
  /** Called after each reload that found a change, with the policy of the folder. */
  readonly onReload?: (report: FolderReport, policy: Policy | null) => void;
}

/** A folder of workflows that is watched. */
export interface WorkflowFolder {
  readonly path: string;
  /** The workflows that new runs can be started of. */
  readonly workflows: readonly Workflow[];
  /** The policy of workflows that set none; null when the folder has none. */
  readonly policy: Policy | null;
  readonly report: FolderReport;
  /** Reads the folder again now. Not needed for changed files: the folder is watched. */
  reload(): Promise<FolderReport>;
  close(): void;
}

export interface FolderDeps {
  readonly clock: Clock;
  readonly loader: WorkflowLoader;
}

/** The last good version of a policy or of tool manifests. */
interface Good {
  readonly text: string;
  readonly policy: Policy | null;
}

interface State {
  readonly texts: Texts;
  readonly good: ReadonlyMap<string, Good>;
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly report: FolderReport;
}

/** The files that count, by name; the fault of one that cannot be read. */
type Texts = ReadonlyMap<string, string | Fault>;

const NOTHING: State = {
  texts: new Map(),
  good: new Map(),
  workflows: new Map(),
  report: { files: [], changed: [], removed: [] },
};

/** Rejects when the folder cannot be read. */
/** A folder that cannot be read when it is opened; later it may be away for a while. */
function cannotOpen(path: string, cause: Fault): Fault {
  const message = `the folder ${path} cannot be read: check that it exists and that you may read it`;
  return fault("ConfigSchemaViolation", { message, context: { field: "workflowsFolder" }, cause });
}

export async function openWorkflowFolder(
  path: string,
  { clock, loader }: FolderDeps,
  { onReload = () => undefined }: FolderOptions = {},
): Promise<WorkflowFolder> {
  const folder = resolve(path);
  let state = NOTHING;
  let isClosed = false;
  let reading: Promise<FolderReport> = Promise.resolve(state.report);

  async function read(): Promise<FolderReport> {
    const found = isClosed ? state : await readFolder(folder, loader, state);
    // It may have been closed meanwhile.
    if (isClosed) return state.report;
    state = found;
    // Files in a folder that was not watched before may have changed since they were read.
    if (watch.follow([folder, ...besideFolders(folder, state.workflows.values())])) watch.changed();
    const { changed, removed } = state.report;
    if (changed.length > 0 || removed.length > 0) onReload(state.report, policyOf(state));
    return state.report;
  }

  function reload(): Promise<FolderReport> {
    reading = reading.then(read, read);
    return reading;
  }

  const watch = watchFolders(clock, reload);
  await reload().catch((error: unknown) => {
    watch.close();
    throw new FaultError(cannotOpen(path, classify({ surface: "store", error })));
  });
  return {
    path: folder,
    get workflows() {
      return [...state.workflows.values()];
    },
    get policy() {
      return policyOf(state);
    },
    get report() {
      return state.report;
    },
    reload,
    close() {
      isClosed = true;
      watch.close();
    },
  };
}

function policyOf({ texts, good }: State): Policy | null {
  const [name] = namesOf(texts, "policy");
  return name === undefined ? null : (good.get(name)?.policy ?? null);
}

/** What a file is, by its name; null for files of others: editors' own, hidden ones, other formats, and the gateway's. */
export function kindOfFile(name: string): FolderFileKind | null {
  if (!/^[^.#~][^~]*\.ya?ml$/i.test(name)) return null;
  if (/(?:^|\.)gateway\.faultline\.ya?ml$/i.test(name)) return null;
  if (/(?:^|\.)policy\.ya?ml$/i.test(name)) return "policy";
  return /(?:^|\.)tools?\.ya?ml$/i.test(name) ? "tools" : "workflow";
}

async function readFolder(folder: string, loader: WorkflowLoader, before: State): Promise<State> {
  const texts = await readTexts(folder);
  const good = new Map<string, Good>();
  const files: FolderFile[] = [];
  for (const kind of ["policy", "tools"] as const) {
    for (const name of namesOf(texts, kind)) {
      const { version, diagnostics } = await parseShared(name, kind, texts.get(name) ?? "");
      const used = version ?? before.good.get(name) ?? null;
      if (used !== null) good.set(name, used);
      const state = stateOf(version, used);
      files.push({ file: name, kind, state, workflow: null, diagnostics, text: textOf(texts.get(name)) });
    }
  }
  const shared = {
    read: (name: string): string | undefined => good.get(name)?.text,
    defaults: defaultsOf(texts, good),
  };
  const workflows = new Map<string, Workflow>();
  for (const name of namesOf(texts, "workflow")) {
    const [text = "", known = null] = [texts.get(name), before.workflows.get(name)];
    const place = { file: join(folder, name), named: name };
    const loaded =
      typeof text === "string" ? await loader.inFolder({ ...place, text }, shared, known) : unreadable(name, text);
    const wanted = loaded.workflow ?? known;
    const twin = [...workflows].find(([, { id }]) => id === wanted?.id)?.[0];
    const used = twin === undefined ? wanted : null;
    if (used !== null) workflows.set(name, used);
    const diagnostics = twin === undefined ? loaded.diagnostics : [sameId(name, twin, wanted?.id ?? "")];
    const state = stateOf(used === null ? null : loaded.workflow, used);
    files.push({ file: name, kind: "workflow", state, workflow: used?.id ?? null, diagnostics, text: textOf(text) });
  }
  const changed = [...texts]
    .filter(([name, text]) => textOf(before.texts.get(name)) !== textOf(text) || !before.texts.has(name))
    .map(([name]) => name);
  // A file that a workflow refers to lies beside it and is not one of the folder's own.
  const beside = [...workflows].filter(([name, one]) => before.workflows.get(name) !== one).map(([name]) => name);
  const removed = [...before.texts.keys()].filter((name) => !texts.has(name));
  files.sort((a, b) => compareKeys(a.file, b.file));
  return { texts, good, workflows, report: { files, changed: [...new Set([...changed, ...beside])].sort(), removed } };
}

function stateOf(loaded: unknown, used: unknown): FolderFile["state"] {
  if (used === null) return "refused";
  return loaded === null ? "kept" : "loaded";
}

async function parseShared(
  name: string,
  kind: "policy" | "tools",
  text: string | Fault,
): Promise<{ readonly version: Good | null; readonly diagnostics: readonly Diagnostic[] }> {
  if (typeof text !== "string") return { version: null, diagnostics: unreadable(name, text).diagnostics };
  if (kind === "policy") {
    const { parsePolicy } = await import("../../policy-file/index.ts");
    const { policy, diagnostics } = parsePolicy(text, name);
    return { version: policy === null ? null : { text, policy }, diagnostics };
  }
  const { parseToolManifests } = await import("../../tool-file/index.ts");
  const { manifests, diagnostics } = parseToolManifests(text, name);
  return { version: manifests === null ? null : { text, policy: null }, diagnostics };
}

/** `policy.yaml` comes first, then the others by name; of several policies only the first applies. */
function defaultsOf(texts: Texts, good: ReadonlyMap<string, Good>): FolderDefaults {
  const [policy] = namesOf(texts, "policy");
  const tools = namesOf(texts, "tools").filter((name) => good.has(name));
  return {
    ...(policy === undefined || !good.has(policy) ? {} : { policy }),
    ...(tools.length === 0 ? {} : { tools }),
  };
}

function namesOf(texts: Texts, kind: FolderFileKind): readonly string[] {
  const isPlain = (name: string): boolean => !name.replace(/\.ya?ml$/i, "").includes(".");
  return [...texts.keys()]
    .filter((name) => kindOfFile(name) === kind)
    .sort((a, b) => Number(isPlain(b)) - Number(isPlain(a)) || (a < b ? -1 : 1));
}

/** A file that vanishes while the folder is read is not there. */
async function readTexts(folder: string): Promise<Texts> {
  const fs = nodeFsPromises();
  const texts = new Map<string, string | Fault>();
  for (const name of (await fs.readdir(folder)).sort()) {
    if (kindOfFile(name) === null) continue;
    const place = join(folder, name);
    try {
      // A pipe would never end.
      if ((await fs.stat(place)).isFile()) texts.set(name, await fs.readFile(place, "utf8"));
    } catch (error) {
      if (!isMissingFile(error)) texts.set(name, classify({ surface: "store", error }));
    }
  }
  return texts;
}

/** The folders of files that workflows refer to: prompts and schemas. */
function besideFolders(folder: string, workflows: Iterable<Workflow>): readonly string[] {
  return [...workflows].flatMap(({ source }) =>
    Object.keys(source?.files ?? {}).map((name) => dirname(resolve(folder, name))),
  );
}

function textOf(text: string | Fault | undefined): string {
  return typeof text === "string" ? text : "";
}

function unreadable(file: string, { code }: Fault): LoadedFile {
  const help = "Check that this program may read it.";
  const message = `the file cannot be read (${code})`;
  return { workflow: null, diagnostics: [about(file, "DIR001", message, "not readable", help)] };
}

function sameId(file: string, other: string, id: string): Diagnostic {
  const help = "Give each workflow of a folder its own `workflow.id`, or remove one of the two files.";
  return about(file, "DIR002", `the workflow id \`${id}\` is that of ${other}`, "the same id", help);
}

/** A mistake of the file as a whole. */
function about(file: string, code: string, message: string, label: string, help: string): Diagnostic {
  return { severity: "error", code, message, file, line: 1, column: 1, length: 1, label, help };
}
