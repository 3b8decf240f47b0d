// Checks workflow files, for `faultline workflow check` and before a run is started or resumed.

import { resolve } from "node:path";
import type { Diagnostic } from "../../yaml-file/diagnostic.ts";
import type { Workflow } from "../../workflow-model/stage.ts";
import { createWorkflows, type Workflows } from "../../workflow/workflows.ts";
import type { Cli } from "../cli.ts";
import { checkFile, printDiagnostics, wrongFile } from "../check-file.ts";
import type { RunCommandDeps } from "../runs/run-deps.ts";

export async function checkWorkflows(
  files: readonly string[],
  { strict }: { readonly strict?: true },
  cli: Cli,
): Promise<void> {
  await withReader(cli, async (workflows) => {
    for (const file of files) {
      const parse = async (): ReturnType<typeof read> => read(workflows, file);
      await checkFile(file, parse, strict === true, cli);
    }
  });
}

/** Refuses an invalid file before a journal is created for its runs. */
export async function refuseWrongWorkflow(file: string, cli: Cli): Promise<void> {
  await withReader(cli, (workflows) => loadWorkflow({ ...cli, workflows }, file));
}

/** Provides an engine without a journal on disk, for reading files only. */
async function withReader<T>(cli: Cli, use: (workflows: Workflows) => Promise<T>): Promise<T> {
  const { clock, env, locale } = cli;
  const workflows = createWorkflows({ clock, env, locale });
  try {
    return await use(workflows);
  } finally {
    await workflows.close();
  }
}

async function read(
  workflows: Workflows,
  file: string,
): Promise<{ usable: boolean; workflow: Workflow | null; diagnostics: readonly Diagnostic[] }> {
  const { workflow, diagnostics } = await workflows.file(file);
  return { usable: workflow !== null, workflow, diagnostics: diagnostics.map((one) => asTyped(one, file)) };
}

/** Reports locations under the file name as the user typed it. */
function asTyped(diagnostic: Diagnostic, file: string): Diagnostic {
  return diagnostic.file === resolve(file) ? { ...diagnostic, file } : diagnostic;
}

/** Loads a workflow that can run; prints the errors of any other and refuses it. */
export async function loadWorkflow(deps: Omit<RunCommandDeps, "command">, file: string): Promise<Workflow> {
  const source = await deps.readFile(file);
  const { workflow, diagnostics } = await read(deps.workflows, file);
  if (workflow !== null) return workflow;
  await printDiagnostics(diagnostics, source, deps);
  throw wrongFile(file, diagnostics, deps);
}
