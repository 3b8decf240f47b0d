// A question the program itself has, within a session: written down before it is asked, and answered from the journal when the
// program runs again. A secret is the exception: it is asked for anew.

import { type Answer, INTERACTIONS, type Question, type QuestionPayload } from "../../core/flow/interaction.ts";
import { type Asker, expiryOf, findAnswer, noQuestion } from "../call/ask.ts";
import type { Engine } from "../engine.ts";
import { Interruptible } from "../interruptible.ts";
import type { SessionCore } from "./session-core.ts";

/** `waiting`: nobody is here; the program goes on when it runs again after an answer. */
export type PersonAnswer = Answer | { readonly status: "waiting"; readonly question: Question };

export async function askPersonOf(core: SessionCore, name: string, payload: QuestionPayload): Promise<PersonAnswer> {
  const call = `ask:${name}`;
  const asker = new SessionAsker(core);
  const before = core.state.asks.get(call);
  const { secret } = INTERACTIONS[payload.kind];
  const known = before?.answer ?? null;
  if (known !== null && !secret) return known;
  core.scope.add(asker);
  try {
    const question = before?.answer === null ? before.question : await put(core, asker, call, payload);
    const answered = await findAnswer(asker, question);
    if (answered === null) return asker.cancelled === null ? { status: "waiting", question } : CANCELLED;
    const { answer, by } = answered;
    const shown: Answer = secret && answer.status === "accepted" ? { status: "accepted", value: null } : answer;
    const event = { type: "question-answered", call, id: question.id, answer: shown, by } as const;
    await core.recorder.record([event], noQuestion(question.id), core.clock.now());
    return answer;
  } finally {
    core.scope.remove(asker);
  }
}

const CANCELLED: Answer = { status: "rejected", reason: "cancelled" };

async function put(core: SessionCore, asker: Asker, call: string, payload: QuestionPayload): Promise<Question> {
  const askedAt = core.clock.now();
  const question: Question = {
    id: core.engine.chance.newId("q"),
    call,
    turn: "",
    session: core.state.session,
    code: null,
    payload,
    askedAt,
    expiresAt: expiryOf(asker, payload.kind, askedAt),
  };
  const keep = { kind: "question", key: question.id, value: question } as const;
  await core.recorder.record([{ type: "question-asked", call, question }], [keep], askedAt);
  return question;
}

class SessionAsker extends Interruptible implements Asker {
  readonly engine: Engine;
  readonly request: Asker["request"];

  constructor({ engine, recorder, headless, scope }: SessionCore) {
    super(engine.clock);
    this.engine = engine;
    this.request = { recorder, headless, deadlineAt: Infinity };
    this.cancelled = scope.cancelled;
  }
}
