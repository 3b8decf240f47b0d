// Whether a workflow a person named can be run, and whether its chains have a way around an outage.

import type { MachineCheck } from "../../agent/doctor/machine.ts";
import type { Locale } from "../../core/index.ts";
import { createWorkflows } from "../../workflow/workflows.ts";
import { MISTAKES } from "../../workflow-file/codes.ts";
import type { Io } from "../io.ts";
import { oneLine } from "../render/safe-text.ts";
import { DOCTOR_WORDS } from "../render/words/doctor-words.ts";

/** Nothing is run and nothing is sent. A chain whose targets fail together is reported, and the file counts as usable. */
export async function checkWorkflowFile(file: string, io: Io, locale: Locale): Promise<MachineCheck> {
  const value = oneLine(file);
  const workflows = createWorkflows({ clock: io.clock, env: io.env, locale });
  try {
    const { workflow, diagnostics } = await workflows.file(file);
    if (workflow === null)
      return { check: "workflow", value, ok: false, detail: DOCTOR_WORDS[locale].wrongWorkflow(value) };
    const shared = diagnostics.filter(({ code }) => code === MISTAKES["shared-domain"].code);
    const detail = shared.map(({ line, message, help }) => `${value}:${line}: ${message}. ${help}`).join(" ");
    return { check: "workflow", value, ok: true, detail: detail === "" ? null : detail };
  } finally {
    await workflows.close();
  }
}
