// The sentence about a turn is true, however the turn ended: as a plan and as a body, in every language.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import {
  fault,
  type FaultCode,
  FaultError,
  type Locale,
  type Recourse,
  type Session,
  type SessionLimits,
  step,
  type Tool,
  tool,
  type TurnResult,
} from "../../../src/index.ts";
import { fails, type Life, life, never } from "./life.ts";

type Step = Tool<null, string>;

const b = tool<null, string>({ id: "B", run: () => "b" });
const failing = (code: FaultCode, more: { readonly default?: string; readonly optional?: boolean } = {}): Step =>
  tool<null, string>({ id: "A", run: fails(code), retry: "none", ...more });
const resetAt = Date.UTC(2030, 0, 2, 17, 0);
const parking = tool<null, string>({
  id: "A",
  run: () => {
    throw new FaultError({ ...fault("QuotaExhausted", { message: "used up" }), resetAt });
  },
  retry: "none",
});
const hanging = tool<null, string>({ id: "A", run: () => never(), timeoutMs: 3_600_000 });

interface World {
  readonly limits?: Partial<SessionLimits>;
  /** What the policy does about every fault of A. */
  readonly then?: readonly Recourse[];
}

async function begun({ limits = {}, then = [] }: World, locale: Locale): Promise<Life & { session: Session }> {
  const policy = withRows(DEFAULT_POLICY, [
    { match: { tool: ["A"] }, retry: null, then: [...then, "fail"], origin: { layer: "file", at: "test" } },
  ]);
  const made = life({ limits, locale, policy });
  return { ...made, session: await made.clock.runUntil(made.fl.session("s", { mode: "headless" })) };
}

interface Ending extends World {
  readonly name: string;
  /** Runs in parallel with B, which is done. */
  readonly a: Step;
  readonly en: string;
  readonly zh: string;
}

// prettier-ignore
const ENDINGS: readonly Ending[] = [
  { name: "done",                  a: tool<null, string>({ id: "A", run: () => "a" }),           en: "", zh: "" },
  { name: "a default is used",     a: failing("NotFound", { default: "x" }),                     en: "Completed B; A failed, so a default value is used.", zh: "已完成 B；A 失败，已改用默认值。" },
  { name: "skipped",               a: failing("NotFound", { optional: true }),                   en: "Completed B; A failed, so it was left out.", zh: "已完成 B；A 失败，已跳过。" },
  { name: "failed",                a: failing("AuthFailed"),                                     en: "Completed B; A could not sign in.", zh: "已完成 B；A 登录失败。" },
  { name: "waits for a sign-in",   a: failing("AuthFailed"), then: ["ask"],                      en: "Completed B; A could not sign in and waits for a sign-in.", zh: "已完成 B；A 登录失败，正在等待登录。" },
  { name: "waits for an approval", a: failing("ExecutionFailed"), then: ["ask"],                 en: "Completed B; A failed and waits for an approval.", zh: "已完成 B；A 失败，正在等待批准。" },
  { name: "waits for an answer",   a: failing("InputInvalid"), then: ["ask"],                    en: "Completed B; A failed and waits for an answer.", zh: "已完成 B；A 失败，正在等待回答。" },
  { name: "waits for a choice",    a: failing("MissingModality"), then: ["ask"],                 en: "Completed B; A cannot do what was asked and waits for a choice.", zh: "已完成 B；A 无法完成所要求的操作，正在等待选择。" },
  { name: "parked",                a: parking, then: ["park"],                                   en: "Completed B; A has used up its quota and continues at 2030-01-02 17:00 UTC.", zh: "已完成 B；A 额度已用完，将于 2030-01-02 17:00 UTC 继续。" },
  { name: "out of time",           a: hanging, limits: { turnTimeoutMs: 1_000 },                 en: "Completed B; A timed out.", zh: "已完成 B；A 超时。" },
];

async function messageOf(ending: Ending, as: "plan" | "body", locale: Locale): Promise<string> {
  const { session, clock } = await begun(ending, locale);
  const result: TurnResult = await clock.runUntil(
    as === "plan"
      ? session.turn({ A: step(ending.a, null), B: step(b, null) })
      : session.turn(async (turn) => {
          await Promise.all([turn.protect(ending.a, null), turn.protect(b, null)]);
        }),
  );
  return result.message;
}

