// `faultline runs output`: prints a node's output, text as text and anything else as JSON. Known secrets are masked.

import type { Visit } from "../../core/flow/visit.ts";
import { visitWithOutput } from "../../workflow/report/export-run.ts";
import type { RunReport } from "../../workflow/runs-api.ts";
import type { Cli } from "../cli.ts";
import { UsageError } from "../io.ts";
import { shown } from "../render/values.ts";
import { escapeUnsafe, safeJson, safeText } from "../render/safe-text.ts";
import { findReport } from "./find-run.ts";
import { type JournalOption, withRuns } from "./run-deps.ts";
import { RUNS_WORDS, type RunsWords } from "../render/words/runs-words.ts";

export async function printOutput(
  given: string,
  node: string | undefined,
  options: JournalOption,
  cli: Cli,
): Promise<void> {
  await withRuns({ ...options, look: true }, cli, async (deps) => {
    const words = RUNS_WORDS[cli.locale];
    const report = await findReport(deps, given);
    const { run } = report.summary;
    const visit = visitFor(report, node ?? null, words);
    const output = await deps.workflows.runs.output(run, visit);
    if (output === undefined)
      throw new UsageError(words.noOutput(shown(visit.node), words.visitStates[visit.state]), "failed");
    const { execution } = visit;
    if (cli.json) return cli.stdout.write(`${safeJson({ run, node: visit.node, execution, output })}\n`);
    const text = typeof output === "string" ? output : escapeUnsafe(JSON.stringify(output, null, 2));
    await cli.stdout.write(`${cli.stdout.isTTY ? safeText(text) : text}${text.endsWith("\n") ? "" : "\n"}`);
  });
}

function visitFor({ state, summary }: RunReport, node: string | null, words: RunsWords): Visit {
  const found = visitWithOutput(state, node);
  if (found !== undefined) return found;
  const nodes = [...new Set(state.visits.map((visit) => shown(visit.node)))].join(", ");
  if (node === null) throw new UsageError(words.nothingDone(shown(summary.run)), "failed");
  throw new UsageError(words.noNode(shown(summary.run), shown(node), nodes));
}
