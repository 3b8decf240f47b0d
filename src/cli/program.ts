// The command line, built on the given I/O.

import { type Command, CommanderError, Option } from "commander";
import { isFaultError, LOCALES, SHAPE_REDACTOR, traitsOf } from "../core/index.ts";
import { cliOf } from "./cli.ts";
import { addChaos } from "./commands/chaos.ts";
import { addClassify } from "./commands/classify.ts";
import { addCompletion } from "./commands/completion.ts";
import { addConfig } from "./commands/config.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addDrill } from "./commands/drill.ts";
import { addExplain } from "./commands/explain.ts";
import { addGateway } from "./commands/gateway.ts";
import { addInit } from "./commands/init.ts";
import { addJournal } from "./commands/journal.ts";
import { addPolicy } from "./commands/policy.ts";
import { addReport } from "./commands/report.ts";
import { addRun } from "./commands/run.ts";
import { addRuns } from "./commands/runs.ts";
import { addServe } from "./commands/serve.ts";
import { addStart } from "./commands/start.ts";
import { addTools } from "./commands/tools.ts";
import { addTour } from "./commands/tour.ts";
import { addWorker } from "./commands/worker.ts";
import { addWorkflow } from "./commands/workflow.ts";
import { COMPLETE } from "./completion/shells.ts";
import { helpIn, HelpfulCommand } from "./render/help.ts";
import { commandLine } from "./render/program-name.ts";
import { type Io, UsageError } from "./io.ts";
import { errorOf } from "./options.ts";
import { safeText } from "./render/safe-text.ts";
import { refusedBySystem } from "./system-refusal.ts";
import { helpInWords } from "./render/words/help-words.ts";
import { usageInWords, withMeantValue } from "./render/words/usage-words.ts";

export async function runCli(args: readonly string[], version: string, io: Io): Promise<void> {
  const program = createProgram(args, version, io);
  try {
    if (args.length === 0) program.outputHelp();
    else if (args[0] === COMPLETE) await printCandidates(program, args.slice(1), io);
    else await program.parseAsync(args, { from: "user" });
  } catch (error) {
    const said = await refusalIn(error);
    if (said !== null) {
      io.exit(said.exit);
      const sentence = said.in(cliOf(program, io).locale);
      await io.stderr.write(`faultline: ${safeText(SHAPE_REDACTOR.text(sentence))}\n`);
    } else if (error instanceof CommanderError) {
      if (error.exitCode !== 0) io.exit("usage");
    } else throw error;
  }
}

/** The status of faults that only a bug of ours explains. */
const OUR_BUG = 500;

/** A fault, or a refusal by the system, that no command expected is still a sentence about what went wrong. */
async function refusalIn(error: unknown): Promise<UsageError | null> {
  if (error instanceof UsageError) return error;
  const refused = refusedBySystem(error);
  if (refused !== null) return refused;
  if (!isFaultError(error) || traitsOf(error.fault.code).httpStatus === OUR_BUG) return null;
  const { refusalOf } = await import("./fault-sentences/sentence.ts");
  return refusalOf(error, "failed");
}

export function createProgram(args: readonly string[], version: string, io: Io): Command {
  const program: Command = new HelpfulCommand("faultline")
    .description(
      "The failure layer for AI agents: classify failures, see what a policy does about them, read what happened.",
    )
    .version(version, "-V, --version", "print the version")
    .option("--json", "print one JSON document")
    .addOption(new Option("--locale <tag>", "language of texts (default: from LANG)").choices(LOCALES))
    .addOption(new Option("--color <when>", "colour the output").choices(["auto", "always", "never"]).default("auto"))
    .showSuggestionAfterError()
    .configureHelp(helpIn(() => cliOf(program, io).locale))
    .helpOption("-h, --help", "display help for command")
    .helpCommand(false)
    .addHelpText(
      "after",
      `
Examples:
  $ faultline start
  $ faultline explain "429 Too Many Requests"
  $ faultline run -- claude -p "fix the tests"
  $ faultline serve
  $ faultline runs list --status failed
  $ faultline tour`,
    )
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => {
        const { locale } = cliOf(program, io);
        void io.stderr.write(usageInWords(withMeantValue(text), locale));
      },
      outputError: (text, write) => {
        write(errorOf(text));
      },
    })
    .exitOverride();
  addClassify(program, io);
  addExplain(program, io);
  addPolicy(program, io);
  addTools(program, io);
  addJournal(program, io);
  addChaos(program, io);
  addDrill(program, io);
  addDoctor(program, io);
  addRun(program, io, args);
  addWorkflow(program, io);
  addRuns(program, io);
  addReport(program, io);
  addInit(program, io);
  addServe(program, io);
  addWorker(program, io);
  addGateway(program, io);
  addStart(program, io);
  addTour(program, io);
  addConfig(program, io);
  addCompletion(program, io);
  pointToHelp(program, commandLine());
  return program;
}

async function printCandidates(program: Command, words: readonly string[], io: Io): Promise<void> {
  const { candidatesFor } = await import("./completion/candidates.ts");
  const { locale } = cliOf(program, io);
  const lines = candidatesFor(program, words).map(({ value, about }) => `${value}\t${helpInWords(about, locale)}\n`);
  await io.stdout.write(lines.join(""));
}

/** A usage error points to the help of the command itself, not to the list of all commands. */
function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(`Run \`${path} --help\` for usage.`);
  for (const inner of command.commands) pointToHelp(inner, `${path} ${inner.name()}`);
}
