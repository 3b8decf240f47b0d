// A question the program itself has, within a session: written down before it is asked, and answered from the journal when the
// program runs again. A secret is the exception: the person is asked for it again.

import { NEVER } from "../../host/clock.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import {
  type Answer,
  INTERACTIONS,
  type Question,
  formFacts,
  type QuestionPayload,
} from "../../core/flow/interaction.ts";
import { ask, type Asker, takeAnswer } from "../call/ask.ts";
import { keptCallKey } from "../call/live-call.ts";
import type { Engine } from "../engine.ts";
import { Interruptible } from "../scope.ts";
import type { SessionCore } from "./session-core.ts";

/** `waiting`: no person is present; the program continues when it runs again after an answer. */
export type PersonAnswer = Answer | { readonly status: "waiting"; readonly question: Question };

export interface AskOptions {
  /** The turn that waits for the answer; empty for the program itself. */
  readonly turn: string;
  /** null: as long as every question waits; Infinity: as long as it takes. */
  readonly timeoutMs: number | null;
}

export async function askPersonOf(
  core: SessionCore,
  name: string,
  payload: QuestionPayload,
  options: AskOptions = { turn: "", timeoutMs: null },
): Promise<PersonAnswer> {
  const call = `ask:${name}`;
  const before = core.state.asks.get(call);
  const { secret } = INTERACTIONS[payload.kind];
  const known = before?.answer ?? null;
  if (known !== null && !secret) return asGiven(core, call, known);
  const asker = new SessionAsker(core);
  core.scope.add(asker);
  try {
    const open = before?.answer === null ? before.question : null;
    const safe = safePayload(payload, core.recorder.redactor);
    const { question, answered } = await ask(asker, open, () =>
      Promise.resolve({ call, code: null, payload: safe, ...options }),
    );
    if (answered === null) return asker.cancelled === null ? { status: "waiting", question } : CANCELLED;
    const { answer } = answered;
    if (secret && answer.status === "accepted") core.recorder.redactor.learn([answer.value]);
    await takeAnswer(asker, question, answered, !secret);
    return answer;
  } finally {
    core.scope.remove(asker);
  }
}

/** The event shows the answer without secrets; the exact answer is kept separately. */
async function asGiven(core: SessionCore, call: string, shown: Answer): Promise<Answer> {
  if (shown.status !== "accepted") return shown;
  const kept = await core.engine.store.kept("input", keptCallKey(core.state.session, call));
  return typeof kept === "object" && kept !== null && "value" in kept ? { ...shown, value: kept.value } : shown;
}

const CANCELLED: Answer = { status: "rejected", reason: "cancelled" };

/** A program's own words are shown on pages and stored, so they are redacted. A sign-in page and its code stay unchanged. */
function safePayload(payload: QuestionPayload, { text, value }: Redactor): QuestionPayload {
  const prompt = text(payload.prompt);
  if (payload.kind === "Ask") return { ...payload, ...(value(formFacts(payload)) as object), prompt };
  if (payload.kind !== "Select") return { ...payload, prompt };
  return { ...payload, prompt, options: payload.options.map(({ id, label }) => ({ id, label: text(label) })) };
}

class SessionAsker extends Interruptible implements Asker {
  readonly engine: Engine;
  readonly request: Asker["request"];
  readonly record: Asker["record"];

  constructor({ engine, recorder, headless, scope }: SessionCore) {
    super(engine.clock);
    this.engine = engine;
    this.record = { write: (event, keeps, at) => recorder.record([event], keeps, at) };
    this.request = { recorder, headless, deadline: NEVER };
    this.cancelled = scope.cancelled;
  }
}
