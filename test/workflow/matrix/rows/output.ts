// Unusable answers, failing tests, and a discussion without an output schema.

import { expect } from "vitest";
import type { Row } from "../row.ts";
import { completed, failed, fails, REVIEW_APPROVES, STAGES, steps, testsThatFail, times } from "./expect.ts";

const REVIEWER = "002 Reviewer schema invalid";
const TESTS = "002 Test command failed";
/** The answer is requested once more, at once, with its mistakes. */
const REGENERATED = { retries: { workflow: 0, transport: 1 }, waitsMs: [0], jitter: 0 } as const;
const UNFIT = {
  en: "Reviewer or tester output is invalid JSON or lacks fields",
  zh: "评审输出格式错误，或测试输出格式错误：JSON 无效或缺少字段，请对照 schema 检查原始输出",
} as const;
const NOT_OK = { en: "A test command ended with a non-zero exit code", zh: "测试命令以非零退出码结束" } as const;

export const OUTPUT_ROWS: readonly Row[] = [
  {
    name: "a review without a required field is requested once more, then fails as a schema failure",
    seed: REVIEWER,
    injected: "every review lacks a required field",
    file: STAGES,
    rules: [fails("reviewer", "schema-invalid")],
    node: "reviewer",
    expected: failed("review_schema_invalid", "Output/SchemaInvalid", {
      ...REGENERATED,
      asked: { coder: 1, reviewer: 2 },
      way: ["coder#1", "reviewer#1 failed"],
      files: ["reviewer#1"],
      actions: ["regenerate-once", "edit-and-retry", "send-back"],
      says: UNFIT,
    }),
  },
  {
    name: "a review in prose is requested once more, then fails as a schema failure",
    seed: REVIEWER,
    injected: "the reviewer says `Looks good to me.`",
    raw: "Looks good to me.",
    file: STAGES,
    rules: [{ when: { model: "reviewer" }, answer: "Looks good to me." }],
    node: "reviewer",
    expected: failed("review_schema_invalid", "Output/SchemaInvalid", {
      ...REGENERATED,
      asked: { coder: 1, reviewer: 2 },
      way: ["coder#1", "reviewer#1 failed"],
      files: ["reviewer#1"],
      actions: ["regenerate-once", "edit-and-retry", "send-back"],
      says: UNFIT,
    }),
  },
  {
    name: "a review that fits its schema the second time counts like any other",
    seed: REVIEWER,
    injected: "the first review lacks a required field",
    file: STAGES,
    rules: [steps("reviewer", "schema-invalid"), REVIEW_APPROVES, testsThatFail(0)],
    node: "reviewer",
    expected: completed("approved", {
      ...REGENERATED,
      asked: { "coder": 1, "reviewer": 2, "tester": 1, "tests.mjs": 1 },
      way: ["coder#1", "reviewer#1", "tester#1", "tests#1"],
    }),
  },
  {
    name: "a tester's truncated JSON is requested once more, then fails as a schema failure",
    seed: "002 Tester schema invalid",
    injected: "every answer of the tester is half a JSON",
    file: STAGES,
    rules: [REVIEW_APPROVES, fails("tester", "invalid-json-output")],
    node: "tester",
    expected: failed("tester_schema_invalid", "Output/SchemaInvalid", {
      ...REGENERATED,
      asked: { coder: 1, reviewer: 1, tester: 2 },
      way: ["coder#1", "reviewer#1", "tester#1 failed"],
      files: ["tester#1"],
      actions: ["regenerate-once", "edit-and-retry", "send-back"],
      says: UNFIT,
    }),
  },
  {
    name: "failing tests go back to the coder with the failure, and no finished work is repeated",
    seed: TESTS,
    injected: "the tests fail the first time",
    file: STAGES,
    rules: [REVIEW_APPROVES, testsThatFail(1)],
    node: "tests",
    expected: completed("approved", {
      asked: { "coder": 2, "reviewer": 2, "tester": 2, "tests.mjs": 2 },
      way: [
        ...["coder#1", "reviewer#1", "tester#1", "tests#1 failed"],
        ...["coder#2", "reviewer#2", "tester#2", "tests#2"],
      ],
      files: ["tests#1"],
      says: NOT_OK,
    }),
    also: ({ chaos }) => {
      const second = chaos.received().filter(({ model }) => model === "coder")[1];
      const told = JSON.stringify(second?.body);
      expect(told).toContain("not ok 1 - adds two numbers");
      expect(told).toContain("node tools/tests.mjs 1");
    },
  },
  {
    name: "tests that still fail after three rounds end the run as failed tests",
    seed: TESTS,
    injected: "the tests fail every time",
    raw: "not ok 3 - adds two numbers",
    file: STAGES,
    rules: [REVIEW_APPROVES, testsThatFail(99)],
    node: "tests",
    expected: failed("test_failed", "Output/TestsFailed", {
      asked: { "coder": 3, "reviewer": 3, "tester": 3, "tests.mjs": 3 },
      way: [
        ...["coder#1", "reviewer#1", "tester#1", "tests#1 failed"],
        ...["coder#2", "reviewer#2", "tester#2", "tests#2 failed"],
        ...["coder#3", "reviewer#3", "tester#3", "tests#3 failed"],
      ],
      files: ["tests#1", "tests#2", "tests#3"],
      actions: ["send-back", "retry-stage", "edit-and-retry", "accept-partial"],
      says: NOT_OK,
    }),
    also: (_world, { state }) => {
      expect(state.fault?.message).toBe("node tools/tests.mjs 99 ended with exit code 1");
      expect(state.fault?.evidence.excerpt).toBe("not ok 3 - adds two numbers");
    },
  },
  {
    name: "a discussion continues without a failed message, and the next round retries it",
    seed: "002 §2 Proposal discussion stage",
    injected: "three resets for the reviewer; prose from everybody",
    file: "discussion.faultline.yaml",
    rules: [steps("reviewer", ...times(3, "reset" as const))],
    node: "reviewer",
    goes: async (world, run) => {
      const { runs } = world.life.workflows;
      const first = await world.advance(run);
      expect(first.questions[0]?.payload.prompt).toContain("failed: NetworkDisconnect");
      expect(first.questions[0]?.payload.prompt).toContain("You said: How is it tested?");
      await world.run(runs.act(run, "continue-discussion", { params: { text: "Think of the old clients." } }));
      const second = await world.advance(run);
      expect(second.questions[0]?.payload.prompt).toContain("You said: What is wrong with it?");
    },
    expected: {
      ...completed("", {}),
      status: "paused",
      pauses: ["gate 86400 s", "gate 86400 s"],
      asked: { architect: 2, reviewer: 4, tester: 2 },
      way: [
        ...["architect#1", "reviewer#1 skipped", "tester#1", "thread#1", "gate#1"],
        ...["architect#2", "reviewer#2", "tester#2", "thread#2"],
      ],
      files: ["reviewer#1"],
      actions: ["answer", "continue-discussion", "resume", "cancel"],
      retries: { workflow: 0, transport: 2 },
      waitsMs: [1_000, 2_000],
      jitter: 0.2,
      says: { en: "The stream or socket closed before completion, may be retried", zh: "网络断流，可重试" },
    },
  },
];
