// `npm run bench:classify`: how often classification is right, how fast it is, and how it grows with the text.

import { readFileSync } from "node:fs";
import { classify, type Evidence } from "../src/core/index.ts";
import { classifyError } from "../src/error-classifier/index.ts";
import { measure, measurePatternList, parseCorpus } from "./corpus.ts";
import { interleaved, print, type Timed } from "./measure.ts";

const quick = process.argv.includes("--quick");

/** The corpora, and what each is: rules were written with the known ones in view, never with the unseen one. */
const CORPORA = [
  { file: "failures.jsonl", note: "known" },
  { file: "more-failures.jsonl", note: "known" },
  { file: "documented-failures.jsonl", note: "known" },
  { file: "unseen-failures.jsonl", note: "unseen" },
] as const;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

print("Accuracy on real failures (three-way: retryable / context overflow / other)");
for (const { file, note } of CORPORA) {
  const cases = parseCorpus(readFileSync(new URL(`../corpus/${file}`, import.meta.url), "utf8"));
  const { threeWay, exact, timing } = measure(cases);
  print(
    `  ${file.padEnd(27)} ${note.padEnd(7)} ${String(cases.length).padStart(4)} cases  three-way ${percent(threeWay)}  exact code ${percent(exact)}  retry time ${percent(timing)}  ·  the specification's pattern list: three-way ${percent(measurePatternList(cases))}`,
  );
}

const STRUCTURED: readonly Evidence[] = [
  {
    surface: "http",
    provider: "openai",
    status: 429,
    body: {
      error: {
        type: "insufficient_quota",
        code: "insufficient_quota",
        message: "You exceeded your current quota, please check your plan.",
      },
    },
  },
  {
    surface: "http",
    provider: "anthropic",
    status: 529,
    body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  },
  { surface: "node", code: "ECONNRESET" },
  { surface: "http", status: 503 },
  { surface: "http", provider: "anthropic", status: 429, headers: { "retry-after": "12" } },
  { surface: "cli", exitCode: null, signal: "SIGKILL" },
  { surface: "stop", stopReason: "max_tokens" },
  { surface: "mcp", body: { jsonrpc: "2.0", id: 1, error: { code: -32001 } } },
];
const MESSAGES = STRUCTURED.map(
  ({ status, code, body }) => `${status ?? ""} ${code ?? ""} ${JSON.stringify(body ?? "")}`,
);
const WORDS: readonly Evidence[] = [
  { surface: "cli", message: "stream disconnected before completion: stream closed before response.completed" },
  {
    surface: "cli",
    message: "You've hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes.",
  },
  {
    surface: "http",
    status: 400,
    body: { error: { type: "invalid_request_error", message: "prompt is too long: 209062 tokens > 199999 maximum" } },
  },
];

/** Every subject does the same number of classifications a round; the sum keeps the work from being optimised away. */
let sink = 0;
const subject = <T>(name: string, items: readonly T[], work: (item: T) => string): Timed => ({
  name,
  run(rounds) {
    for (let i = 0; i < rounds; i++) sink += work(items[i % items.length] as T).length;
  },
});

print("\nSpeed, one core, medians of interleaved rounds");
const speeds = interleaved(
  [
    subject("specification's regex loop (floor)", MESSAGES, classifyError),
    subject("classify, structured signals", STRUCTURED, (evidence) => classify(evidence).code),
    subject("classify, words", WORDS, (evidence) => classify(evidence).code),
  ],
  { rounds: quick ? 3 : 15, perRound: quick ? 2_000 : 100_000 },
);
const [floor] = speeds;
for (const { name, perSecond } of speeds) {
  const ratio = floor === undefined ? 1 : floor.perSecond / perSecond;
  print(
    `  ${name.padEnd(36)} ${Math.round(perSecond).toLocaleString("en").padStart(12)} a second   ${ratio.toFixed(1)}× the floor's time`,
  );
}

print("\nText grows, the cost must not grow faster");
const sizes = [10_000, 100_000, 1_000_000, 10_000_000];
const line = "at Object.run (node:internal/process:12) warning: retry 429 of 503, network ok, context 12 tokens\n";
const grown = interleaved(
  sizes.map((size) => {
    const evidence: Evidence = { surface: "cli", message: line.repeat(Math.ceil(size / line.length)).slice(0, size) };
    return subject(`${size / 1000} kB of log`, [evidence], (item) => classify(item).code);
  }),
  { rounds: quick ? 3 : 9, perRound: quick ? 5 : 20 },
);
for (const [index, { name, perSecond }] of grown.entries()) {
  const before = grown[index - 1];
  const ratio = before === undefined ? "" : `${(before.perSecond / perSecond).toFixed(2)}× for ten times the text`;
  print(`  ${name.padEnd(20)} ${(1e6 / perSecond).toFixed(0).padStart(8)} µs   ${ratio}`);
}
print(`\n(checksum ${sink})`);
