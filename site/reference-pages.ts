// The pages of the reference that are made from tables in the code.

import {
  CATALOGUE,
  classify,
  FAULT_CLASSES,
  FAULT_CODES,
  type FaultCode,
  PRESETS,
  wordsFor,
} from "../src/core/index.ts";
import { SYMPTOMS } from "../src/core/classify/symptoms/index.ts";
import { EXIT_CODES } from "../src/cli/exit-codes.ts";
import { createProgram } from "../src/cli/program.ts";
import { HelpfulCommand, pathOf } from "../src/cli/render/help.ts";
import { describeWaits } from "../src/cli/render/schedule-lines.ts";
import { rowFor } from "../src/core/policy/policy.ts";
import { METRICS } from "../src/telemetry/metric-table.ts";
import { ATTRIBUTES, EVENTS, SPANS } from "../src/telemetry/span-names.ts";

const MOST_EXAMPLES = 6;

export type Pages = ReadonlyMap<string, string>;

/** Path in the site → Markdown. */
export function referencePages(): Pages {
  return new Map([
    ...FAULT_CODES.map((code) => [`reference/codes/${code}.md`, codePage(code)] as const),
    ["reference/codes/index.md", codesPage()],
    ["reference/commands.md", commandsPage()],
    ["reference/metrics.md", metricsPage()],
    ["operate/runbook.md", runbookPage()],
  ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function codePage(code: FaultCode): string {
  const { class: faultClass, retryable, mayHaveHappened, tripsBreaker, scope, httpStatus } = CATALOGUE[code];
  const { title, user, next, operator } = wordsFor(code, "en");
  const { then, retry } = rowFor(PRESETS.default, { code }, { surface: "http", provider: "", tool: "", stage: "" });
  const examples = examplesOf(code);
  return `# ${code}

**${title}.** ${user}

Class: [\`${faultClass}\`](index.md#${faultClass.toLowerCase()})

## What to do

${next}

For operators: ${operator}

## What Faultline does

By the default policy: ${retry === null ? "one attempt" : `attempts and waits ${describeWaits(retry)}`}, then ${then.map((one) => `\`${one}\``).join(", ")}. Another policy changes that: \`faultline policy simulate ${code}\`.

${table(
  ["trait", "value"],
  [
    ["worth retrying unchanged", retryable ? "yes" : "no"],
    [
      "the work may have been done although the call failed",
      mayHaveHappened ? "yes: it runs again only if it is idempotent" : "no",
    ],
    ["counts against the circuit breaker", tripsBreaker ? "yes" : "no"],
    ["belongs to", scope],
    ["HTTP status of its problem document", String(httpStatus)],
  ],
)}

## What it looks like

${examples.length === 0 ? "Faultline raises it itself; no text of a provider means it." : examples.map((text) => `\`\`\`text\n${text}\n\`\`\``).join("\n\n")}
`;
}

/** Real signals that mean this code, as the tables of the classifier have them. */
function examplesOf(code: FaultCode): readonly string[] {
  const rules = SYMPTOMS.flatMap(({ rules: made }) => made());
  const own = rules.filter(({ means }) => means === code).map(({ example }) => example);
  return own
    .filter((example) => typeof example !== "string" || classify({ surface: "cli", message: example }).code === code)
    .map((example) => (typeof example === "string" ? example : JSON.stringify(example, null, 2)))
    .slice(0, MOST_EXAMPLES);
}

function codesPage(): string {
  const sections = FAULT_CLASSES.map((faultClass) => {
    const codes = FAULT_CODES.filter((code) => CATALOGUE[code].class === faultClass);
    return `## ${faultClass}\n\n${table(
      ["code", "what it means"],
      codes.map((code) => [`[\`${code}\`](${code}.md)`, wordsFor(code, "en").user]),
    )}`;
  });
  return `# Fault codes\n\n${FAULT_CODES.length} codes in ${FAULT_CLASSES.length} classes. Each has a page with real examples and what to do.\n\n${sections.join("\n\n")}\n`;
}

function runbookPage(): string {
  const sections = FAULT_CLASSES.map((faultClass) => {
    const codes = FAULT_CODES.filter((code) => CATALOGUE[code].class === faultClass);
    return `## ${faultClass}\n\n${table(
      ["you see", "do this"],
      codes.map((code) => [`[\`${code}\`](../reference/codes/${code}.md)`, wordsFor(code, "en").next]),
    )}`;
  });
  return `# Runbook\n\nFor an alert on \`faultline_errors_total\`, find its class here. \`faultline explain <correlation id>\` shows one failure with its causes.\n\n${sections.join("\n\n")}\n`;
}

function commandsPage(): string {
  const silent = { write: () => Promise.resolve() };
  const program = createProgram([], "0.0.0", { stdout: silent, stderr: silent, env: { LANG: "en" } } as never);
  const all = (command: typeof program): readonly (typeof program)[] => [command, ...command.commands.flatMap(all)];
  const sections = all(program).flatMap((command) => {
    if (!(command instanceof HelpfulCommand)) return [];
    const help = command.createHelp().formatHelp(command, command.createHelp());
    return [`## ${pathOf(command)}\n\n\`\`\`text\n${help.trim()}\n\`\`\``];
  });
  const codes = Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]);
  return `# Commands\n\nThe help of every command, as the program prints it. [The command line](CLI.md) explains the most important ones.\n\n## Exit codes\n\n${table(["code", "meaning"], codes)}\n\n${sections.join("\n\n")}\n`;
}

function metricsPage(): string {
  const rows = Object.entries(METRICS).map(([name, row]) => [
    `\`${name}\``,
    row.type,
    row.help,
    row.labels.map((label) => `\`${label}\``).join(", "),
  ]);
  const names = (given: object): string =>
    Object.values(given)
      .map((name) => `\`${typeof name === "string" ? name : JSON.stringify(name)}\``)
      .join(", ");
  return `# Metrics, spans and attributes

[Telemetry](TELEMETRY.md) says how to switch them on.

## Metrics

${table(["family", "type", "what it counts", "labels"], rows)}

## Spans

${names(SPANS)}

## Events of spans

${names(EVENTS)}

## Attributes

${names(ATTRIBUTES)}
`;
}
