// `faultline start` (also `npm start`): runs the demo and prints it as a story or as one JSON document.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startChaos } from "../../chaos/start-chaos.ts";
import { isFaultError, traitsOf } from "../../core/index.ts";
import { NEVER_AT } from "../../core/flow/interaction.ts";
import type { RunStreamEvent } from "../../core/record/run-stream.ts";
import type { StreamQuestion } from "../../core/record/run-stream-event.ts";
import { type Interactor, terminalInteractor } from "../../index.ts";
import { openJournal } from "../../journal/open-journal.ts";
import { createWorkflows } from "../../workflow/workflows.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import { UsageError } from "../io.ts";
import { onStopSignal } from "../stop-signals.ts";
import { safeJson } from "../render/safe-text.ts";
import { wrapped } from "../render/table.ts";
import { type DemoFolder, makeDemoFolder } from "./demo-folder.ts";
import { DEMO_TASK } from "./demo-story.ts";
import { type DemoDashboard, openDashboard } from "./demo-dashboard.ts";
import { type DemoEnd, driveDemo, envOf } from "./drive-demo.ts";
import { factsOf, type StartFacts } from "./start-facts.ts";
import { endingLines, nextCommands, resumeCommand, stayingLines, padded } from "./start-lines.ts";
import { StartView } from "./start-view.ts";
import { START_WORDS } from "./start-words.ts";
import { fileChange, type FileChange } from "./text-diff.ts";
import { isMissingFile } from "../../host/missing-file.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export interface DemoOptions {
  /** Ask a person at the gate. */
  readonly ask: boolean;
  /** End with the story instead of keeping the dashboard up. */
  readonly once: boolean;
  /** The version of this program, for the dashboard. */
  readonly version: string;
  /** The command that starts this program again as a worker. */
  readonly program: readonly string[];
  /** Asks the questions; defaults to a prompt on the terminal. */
  readonly interactor?: Interactor;
}

export async function runStart(options: DemoOptions, cli: Cli): Promise<void> {
  const { json, locale } = cli;
  const { ask, program, interactor: person = terminalInteractor({ locale }) } = options;
  const words = START_WORDS[locale];
  if (ask && person.kinds?.length === 0) throw new UsageError(words.needsTerminal);
  const chaos = await startChaos();
  const place = await makeDemoFolder(chaos);
  const { workflowFile } = place;
  const workflows = createWorkflows({
    journal: await openJournal(place.journal, { clock: cli.clock }),
    clock: cli.clock,
    locale,
    env: envOf(cli),
  });
  const stage = { chaos, workflows, workflowFile };
  // Only a terminal gets the sign-in link: it must not end up in a log.
  const dashboard =
    cli.stdout.isTTY && !json ? await openDashboard({ ...stage, place, version: options.version }, cli) : null;
  const stop = new AbortController();
  const unlisten = onStopSignal(() => stop.abort());
  const view = json ? null : new StartView(cli);
  const events: RunStreamEvent[] = [];
  try {
    if (!json) await cli.stderr.write(beginning(place, dashboard, options.once, cli));
    const end = await driveDemo({
      ...stage,
      io: cli,
      program,
      stop: stop.signal,
      journalFile: place.journal,
      ask: ask ? (question, elsewhere) => askPerson(question, elsewhere) : null,
      tell: (news) => view?.onNews(news),
      onEntry: (entry, made) => {
        events.push(...made);
        view?.onEntry(entry, made);
      },
    });
    await view?.end();
    const facts = factsOf(end, place, await changesIn(place));
    await tell(facts, end);
    if (dashboard !== null && !options.once) await keepUp(dashboard);
  } catch (error) {
    await view?.end();
    throw asUsageError(error);
  } finally {
    unlisten();
    await dashboard?.close();
    await workflows.close();
    await chaos.close();
  }

  async function keepUp(open: DemoDashboard): Promise<void> {
    await open.stay();
    await cli.stdout.write(`${stayingLines(open, cli).join("\n")}\n`);
    await new Promise<void>((resolve) => {
      if (stop.signal.aborted) resolve();
      stop.signal.addEventListener("abort", () => resolve());
    });
  }

  async function askPerson({ id, kind, prompt, options, expiresAt }: StreamQuestion, elsewhere: AbortSignal) {
    view?.hide();
    try {
      const payload = kind === "Select" ? { kind, prompt, options } : ({ kind: "Ask", prompt, field: id } as const);
      const question = {
        id,
        call: "",
        turn: "",
        session: "",
        code: null,
        payload,
        expiresAt: expiresAt ?? NEVER_AT,
        askedAt: cli.clock.now(),
      };
      return await person.answer(question, AbortSignal.any([stop.signal, elsewhere]));
    } finally {
      view?.show();
    }
  }

  async function tell(facts: StartFacts, end: DemoEnd): Promise<void> {
    if (facts.missing.length > 0) cli.exit("failed");
    if (json)
      return cli.stdout.write(
        `${safeJson({ ...facts, next: nextCommands(facts.files.journal, facts.run), events })}\n`,
      );
    await cli.stdout.write(`${endingLines(facts, end, cli).join("\n")}\n`);
  }

  function asUsageError(error: unknown): unknown {
    if (!isFaultError(error)) return error;
    const { code, message, context } = error.fault;
    if (traitsOf(code).cancels) {
      const resumeLine = resumeCommand(place.journal, String(context["run"]));
      return new UsageError(words.stopped(place.folder, resumeLine), "cancelled", { cause: error });
    }
    return new UsageError(PUNCTUATION[locale].bracketed(messageIn(locale, message), place.folder), "failed", {
      cause: error,
    });
  }
}

function beginning({ folder }: DemoFolder, dashboard: DemoDashboard | null, once: boolean, cli: Cli): string {
  const { locale, paintError: paint } = cli;
  const words = START_WORDS[locale];
  const { columns } = cli.stderr;
  const labelColumns = Math.max(...[words.task, words.folder, words.dashboard].map(columnsOf));
  const labelled = (label: string, text: string): readonly string[] => {
    const indent = `${padded(label, labelColumns)}  `;
    const [first = "", ...rest] = wrapped(text, columns - columnsOf(indent));
    return [`${paint("dim", indent)}${first}`, ...rest.map((line) => `${" ".repeat(columnsOf(indent))}${line}`)];
  };
  return [
    `${paint("bold", "Faultline")}  ${words.title}`,
    ...wrapped(words.real, columns).map((line) => paint("dim", line)),
    "",
    ...labelled(words.task, DEMO_TASK),
    ...labelled(words.folder, folder),
    ...(dashboard === null
      ? []
      : [
          ...labelled(words.dashboard, dashboard.link()),
          paint("dim", once ? words.linkEndsWithRun : words.linkWorksOnce),
        ]),
    "",
    "",
  ].join("\n");
}

/** The team's changes to the repository; also writes them as a diff. */
async function changesIn({ repository, before, diff }: DemoFolder): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  for (const [name, text] of before) changes.push(fileChange(name, text, await textAt(join(repository, name))));
  const changed = changes.filter((change) => change.diff !== "");
  await writeFile(diff, changed.map((change) => change.diff).join(""));
  return changed;
}

async function textAt(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    // A deleted file is also a change.
    if (isMissingFile(error)) return null;
    throw error;
  }
}
