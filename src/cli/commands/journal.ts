// `faultline journal`: reads, checks, moves and prunes recorded sessions, and answers their open questions. Each command loads
// its implementation on demand: the store takes longer to load than everything else together.

import { type Command, Option } from "commander";
import type { SessionStatus } from "../../core/index.ts";
import { ofOperator } from "./of-operator.ts";
import { cliOf, doing } from "../cli.ts";
import type { Io } from "../io.ts";
import { toCount, toMs } from "../options.ts";

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
    .action(doing(io, async () => (await import("../journal/sessions.ts")).listSessions));
  withFile(
    journal
      .command("show")
      .description("Shows what happened in a session: what failed, what was decided and why, what it cost."),
  )
    .argument("<session>", "its name")
    .option("--turn <id>", "only this turn")
    .option("--events", "print the raw entries, one JSON document per line")
    .action(doing(io, async () => (await import("../journal/show.ts")).showSession));
  withFile(
    journal.command("verify").description("Checks that every entry is unchanged; names the first one that is not."),
  ).action(async (file: string, _options: object, command: Command) => {
    const { verifyJournal } = await import("../journal/verify.ts");
    await verifyJournal(file, cliOf(command, io));
  });
}

function addMoving(journal: Command, io: Io): void {
  withFile(journal.command("export").description("Writes a session as lines that can be imported elsewhere."))
    .argument("<session>", "its name")
    .option("-o, --out <file>", "write to this new file instead of stdout")
    .option("--with-results", "add the exact results of calls; needed to continue the session elsewhere")
    .action(doing(io, async () => (await import("../journal/transfer.ts")).exportTo));
  withFile(
    ofOperator(journal.command("import"), io).description(
      "Puts an exported session, or a rescue file, into a journal: all or nothing.",
    ),
  )
    .argument("[lines]", "the exported file; `-`, or nothing, for stdin", "-")
    .option("--adopt", "take over a session from another store; creates the journal if needed")
    .action(doing(io, async () => (await import("../journal/transfer.ts")).importFrom));
  ofOperator(journal.command("copy"), io)
    .description(
      "Copies a whole journal to another place, from SQLite to PostgreSQL or back, with every hash checked. Stop its processes first. A copy that was broken off continues.",
    )
    .argument("<from>", "the journal's file, or its address: postgres://…")
    .argument("<to>", "a new journal: a file, or postgres://…")
    .action(async (from: string, to: string, _options: object, command: Command) => {
      const { copyTo } = await import("../journal/verify.ts");
      await copyTo(from, to, cliOf(command, io));
    });
  withFile(
    ofOperator(journal.command("prune"), io).description(
      "Removes old ended sessions and everything that belongs to them.",
    ),
  )
    .requiredOption("--older-than <time>", "not touched for this long, e.g. 30d, 12h, 90m", toMs)
    .option("--dry-run", "only list what would be removed")
    .action(doing(io, async () => (await import("../journal/sessions.ts")).pruneSessions));
}

function addQuestions(journal: Command, io: Io): void {
  withFile(journal.command("questions").description("Lists open questions and how to answer them.")).action(
    async (file: string, _options: object, command: Command) => {
      const { listQuestions } = await import("../journal/questions.ts");
      await listQuestions(file, cliOf(command, io));
    },
  );
  withFile(ofOperator(journal.command("answer"), io).description("Answers a question; the first answer counts."))
    .argument("<question>", "its id")
    .argument("[answer]", "yes, no, the id of an option, a text or JSON; `-` reads it from stdin")
    .option("--reject <reason>", "say no to any kind of question")
    .option("--by <name>", "who answers", "cli")
    .action(doing(io, async () => (await import("../journal/questions.ts")).answerQuestion));
}

function withFile(command: Command): Command {
  return command.argument("<journal>", "the journal's file, or its address: postgres://…");
}
