// Workflow files → workflows that can run, with the tools they bring. A text the journal has kept is read the same way.

import { nodeFs, nodeFsPromises } from "../../host/builtin.ts";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Locale } from "../../core/index.ts";
import { classify } from "../../core/classify/classify.ts";
import { fault, FaultError } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { createSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import type { ParsedWorkflow } from "../../workflow-file/parse.ts";
import type { ReadText, Unreadable } from "../../workflow-file/files.ts";
import type { WorkflowDefinition } from "../../workflow-file/definition.ts";
import { COMPLETED, keysOf } from "../define.ts";
import { toolsOf, type WorkflowTools } from "../node/workflow-tools.ts";
import type { FolderDefaults, Workflow, WorkflowOutline, WorkflowSource } from "../../workflow-model/stage.ts";
import { readInputs } from "../../workflow-file/inputs.ts";
import { outlineOf } from "./outline.ts";
import { agentTargetIds } from "../node/agent-targets.ts";
import type { NodeDeps } from "../node/base.ts";
import { createStage } from "../node/node-stages.ts";
import { policyOfRuns } from "../../core/policy/presets.ts";
import { isMissingFile } from "../../host/missing-file.ts";

interface LoadOptions {
  readonly clock: Clock;
  /** For commands, tools and the keys of providers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Keeps up connections to MCP servers. */
  readonly runtime: Runtime;
  /** The language of diagnostics. */
  readonly locale: Locale;
}

/** A workflow read from a file, or null, and the mistakes that were found. */
export interface LoadedFile {
  /** null when there is an error among the diagnostics. */
  readonly workflow: Workflow | null;
  readonly diagnostics: ParsedWorkflow["diagnostics"];
}

export class WorkflowLoader {
  readonly #options: LoadOptions;
  readonly #sandbox: Sandbox;
  readonly #tools: WorkflowTools[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#sandbox = createSandbox({ clock: options.clock });
  }

  /** Rejects when the file itself cannot be read; the diagnostics report mistakes in it. */
  async file(path: string): Promise<LoadedFile> {
    const file = resolve(path);
    const text = await readText(file, path);
    // Diagnostics use the name the user typed.
    return this.#parse(text, { file, named: path }, (name) => readBeside(file, name));
  }

  /**
   * A file of a folder. `read` gives the texts that apply to the whole folder, or undefined for other files. `known` is returned
   * when nothing has changed since it was loaded.
   */
  async inFolder(
    { file, named, text }: { readonly file: string; readonly named: string; readonly text: string },
    { read, defaults }: { readonly read: (name: string) => string | undefined; readonly defaults: FolderDefaults },
    known: Workflow | null,
  ): Promise<LoadedFile> {
    return this.#parse(text, { file, named }, (name) => read(name) ?? readBeside(file, name), defaults, known);
  }

  /** A text that was a workflow when its run was started. */
  async source({ file, text, files, defaults }: WorkflowSource): Promise<Workflow> {
    const read: ReadText = (name) => files[name] ?? null;
    const { workflow, diagnostics } = await this.#parse(text, { file, named: file }, read, defaults);
    if (workflow !== null) return workflow;
    const why = diagnostics.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
    const message = `the workflow kept in the journal cannot be read by this version of Faultline: ${why}`;
    throw new FaultError(fault("ResumeMismatch", { message }));
  }

  /** Ends what tools have started. */
  async close(): Promise<void> {
    for (const tools of this.#tools.splice(0)) await tools.close();
  }

  async #parse(
    text: string,
    { file, named }: { readonly file: string; readonly named: string },
    read: ReadText,
    defaults: FolderDefaults = {},
    known: Workflow | null = null,
  ): Promise<LoadedFile> {
    // YAML and its schemas load with the first file: a workflow in TypeScript needs neither.
    const { parseWorkflow } = await import("../../workflow-file/parse.ts");
    const { definition, diagnostics } = await parseWorkflow(text, named, {
      read,
      env: this.#options.env,
      locale: this.#options.locale,
      ...(Object.keys(defaults).length === 0 ? {} : { defaults }),
    });
    if (definition === null) return { workflow: null, diagnostics };
    if (definition.digest === known?.digest) return { workflow: known, diagnostics };
    const source = { ...definition.source, file };
    return { workflow: this.#compile({ ...definition, source }, file), diagnostics };
  }

  #compile(definition: WorkflowDefinition, file: string): Workflow {
    const { clock, env, runtime } = this.#options;
    const cwd = dirname(file);
    const tools = toolsOf(definition.tools, { runtime, env, cwd, clock }, definition.manifests);
    this.#tools.push(tools);
    return compileWorkflow(definition, {
      sandbox: this.#sandbox,
      env,
      cwd,
      clock,
      tool: (id) => tools.find(id),
      learn: (ids) => tools.learn(ids),
      outcomeWord: COMPLETED,
    });
  }
}

