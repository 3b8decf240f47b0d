// Asks a person, for a call or for the program itself. The question is written first. The answer may come from an interactor in
// this process or, when none is present, later and from another program: the call then stops as waiting and continues when it is resumed.

import { classify } from "../../core/classify/classify.ts";
import { otherTargets, scopeOf } from "../../core/decide/fallback.ts";
import type { QuestionKind } from "../../core/fault/catalogue.ts";
import type { Fault } from "../../core/fault/fault.ts";
import type { CallEvent, CallState } from "../../core/flow/call.ts";
import {
  type Answer,
  type AnswerSchema,
  INTERACTIONS,
  NEVER_AT,
  type Question,
  type QuestionPayload,
} from "../../core/flow/interaction.ts";
import { payloadFor } from "../../core/flow/question-words.ts";
import type { Keep } from "../../journal/journal.ts";
import type { Answered } from "../person/interactors.ts";
import type { Engine } from "../engine.ts";
import { type CallRequest, keptCallKey, type LiveCall, NO_FAULT } from "./live-call.ts";
import { alternativesOf, chainAfter } from "./situation.ts";
import type { Outcome } from "./outcome.ts";

/** A call, or the program itself. */
export interface Asker {
  readonly engine: Engine;
  readonly request: Pick<CallRequest, "recorder" | "headless" | "deadline">;
  readonly record: { write(event: CallEvent, keeps: readonly Keep[], at: number): Promise<void> | null };
  readonly cancelled: Fault | null;
  wake: (() => void) | null;
}

interface NewQuestion extends Pick<Question, "call" | "turn" | "code" | "payload"> {
  /** How long the question waits; null: as long as its kind and the mode of the session say. */
  readonly timeoutMs: number | null;
}

interface Asked {
  readonly question: Question;
  /** null: no person is present, or the asker was cancelled. */
  readonly answered: Answered | null;
}

/** How long a question waits when no person is present. After that it counts as a no. */
const HEADLESS_WAIT_MS = 7 * 24 * 3_600_000;

/** Writes a new question, or takes the one that is still `open`, and waits for the answer. The caller writes the answer with `takeAnswer`. */
export async function ask(asker: Asker, open: Question | null, make: () => Promise<NewQuestion>): Promise<Asked> {
  const question = open ?? (await putQuestion(asker, await make()));
  const answered = await findAnswer(asker, question);
  // The event that ends a cancelled call also removes its question.
  return { question, answered: asker.cancelled === null ? answered : null };
}

async function putQuestion(asker: Asker, { timeoutMs, ...about }: NewQuestion): Promise<Question> {
  const { engine, request, record } = asker;
  const askedAt = engine.clock.now();
  const expiresAt =
    timeoutMs === null ? expiryOf(asker, about.payload.kind, askedAt) : Math.min(askedAt + timeoutMs, NEVER_AT);
  const session = request.recorder.session;
  const question: Question = { id: engine.chance.newId("q"), session, ...about, askedAt, expiresAt };
  const keep = { kind: "question", key: question.id, value: question } as const;
  await record.write({ type: "question-asked", call: about.call, question }, [keep], askedAt);
  return question;
}

/** Writes the answer, without a secret in it. `isInput`: the exact value is kept as the call's input. */
export async function takeAnswer(
  { engine, request, record }: Asker,
  { id, call, payload }: Question,
  { answer, by }: Answered,
  isInput: boolean,
): Promise<void> {
  const { secret } = INTERACTIONS[payload.kind];
  const keeps = dropQuestion(id);
  if (isInput && answer.status === "accepted")
    keeps.push({ kind: "input", key: keptCallKey(request.recorder.session, call), value: { value: answer.value } });
  const shown: Answer = secret && answer.status === "accepted" ? { status: "accepted", value: null } : answer;
  await record.write({ type: "question-answered", call, id, answer: shown, by }, keeps, engine.clock.now());
}

/** null: it was answered, and the call continues. */
export async function askPerson(run: LiveCall, state: CallState): Promise<Outcome<unknown> | null> {
  const open = state.step.at === "ask" ? state.step.question : null;
  const { question, answered } = await ask(run, open, () => questionAbout(run, state));
  if (run.cancelled !== null) return null;
  if (answered === null) {
    return {
      status: "waiting",
      question,
      fault: state.fault ?? NO_FAULT,
      call: run.call,
      attempts: state.attempts,
    };
  }
  const { answer } = answered;
  const replaces = question.payload.kind === "Ask";
  if (replaces && answer.status === "accepted") run.replaceInput(answer.value);
  await takeAnswer(run, question, answered, replaces);
  return null;
}

/** Removes a question from the journal's open ones. */
export function dropQuestion(id: string): Keep[] {
  return [
    { kind: "question", key: id, value: null },
    { kind: "answer", key: id, value: null },
  ];
}