describe.each(["plan", "body"] as const)("the sentence about a turn that is a %s", (as) => {
  it.each(ENDINGS)("says what is done, what is missing and why: $name", async (ending) => {
    expect(await messageOf(ending, as, "en")).toBe(ending.en);
    expect(await messageOf(ending, as, "zh-CN")).toBe(ending.zh);
  });
});

interface Whole extends World {
  readonly name: string;
  readonly run: (session: Session) => Promise<TurnResult>;
  readonly en: string;
  readonly zh: string;
}

const cancelledBody = (session: Session): Promise<TurnResult> =>
  session.turn(async (turn) => {
    await turn.protect(b, null);
    turn.cancel("the user left");
  });
const cancelledPlan = (session: Session): Promise<TurnResult> => {
  const leaving = new AbortController();
  const left = tool<null, string>({
    id: "A",
    run: () => {
      leaving.abort();
      return never();
    },
  });
  return session.turn({ B: step(b, null), A: step(left, null, { needs: ["B"] }) }, { signal: leaving.signal });
};

// prettier-ignore
const WHOLES: readonly Whole[] = [
  { name: "it is cancelled, a body",   run: cancelledBody, en: "Completed B; this request was cancelled.", zh: "已完成 B；本次请求已取消。" },
  { name: "it is cancelled, a plan",   run: cancelledPlan, en: "Completed B; A was cancelled.", zh: "已完成 B；A 已取消。" },
  { name: "its body throws",           run: (session) => session.turn(() => Promise.reject(new Error("sk-live-0123456789abcdef"))), en: "This request failed because of an internal error.", zh: "本次请求因内部错误而失败。" },
  { name: "its body throws a fault",   run: (session) => session.turn(() => Promise.reject(new FaultError(fault("RateLimited")))), en: "This request was slowed down by too many requests.", zh: "本次请求因请求过多被限流。" },
  { name: "its body throws what a step failed with", run: (session) => session.turn(async (turn) => {
      const outcome = await turn.protect(failing("AuthFailed"), null);
      if ("fault" in outcome) throw new FaultError(outcome.fault);
    }), en: "Nothing was completed; A could not sign in.", zh: "没有步骤完成；A 登录失败。" },
  { name: "its body hangs",            run: (session) => session.turn(() => never()), limits: { turnTimeoutMs: 1_000 }, en: "This request timed out.", zh: "本次请求超时。" },
  { name: "its body asks a person",    run: (session) => session.turn((turn) => turn.ask("size", { kind: "Ask", prompt: "Which size?", field: "size" })), en: "This request waits for an answer.", zh: "本次请求正在等待回答。" },
  { name: "it has too many rounds",    limits: { maxToolRounds: 1 }, run: (session) => session.turn(async (turn) => {
      await turn.run({ B: step(b, null) });
      await turn.run({ C: step(b, null) });
    }), en: "Completed B; this request reached its limit of steps.", zh: "已完成 B；本次请求已达步数上限。" },
  { name: "it is one turn too many",   limits: { maxTurns: 1 }, run: async (session) => {
      await session.turn({});
      return session.turn({ B: step(b, null) });
    }, en: "This request reached its limit of steps.", zh: "本次请求已达步数上限。" },
  { name: "its plan is refused",       run: (session) => session.turn({ B: step(b, null, { needs: ["B"] }) }), en: "This request is not set up correctly.", zh: "本次请求配置不正确。" },
  { name: "a step waits for one that waits", then: ["ask"], run: (session) => session.turn({
      A: step(failing("AuthFailed"), null), B: step(b, null, { needs: ["A"] }) }), en: "Nothing is completed yet; A could not sign in and waits for a sign-in; B has not started yet because it needs A.", zh: "尚无步骤完成；A 登录失败，正在等待登录；B 尚未开始，因为它依赖 A。" },
  { name: "nothing was asked of it",   run: (session) => session.turn({}), en: "", zh: "" },
];

describe("the sentence about a whole turn", () => {
  it.each(WHOLES)("says how it ended: $name", async ({ run, en, zh, ...world }) => {
    for (const [locale, text] of [
      ["en", en],
      ["zh-CN", zh],
    ] as const) {
      const { session, clock } = await begun(world, locale);
      expect((await clock.runUntil(run(session))).message).toBe(text);
    }
  });
});
