// The incident report about a run or a plain session, from its journal. Only reads.

import { FaultError } from "../../core/fault/fault.ts";
import { createRedactor, type Redactor } from "../../core/fault/redact.ts";
import { recordIncident } from "../../core/record/incident.ts";
import { incidentMarkdown } from "../../core/record/incident-markdown.ts";
import type { PostedAction } from "../operator/instructions.ts";
import { noRun } from "../operator/run-faults.ts";
import type { IncidentReport, ReportOptions } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";
import { redactorOf, showRun, summaryFor } from "./run-reports.ts";

export async function incidentReport(
  deps: RunsDeps,
  name: string,
  { locale = deps.locale, messageIn }: ReportOptions = {},
): Promise<IncidentReport> {
  const { journal, clock } = deps;
  if ((await journal.session(name)) === null) throw new FaultError(noRun(name));
  const isRun = (await summaryFor(deps, name)) !== null;
  const recorder = recordIncident(name, { locale, messageIn, redactor: await redactorFor(deps, name, isRun) });
  for await (const entry of journal.read(name)) recorder.add(entry);
  const report = isRun ? await showRun({ ...deps, locale }, name) : null;
  const acted = (await journal.keptAll("action", name)).map(({ value }) => value as PostedAction);
  const incident = recorder.incident({
    now: clock.now(),
    actions: report?.actions ?? [],
    questions: (report?.questions ?? []).map(({ payload }) => payload.prompt),
    acted,
  });
  return { incident, markdown: incidentMarkdown(incident, locale) };
}

/** A plain session has no workflow that names secrets. */
function redactorFor(deps: RunsDeps, name: string, isRun: boolean): Promise<Redactor> {
  return isRun ? redactorOf(deps, name) : Promise.resolve(createRedactor([], deps.redactor));
}
