// The demo's script as data: each model's answers, in request order, and the faults on the way. The texts are made up; the
// handling is real.

import type { ChaosStep } from "../../chaos/scenario-schema.ts";

export const DEMO_TASK =
  "Three people who split a bill of 10.00 pay 9.99. What people pay must add up to the bill: fix split() in src/split.js.";

/** Long enough to show a countdown, short enough not to bore. */
const RATE_LIMIT_S = 2;
/** The worker is killed while the tester thinks; without that, the tester would answer after this time. */
const THINKS_MS = 8_000;

const FIRST_TRY = `// Splits a bill among people, in whole cents.

/** What each of them pays. The first one pays what is left over. */
export function split(totalCents, people) {
  const share = Math.floor(totalCents / people);
  const rest = totalCents - share * people;
  return Array.from({ length: people }, (_, index) => (index === 0 ? share + rest : share));
}
`;

const spread = (condition: string): string => `// Splits a bill among people, in whole cents.

/** What each of them pays: as little apart as cents allow, the first ones a cent more. */
export function split(totalCents, people) {
  if (!Number.isInteger(people) || people < 1) throw new RangeError(\`a bill cannot be split among \${people} people\`);
  const share = Math.floor(totalCents / people);
  const rest = totalCents - share * people;
  return Array.from({ length: people }, (_, index) => (${condition} ? share + 1 : share));
}
`;

/** One person too many pays a cent more. The reviewer overlooks it; the tests find it. */
const SECOND_TRY = spread("rest > 0 && index <= rest");
const THIRD_TRY = spread("index < rest");

const read = (path: string) => ({ tool: "read_file", input: { path } });
const write = (content: string) => ({ tool: "write_file", input: { path: "src/split.js", content } });

const APPROVED = {
  decision: "approve",
  must_fix: [],
  nice_to_have: [],
  tests: ["bills that cannot be split evenly", "a number of people that makes no sense"],
  security: [],
};

const TEST_PLAN = {
  test_plan: "Run the repository's own tests: they add up what people pay.",
  commands: ["node --test"],
  expected_results: ["every test passes"],
};

/** The node that asks, and one answer per request. */
interface Beat {
  readonly node: string;
  readonly says: readonly ChaosStep[];
}

const DISCUSSION: readonly Beat[] = [
  {
    node: "architect",
    says: [
      { "fault": "rate-limit", "retry-after": RATE_LIMIT_S },
      { calls: [read("src/split.js"), read("test/split.test.js")] },
      {
        answer:
          "split() rounds every share down and forgets what is left over. Give the rest to somebody: one line in src/split.js. The tests stay as they are; one of them fails today and shows the bug.",
      },
    ],
  },
  {
    node: "critic",
    says: [
      {
        fault: "cut-stream",
        after: 3,
        answer:
          "Giving the rest to one person is not fair when many people share a bill: think of seven people and five cents.",
      },
      {
        fault: "cut-stream",
        after: 3,
        answer:
          "Giving the rest to one person is not fair when many people share a bill: think of seven people and five cents.",
      },
      {
        answer: "Giving it all to one person is simple but unfair: a test says that nobody pays more than a cent more.",
      },
    ],
  },
  {
    node: "quality",
    says: [{ answer: "`node --test` covers it. Also say what happens when nobody is there to pay." }],
  },
];

/** Used when the person at the gate continues the discussion. */
const MORE_DISCUSSION: readonly Beat[] = [
  {
    node: "architect",
    says: [{ answer: "Understood. Nothing changes in the plan: src/split.js, and no other file." }],
  },
  { node: "critic", says: [{ answer: "Then spread the rest, a cent each, instead of giving it to one person." }] },
  { node: "quality", says: [{ answer: "The same command shows whether it is right: `node --test`." }] },
];

const IMPLEMENTATION: readonly Beat[] = [
  {
    node: "coder",
    says: [
      { calls: [read("src/split.js")] },
      { calls: [write(FIRST_TRY)] },
      { answer: "split() now gives what is left over to the first person, so that the sum is right." },
    ],
  },
  {
    node: "reviewer",
    says: [
      { calls: [read("src/split.js")] },
      { json: { decision: "changes_requested" } },
      {
        json: {
          ...APPROVED,
          decision: "changes_requested",
          must_fix: [
            "src/split.js: the first person may pay several cents more than the others; spread the rest, a cent each",
            "src/split.js: split(1000, 0) loses the bill; refuse a number of people that makes no sense",
          ],
        },
      },
    ],
  },
  {
    node: "coder",
    says: [
      { calls: [write(SECOND_TRY)] },
      { answer: "The rest is spread, a cent each, and a number of people that makes no sense is refused." },
    ],
  },
  { node: "reviewer", says: [{ json: APPROVED }] },
  {
    node: "tester",
    says: [{ "fault": "slow-first-token", "wait-ms": THINKS_MS, "json": TEST_PLAN }, { json: TEST_PLAN }],
  },
  {
    node: "coder",
    says: [
      { calls: [write(THIRD_TRY)] },
      { answer: "One person too many paid a cent more: `index < rest` is enough." },
    ],
  },
  { node: "reviewer", says: [{ json: APPROVED }] },
  { node: "tester", says: [{ json: TEST_PLAN }] },
];

export const DISCUSSION_STEPS = stepsOf(DISCUSSION);
export const MORE_DISCUSSION_STEPS = stepsOf(MORE_DISCUSSION);
export const IMPLEMENTATION_STEPS = stepsOf(IMPLEMENTATION);

/** Index of the implementation's request during which the worker is killed. */
export const KILLED_AT_REQUEST = stepsOf(IMPLEMENTATION.slice(0, IMPLEMENTATION.findIndex(isTester))).length;

function stepsOf(beats: readonly Beat[]): readonly ChaosStep[] {
  return beats.flatMap(({ says }) => says);
}

function isTester({ node }: Beat): boolean {
  return node === "tester";
}
