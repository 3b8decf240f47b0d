// Workflow files → workflows that can run, with the tools they bring. A text the journal has kept is read the same way.

import { nodeFsPromises } from "../../host/builtin.ts";
import { dirname, resolve } from "node:path";
import { classify } from "../../core/classify/classify.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { createSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import type { ParsedWorkflow } from "../../workflow-file/parse.ts";
import type { ReadText } from "../../workflow-file/files.ts";
import type { WorkflowDefinition } from "../../workflow-file/definition.ts";
import { compileWorkflow } from "./compile.ts";
import { COMPLETED } from "../define.ts";
import { toolsOf, type WorkflowTools } from "../node/workflow-tools.ts";
import { readBeside } from "./read-beside.ts";
import type { FolderDefaults, Workflow, WorkflowSource } from "../../workflow-model/stage.ts";

export interface LoadOptions {
  readonly clock: Clock;
  /** For commands, tools and the keys of providers. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Keeps up connections to MCP servers. */
  readonly runtime: Runtime;
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
      ...{ read, env: this.#options.env },
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
