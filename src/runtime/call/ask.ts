// A person is asked about a call. The question is written down first; the answer may come from an interactor here, or,
// when nobody is here, later and from another program: then the call stops as waiting and goes on when it is taken up again.

import { fault } from "../../core/fault/fault.ts";
import type { CallState } from "../../core/flow/call.ts";
import { type Answer, INTERACTIONS, type Question } from "../../core/flow/interaction.ts";
import { payloadFor } from "../../core/flow/question-words.ts";
import type { Keep } from "../../journal/journal.ts";
import type { LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";

/** How long a question waits for somebody who is not here. After that it is a no, like any other. */
export const HEADLESS_WAIT_MS = 7 * 24 * 3_600_000;

/** null: answered, go on. */
export async function askPerson(run: LiveCall, state: CallState): Promise<Outcome<unknown> | null> {
  const question = (state.step.at === "ask" ? state.step.question : null) ?? (await putQuestion(run, state));
  const answered = await findAnswer(run, question);
  if (run.cancelled !== null) {
    const { recorder } = run.request;
    if (recorder.session !== "") await recorder.record([], noQuestion(question.id), run.engine.clock.now());
    return null;
  }
  if (answered === null) {
    return {
      status: "waiting",
      question,
      fault: state.fault ?? fault("InvariantBroken"),
      call: run.call,
      attempts: state.attempts,
    };
  }
  await takeAnswer(run, question, answered.answer, answered.by);
  return null;
}

/** The question is open no longer. */
export function noQuestion(id: string): Keep[] {
  return [
    { kind: "question", key: id, value: null },
    { kind: "answer", key: id, value: null },
  ];
}

async function putQuestion(run: LiveCall, state: CallState): Promise<Question> {
  const { engine, request, binding } = run;
  const { decision, fault: about } = state;
  const kind = decision?.recourse === "ask" ? decision.question : "Approve";
  const askedAt = engine.clock.now();
  const seen = about ?? fault("InvariantBroken");
  const payload = payloadFor(kind, binding.tool.id, seen, request.optional || binding.tool.optional, engine.locale);
  const { session } = request.recorder;
  // A person who is here is waited for as long as the turn lasts. With nobody here it is put away, and its time stands still.
  const expiresAt = isHeadless(run, payload.kind)
    ? askedAt + HEADLESS_WAIT_MS
    : Math.min(askedAt + INTERACTIONS[payload.kind].timeoutMs, request.deadlineAt);
  const question: Question = {
    id: engine.chance.newId("q"),
    call: run.call,
    turn: request.turn,
    session,
    code: seen.code,
    payload,
    askedAt,
    expiresAt,
  };
  const keeps: readonly Keep[] = session === "" ? [] : [{ kind: "question", key: question.id, value: question }];
  await run.record.write({ type: "question-asked", call: run.call, question }, keeps);
  return question;
}

function isHeadless(run: LiveCall, kind: Question["payload"]["kind"]): boolean {
  return run.request.headless || !run.engine.interactors.canAnswer(kind);
}

async function findAnswer(run: LiveCall, question: Question): Promise<{ answer: Answer; by: string } | null> {
  const { engine, request } = run;
  if (request.recorder.session !== "") {
    const posted = await engine.journal.kept("answer", question.id);
    if (posted !== undefined && posted !== null) return posted as { answer: Answer; by: string };
  }
  if (engine.clock.now() >= question.expiresAt) return { answer: { status: "timeout" }, by: "clock" };
  // Whoever cancelled while the question was written down found nothing to wake.
  if (run.cancelled !== null || isHeadless(run, question.payload.kind)) return null;
  const dismissed = new AbortController();
  run.wake = () => dismissed.abort();
  const answered = await engine.interactors.ask(question, dismissed.signal);
  run.wake = null;
  return answered;
}

async function takeAnswer(run: LiveCall, question: Question, answer: Answer, by: string): Promise<void> {
  const { session } = run.request.recorder;
  const replaces = question.payload.kind === "Ask" && answer.status === "accepted";
  const keeps = noQuestion(question.id);
  if (replaces) {
    run.replaceInput(answer.value);
    keeps.push({ kind: "input", key: `${session}/${run.call}`, value: { value: answer.value } });
  }
  const { secret } = INTERACTIONS[question.payload.kind];
  const shown: Answer = secret && answer.status === "accepted" ? { status: "accepted", value: null } : answer;
  await run.record.write(
    { type: "question-answered", call: run.call, id: question.id, answer: shown, by },
    session === "" ? [] : keeps,
  );
}
