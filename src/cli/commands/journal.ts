// `faultline journal`: reads, checks, moves and prunes recorded sessions, and answers their open questions. Each command loads
// its implementation on demand: the store takes longer to load than everything else together.

import { type Command, Option } from "commander";
import type { SessionStatus } from "../../core/index.ts";
import type { Io } from "../io.ts";
import { toCount, toMs } from "../option-values.ts";
import { globalOptions } from "../options.ts";
import { ofOperator } from "./of-operator.ts";

const STATUSES: readonly SessionStatus[] = ["open", "waiting", "done", "failed", "cancelled"];
const SHOWN_SESSIONS = 50;

export function addJournal(program: Command, io: Io): void {
  const journal = program
    .command("journal")
    .summary("read, check, move and prune sessions; answer questions")
    .description("Reads, checks, moves and prunes the sessions of a journal, and answers open questions.")
    .addHelpText(
      "after",
      `
Examples:
  $ faultline journal sessions agent.db --status waiting
  $ faultline journal show agent.db order-7
  $ faultline journal questions agent.db
  $ faultline journal answer agent.db q_9f1c yes
  $ faultline journal verify agent.db
  $ faultline journal prune agent.db --older-than 30d --dry-run
  $ faultline journal copy agent.db postgres://agent@db.example.org/agents
  $ faultline journal export agent.db order-7 | ssh elsewhere faultline journal import agent.db - --adopt`,
    );
  addReading(journal, io);
  addMoving(journal, io);
  addQuestions(journal, io);
}

function addReading(journal: Command, io: Io): void {
  withFile(journal.command("sessions").description("Lists sessions, the newest first."))
    .addOption(new Option("--status <status>", "only sessions with this status").choices(STATUSES))
    .option("--limit <number>", "how many at most", toCount, SHOWN_SESSIONS)
    .action(async (file: string, options: { status?: SessionStatus; limit: number }, command: Command) => {
      const { listSessions } = await import("../journal/sessions.ts");
      const { status, limit } = options;
      await listSessions(file, { status: status ?? null, limit }, io, globalOptions(command, io));
    });
  withFile(
    journal
      .command("show")
      .description("Shows what happened in a session: what failed, what was decided and why, what it cost."),
  )
    .argument("<session>", "its name")
    .option("--turn <id>", "only this turn")
    .option("--events", "print the raw entries, one JSON document per line")
    .action(async (file: string, session: string, options: { turn?: string; events?: true }, command: Command) => {
      const { showSession } = await import("../journal/show.ts");
      const { turn, events } = options;
      await showSession(file, session, { turn: turn ?? null, events: events === true }, io, globalOptions(command, io));
    });
  withFile(
    journal.command("verify").description("Checks that every entry is unchanged; names the first one that is not."),
  ).action(async (file: string, _options: object, command: Command) => {
    const { verifyJournal } = await import("../journal/verify.ts");
    await verifyJournal(file, io, globalOptions(command, io));
  });
}

function addMoving(journal: Command, io: Io): void {
  withFile(journal.command("export").description("Writes a session as lines that can be imported elsewhere."))
    .argument("<session>", "its name")
    .option("-o, --out <file>", "write to this new file instead of stdout")
    .option("--with-results", "add the exact results of calls; needed to continue the session elsewhere")
    .action(async (file: string, session: string, options: { out?: string; withResults?: true }, command: Command) => {
      const { exportTo } = await import("../journal/transfer.ts");
      const out = options.out === undefined || options.out === "-" ? null : options.out;
      const withResults = options.withResults === true;
      await exportTo(file, session, { out, withResults }, io, globalOptions(command, io));
    });
  withFile(
    ofOperator(journal.command("import"), io).description(
      "Puts an exported session, or a rescue file, into a journal: all or nothing.",
    ),
  )
    .argument("[lines]", "the exported file; `-`, or nothing, for stdin", "-")
    .option("--adopt", "take over a session from another store; creates the journal if needed")
    .action(async (file: string, lines: string, options: { adopt?: true }, command: Command) => {
      const { importFrom } = await import("../journal/transfer.ts");
      await importFrom(file, lines, options.adopt === true, io, globalOptions(command, io));
    });
  ofOperator(journal.command("copy"), io)
    .description(
      "Copies a whole journal to another place, from SQLite to PostgreSQL or back, with every hash checked. Stop its processes first. A copy that was broken off continues.",
    )
    .argument("<from>", "the journal's file, or its address: postgres://…")
    .argument("<to>", "a new journal: a file, or postgres://…")
    .action(async (from: string, to: string, _options: object, command: Command) => {
      const { copyTo } = await import("../journal/verify.ts");
      await copyTo(from, to, io, globalOptions(command, io));
    });
  withFile(
    ofOperator(journal.command("prune"), io).description(
      "Removes old ended sessions and everything that belongs to them.",
    ),
  )
    .requiredOption("--older-than <time>", "not touched for this long, e.g. 30d, 12h, 90m", toMs)
    .option("--dry-run", "only list what would be removed")
    .action(async (file: string, options: { olderThan: number; dryRun?: true }, command: Command) => {
      const { pruneSessions } = await import("../journal/sessions.ts");
      const { olderThan: olderThanMs, dryRun } = options;
      await pruneSessions(file, { olderThanMs, dryRun: dryRun === true }, io, globalOptions(command, io));
    });
}

function addQuestions(journal: Command, io: Io): void {
  withFile(journal.command("questions").description("Lists open questions and how to answer them.")).action(
    async (file: string, _options: object, command: Command) => {
      const { listQuestions } = await import("../journal/questions.ts");
      await listQuestions(file, io, globalOptions(command, io));
    },
  );
  withFile(ofOperator(journal.command("answer"), io).description("Answers a question; the first answer counts."))
    .argument("<question>", "its id")
    .argument("[answer]", "yes, no, the id of an option, a text or JSON; `-` reads it from stdin")
    .option("--reject <reason>", "say no to any kind of question")
    .option("--by <name>", "who answers", "cli")
    .action(
      async (
        file: string,
        question: string,
        typed: string | undefined,
        options: { reject?: string; by: string },
        command: Command,
      ) => {
        const { answerQuestion } = await import("../journal/questions.ts");
        const { reject, by } = options;
        const answer = { typed: typed ?? null, reject: reject ?? null, by };
        await answerQuestion(file, question, answer, io, globalOptions(command, io));
      },
    );
}

function withFile(command: Command): Command {
  return command.argument("<journal>", "the journal's file, or its address: postgres://…");
}