async function readText(file: string, named: string): Promise<string> {
  try {
    return await nodeFsPromises().readFile(file, "utf8");
  } catch (error) {
    const cause = classify({ surface: "store", error });
    const message = `the workflow file ${named} cannot be read: check that it exists and that you may read it`;
    throw new FaultError(fault("NotFound", { message, context: { file: named }, cause }));
  }
}

// A workflow file's definition → a workflow: every node becomes a stage.

export function compileWorkflow(definition: WorkflowDefinition, deps: NodeDeps): Workflow {
  const { id, version, name, digest, source, limits, policy, start, inputs, nodes } = definition;
  const targets = new Map(nodes.map((node) => [node.id, node.kind === "agent" ? agentTargetIds(node.agent) : []]));
  return {
    id,
    version,
    name,
    digest,
    source,
    secrets: keysOf(definition, deps.env),
    limits,
    policy: policy === null ? null : policyOfRuns(policy),
    start: [start],
    stages: new Map(nodes.map((node) => [node.id, createStage(node, deps)])),
    outline: outlineOf(definition),
    readInputs: (given) => readInputs(inputs, given),
    targetsOf: (node) => targets.get(node) ?? [],
    sendBackTo: (node) => repairNode(definition, node),
  };
}

/** The agent that can repair the work: the one its edges lead back to, else the coder, else, for a gate, the agent before it. */
function repairNode({ nodes }: WorkflowDefinition, id: string): string | null {
  const agents = nodes.filter((node) => node.kind === "agent" && node.id !== id);
  const own = nodes.find((node) => node.id === id);
  const back = [...(own?.onFailure ?? []), ...(own?.next ?? [])].filter(({ max }) => Number.isFinite(max));
  const repairer =
    agents.find((agent) => back.some(({ to }) => to === agent.id)) ??
    agents.find(({ role }) => role === "coder") ??
    (own?.kind === "human_gate" ? agents.find(({ next }) => next.some(({ to }) => to === id)) : undefined);
  return repairer?.id ?? null;
}

// Reads a file that a workflow refers to. A workflow may come from anywhere, so what it names is looked at before it is read: a device
// or a pipe may never end, and a symbolic link may lead to what is not the workflow's own.

/** More than any text that `workflow-file` accepts, which counts characters. */
const MAX_BYTES = 1024 * 1024;

/** `file` is the workflow, `name` a path from its folder. null: there is no such file, or it may not be read. */
function readBeside(file: string, name: string): string | null | Unreadable {
  try {
    const folder = nodeFs().realpathSync(dirname(file));
    const place = nodeFs().realpathSync(resolve(folder, name));
    if (isOutside(relative(folder, place))) return { why: "a symbolic link leads out of the workflow's folder" };
    return readRegular(place);
  } catch (error) {
    if (isMissingFile(error)) return null;
    return { why: classify({ surface: "store", error }).message };
  }
}

function isOutside(path: string): boolean {
  return isAbsolute(path) || path.split(sep)[0] === "..";
}

function readRegular(place: string): string | Unreadable {
  // A pipe that no process writes to would keep an ordinary open waiting. Windows has no such flag, and no such pipes.
  const handle = nodeFs().openSync(
    place,
    nodeFs().constants.O_RDONLY | ((nodeFs().constants as { O_NONBLOCK?: number }).O_NONBLOCK ?? 0),
  );
  try {
    const found = nodeFs().fstatSync(handle);
    if (!found.isFile()) return { why: "it is not a regular file" };
    const bytes = Buffer.alloc(Math.min(found.size, MAX_BYTES) + 1);
    let length = 0;
    for (let read = 1; read > 0; length += read)
      read = nodeFs().readSync(handle, bytes, length, bytes.length - length, null);
    if (length > MAX_BYTES) return { why: `it has more than ${MAX_BYTES} bytes` };
    return bytes.toString("utf8", 0, length);
  } finally {
    nodeFs().closeSync(handle);
  }
}

// Checks the text of a workflow without making anything of it: no tool is started, no file beside it is read.

export interface CheckedText {
  /** null when there is an error among the diagnostics. */
  readonly workflow: {
    readonly id: string;
    readonly version: string;
    readonly name: string;
    readonly outline: WorkflowOutline;
  } | null;
  readonly diagnostics: ParsedWorkflow["diagnostics"];
}

export async function checkText(text: string, name: string): Promise<CheckedText> {
  const { parseWorkflow } = await import("../../workflow-file/parse.ts");
  const { definition, diagnostics } = await parseWorkflow(text, name, {
    read: () => ({ why: "only the text itself was sent" }),
  });
  if (definition === null) return { workflow: null, diagnostics };
  const { id, version, name: called } = definition;
  return { workflow: { id, version, name: called, outline: outlineOf(definition) }, diagnostics };
}
