// `faultline runs answer`: answers what a run asks, then continues the run. The first answer counts.

import { type Question, SHAPE_REDACTOR } from "../../core/index.ts";
import type { RunSummary } from "../../workflow/runs-api.ts";
import type { Cli } from "../cli.ts";
import { UsageError } from "../io.ts";
import { answererOf, openQuestions } from "../../journal/open-questions.ts";
import { shown } from "../render/values.ts";
import { JOURNAL_WORDS } from "../render/words/journal-words.ts";
import { type GivenAnswer, readAnswer, refuseUnclearAnswer } from "../read-answer.ts";
import { safeJson } from "../render/safe-text.ts";
import { sentences } from "../render/words/cli-words.ts";
import { FOLLOW_WORDS } from "../render/words/follow-words.ts";
import { answerWords } from "./action-commands.ts";
import { findRun } from "./find-run.ts";
import { type AdvanceOptions, advanceRun, refuseChanged } from "../workflow/run-workflow.ts";
import { type RunCommandDeps, withRuns } from "./run-deps.ts";
import { RUNS_WORDS } from "../render/words/runs-words.ts";

export interface RunAnswerOptions extends AdvanceOptions, GivenAnswer {}

export async function answerRun(
  given: string,
  typed: string | undefined,
  options: RunAnswerOptions,
  cli: Cli,
): Promise<void> {
  const { reject, by } = options;
  const words = JOURNAL_WORDS[cli.locale];
  await withRuns(options, cli, async (deps) => {
    const question = await findQuestion(deps, given);
    const example = deps.command("runs", "answer", given, ...answerWords(question));
    refuseUnclearAnswer(typed, reject, example, cli.locale);
    const answer = await readAnswer(typed, reject, question, cli);
    const isFirst = await deps.workflows.runs.answer(question.id, answer, by);
    if (!isFirst) {
      const who = shown(answererOf(await deps.workflows.journal.kept("answer", question.id)));
      const next = deps.command("workflow", "resume", question.session);
      throw new UsageError(sentences(cli.locale, words.wasFirst(shown(question.id), who), words.next, next), "failed");
    }
    const { id, session: run } = question;
    const extra = { question: id, by: SHAPE_REDACTOR.text(by) };
    await cli.stderr.write(`${cli.paintError("green", "✓")} ${RUNS_WORDS[cli.locale].wasAnswered(shown(id))}\n`);
    const isHeld = (await deps.workflows.runs.held()).has(run);
    if (options.wait !== false && !isHeld) {
      await refuseChanged(deps, run);
      return advanceRun(deps, run, options, { after: null, extra });
    }
    const next = isHeld ? deps.command("runs", "watch", run) : deps.command("workflow", "resume", run);
    if (cli.json) return cli.stdout.write(`${safeJson({ run, ...extra, next })}\n`);
    await cli.stderr.write(`faultline: ${FOLLOW_WORDS[cli.locale].next}${next}\n`);
  });
}

/** Finds a question by its id, a prefix of its id, or its run if the run has only one open question. */
async function findQuestion(deps: RunCommandDeps, given: string): Promise<Question> {
  const { workflows } = deps;
  const words = RUNS_WORDS[deps.locale];
  const { questions } = await openQuestions(workflows.journal);
  const named = questions.filter(({ id }) => id === given || (given.startsWith("q_") && id.startsWith(given)));
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only;
  if (given.startsWith("q_")) throw new UsageError(words.noQuestion(shown(given)));
  const { run }: RunSummary = await findRun(deps, given);
  const asked = questions.filter(({ session, by }) => session === run && by === null);
  const [first, ...more] = asked;
  if (first === undefined) throw new UsageError(words.nothingAsked(shown(run)), "failed");
  if (more.length === 0) return first;
  throw new UsageError(words.manyAsked(shown(run), asked.map(({ id }) => shown(id)).join(", ")));
}
