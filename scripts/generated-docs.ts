// The pages and tables that are made from the code's own tables. `npm run docs` writes them; a test holds them equal.

import { readdirSync, readFileSync } from "node:fs";
import {
  CATALOGUE,
  describeMatch,
  FAULT_CLASSES,
  FAULT_CODES,
  matrixOutcome,
  PRESETS,
  VOCABULARY,
  wordsFor,
  type Policy,
} from "../src/core/index.ts";
import { EXIT_CODES } from "../src/cli/exit-codes.ts";
import { describeWaits } from "../src/cli/schedule-lines.ts";
import { policyJsonSchema } from "../src/policy-file/index.ts";
import { toolManifestJsonSchema } from "../src/tool-file/index.ts";
import { conformancePage } from "../test/provider/grid/page.ts";

/** Path → content. */
export function generatedDocs(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/FAULTS.md", faultsPage()],
    ["docs/POLICY.md", between("docs/POLICY.md", "matrix", policyTable(PRESETS.default))],
    ["docs/CLI.md", between("docs/CLI.md", "exit codes", exitCodeTable())],
    ["README.md", between("README.md", "matrix", policyTable(PRESETS.default))],
    ["docs/LIBRARY.md", libraryPage()],
    ["docs/CONFORMANCE.md", conformancePage()],
    ["schema/policy.schema.json", `${JSON.stringify(policyJsonSchema(), null, 2)}\n`],
    ["schema/tool-manifest.schema.json", `${JSON.stringify(toolManifestJsonSchema(), null, 2)}\n`],
  ]);
}

/** A hand-written page whose table between two marks is made here. */
function between(path: string, name: string, table: string): string {
  const page = readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
  const [start, end] = [`<!-- ${name}: made by npm run docs -->`, `<!-- /${name} -->`];
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`${path} has no place for its table: ${start} … ${end}`);
  return `${page.slice(0, from)}${start}\n\n${table}\n\n${page.slice(to)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Every example, as it is run by the tests. */
function libraryPage(): string {
  const folder = new URL("../examples/", import.meta.url);
  const examples = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const sections = examples.toSorted().map((name) => {
    const [first = "", ...rest] = readFileSync(new URL(name, folder), "utf8").split("\n");
    return `## ${first.replace(/^\/\/ /, "")}\n\n\`examples/${name}\`\n\n\`\`\`ts\n${rest.join("\n").trim()}\n\`\`\``;
  });
  const intro =
    "How to call it. Each example is a file under `examples/`; the tests run it and hold its output equal to its comments.";
  return `${["# Library", intro, ...sections].join("\n\n")}\n`;
}

const yes = (value: boolean): string => (value ? "yes" : "");

function faultsPage(): string {
  const sections = FAULT_CLASSES.map((faultClass) => {
    const codes = FAULT_CODES.filter((code) => CATALOGUE[code].class === faultClass);
    const rows = codes.map((code) => {
      const { retryable, mayHaveHappened, tripsBreaker, scope, httpStatus } = CATALOGUE[code];
      return [
        `\`${code}\``,
        wordsFor(code, "en").user,
        yes(retryable),
        yes(mayHaveHappened),
        yes(tripsBreaker),
        scope,
        String(httpStatus),
      ];
    });
    return `## ${faultClass}\n\n${table(["code", "what it means", "retryable", "may have happened", "trips breaker", "scope", "HTTP"], rows)}`;
  });
  const names = FAULT_CODES.map((code) => {
    const { stud, llmKind, runCode, si, cli } = VOCABULARY[code];
    return [
      `\`${code}\``,
      `${stud.class}/${stud.code}`,
      llmKind,
      runCode,
      matrixOutcome(code),
      si ?? "–",
      cli,
      wordsFor(code, "zh-CN").title,
    ];
  });
  return `${[
    "# Faults",
    "Every fault there is, made from `src/core/fault/catalogue.ts` by `npm run docs`. The names are fixed: files, tests and other programs match on them.",
    [
      "- **retryable**: worth trying again unchanged.",
      "- **may have happened**: the work may have been done although we saw a failure; it is run again only if it is idempotent.",
      "- **trips breaker**: counts against the target's circuit breaker.",
      "- **scope**: what the fault is a property of; decides whether another target could do better.",
      "- **HTTP**: the status of its `application/problem+json`.",
    ].join("\n"),
    ...sections,
    "## In other vocabularies",
    table(["code", "stud", "LLM kind", "run code", "matrix outcome", "Si", "CLI category", "中文"], names),
  ].join("\n\n")}\n`;
}

function policyTable(policy: Policy): string {
  return table(
    ["when", "attempts × waits", "then, in order"],
    policy.rows.map(({ match, retry, then }) => [
      describeMatch(match),
      retry === null ? "once" : describeWaits(retry),
      then.join(" → "),
    ]),
  );
}

function exitCodeTable(): string {
  return table(
    ["code", "meaning"],
    Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
  );
}