async function questionAbout(run: LiveCall, state: CallState): Promise<NewQuestion> {
  const { engine, request, binding } = run;
  const { decision, fault: about } = state;
  const kind = decision?.recourse === "ask" ? decision.question : "Approve";
  const seen = about ?? NO_FAULT;
  const asked = {
    tool: binding.tool.id,
    fault: seen,
    schema: schemaFor(kind, run),
    others: othersFor(run, state, seen),
    canSkip: request.optional || binding.tool.optional,
  };
  const plain = payloadFor(kind, asked, engine.locale);
  const payload = kind === "Auth.DeviceCode" ? await withDeviceCode(run, plain) : plain;
  return { call: run.call, turn: request.turn, code: seen.code, payload, timeoutMs: null };
}

/** Redacted, because a default or an example in it may be a secret. */
function schemaFor(kind: QuestionKind, { binding, request }: LiveCall): AnswerSchema | null {
  const schema = kind === "Ask" ? binding.tool.inputSchema() : null;
  return request.recorder.redactor.value(schema) as AnswerSchema | null;
}

/** What a person may choose instead: targets of the chain that can take the request, then declared alternatives. */
function othersFor(run: LiveCall, state: CallState, seen: Fault): readonly string[] {
  const targets = otherTargets(chainAfter(run, seen, run.engine.clock.now()).chain, scopeOf(seen)).map(({ id }) => id);
  const others = [...targets, ...alternativesOf(run, state)];
  return [...new Set(others)].filter((id) => !state.tried.includes(id));
}

/** Adds a page and a code to sign in with, if the tool can get them. Without them, the person signs in alone and then answers. */
async function withDeviceCode({ binding, engine }: LiveCall, plain: QuestionPayload): Promise<QuestionPayload> {
  const { signIn, id } = binding.tool;
  if (signIn === null) return plain;
  try {
    const { url, code } = await signIn();
    return { kind: "Auth.DeviceCode", prompt: plain.prompt, url, code };
  } catch (error) {
    engine.suppress(
      classify({ surface: "node", error }),
      `tool ${id} has no code to sign in with; the person is asked without`,
    );
    return plain;
  }
}

/** A person who is present has until the turn's deadline. If none is present, the question is stored and the turn's time stops. */
function expiryOf(asker: Asker, kind: Question["payload"]["kind"], askedAt: number): number {
  return isHeadless(asker, kind)
    ? askedAt + HEADLESS_WAIT_MS
    : Math.min(askedAt + INTERACTIONS[kind].timeoutMs, asker.request.deadline.at);
}

function isHeadless({ request, engine }: Asker, kind: Question["payload"]["kind"]): boolean {
  return request.headless || !engine.interactors.canAnswer(kind);
}

/** null: no person is present, and the question waits in the journal. */
async function findAnswer(asker: Asker, question: Question): Promise<Answered | null> {
  const { engine, request } = asker;
  const isKept = request.recorder.isSession;
  const posted = isKept ? await postedAnswer(asker, question) : null;
  if (posted !== null) return posted;
  if (engine.clock.now() >= question.expiresAt) return { answer: { status: "timeout" }, by: "clock" };
  // A cancellation while the question was being written had no wait to end.
  if (asker.cancelled !== null) return null;
  if (isHeadless(asker, question.payload.kind)) return isKept ? null : NOT_ASKED;
  const answered = await askHere(asker, question);
  // The first answer wins, from whichever process. A secret answer is not written to the journal.
  if (!isKept || isCancelled(asker) || INTERACTIONS[question.payload.kind].secret) return answered;
  const isFirst = await engine.store.keepFirst({ kind: "answer", key: question.id, value: answered });
  return isFirst ? answered : ((await postedAnswer(asker, question)) ?? answered);
}

/** A function, because the compiler assumes that a field keeps the value it was read with. */
function isCancelled({ cancelled }: Asker): boolean {
  return cancelled !== null;
}

const NOT_ASKED: Answered = { answer: { status: "rejected", reason: "no person can be asked" }, by: "nobody" };

async function postedAnswer({ engine }: Asker, { id }: Question): Promise<Answered | null> {
  return ((await engine.store.kept("answer", id)) ?? null) as Answered | null;
}

/** How often to look for another process's answer while a person is asked here. */
const LOOK_EVERY_MS = 1_000;

async function askHere(asker: Asker, question: Question): Promise<Answered> {
  const { interactors, openQuestions, clock, journal, suppress } = asker.engine;
  const dismissed = new AbortController();
  const dismiss = (): void => dismissed.abort();
  let disarm: () => void = () => undefined;
  const look = (): void => {
    journal.kept("answer", question.id).then(
      (posted) => {
        if (dismissed.signal.aborted) return;
        if (posted !== undefined && posted !== null) dismiss();
        else disarm = clock.after(LOOK_EVERY_MS, look);
      },
      (error: unknown) =>
        suppress(classify({ surface: "store", error }), "an answer from elsewhere is not looked for any more"),
    );
  };
  asker.wake = dismiss;
  openQuestions.set(question.id, dismiss);
  if (asker.request.recorder.isSession && journal.durable) disarm = clock.after(LOOK_EVERY_MS, look);
  const answered = await interactors.ask(question, dismissed.signal);
  dismiss();
  disarm();
  openQuestions.delete(question.id);
  asker.wake = null;
  return answered;
}
