// The pages of the reference that are made from tables in the code.

import { readdirSync, readFileSync } from "node:fs";
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
import { settingTable } from "../scripts/generated-docs.ts";
import { METRICS } from "../src/telemetry/metric-table.ts";
import { ATTRIBUTES, EVENTS, SPANS } from "../src/telemetry/span-names.ts";

import { ENTRIES, NOTICES, RUN_EVENTS } from "./event-words.ts";

const MOST_EXAMPLES = 6;

export type Pages = ReadonlyMap<string, string>;

/** Path in the site → Markdown. */
export function referencePages(): Pages {
  return new Map([
    ...FAULT_CODES.map((code) => [`reference/codes/${code}.md`, codePage(code)] as const),
    ["reference/codes/index.md", codesPage()],
    ["reference/commands.md", commandsPage()],
    ["reference/config.md", configPage()],
    ["reference/events.md", eventsPage()],
    ["reference/metrics.md", metricsPage()],
    ["how-to/integrations.md", integrationsPage()],
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

By the default policy: ${retry === null ? "one attempt" : `up to ${retry.maxAttempts} attempts, with waits of ${describeWaits(retry).replace(/^\d+ × /, "")}`}, then ${then.map((one) => `\`${one}\``).join(", ")}. \`faultline policy simulate ${code} --policy <file>\` shows what another policy does.

${table(
  ["trait", "value"],
  [
    ["worth retrying unchanged", retryable ? "yes" : "no"],
    [
      "the work may have been done, although the call failed",
      mayHaveHappened ? "yes: Faultline repeats it only if it is idempotent" : "no",
    ],
    ["counts against the circuit breaker", tripsBreaker ? "yes" : "no"],
    ["what it is about (scope)", scope],
    ["HTTP status of its problem document", String(httpStatus)],
  ],
)}

## What it looks like

${examples.length === 0 ? "Faultline raises this fault itself, so no provider's text stands for it." : examples.map((text) => `\`\`\`text\n${text}\n\`\`\``).join("\n\n")}
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
  return `# Fault codes\n\n${FAULT_CODES.length} codes in ${FAULT_CLASSES.length} classes. Each has a page with real examples and with what to do.\n\n${sections.join("\n\n")}\n`;
}

function runbookPage(): string {
  const sections = FAULT_CLASSES.map((faultClass) => {
    const codes = FAULT_CODES.filter((code) => CATALOGUE[code].class === faultClass);
    return `## ${faultClass}\n\n${table(
      ["you see", "do this"],
      codes.map((code) => [`[\`${code}\`](../reference/codes/${code}.md)`, wordsFor(code, "en").next]),
    )}`;
  });
  return `# Runbook by code\n\nWhen an alert on \`faultline_errors_total\` fires, find its code here. \`faultline explain <correlation id>\` shows one failure with its causes.\n\n${sections.join("\n\n")}\n`;
}

/** The programs of examples/integrations, as they are. Their first line says what they show. */
function integrationsPage(): string {
  const folder = new URL("../examples/integrations/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const sections = names.toSorted().map((name) => {
    const [first = "", ...rest] = readFileSync(new URL(name, folder), "utf8").split("\n");
    const anchor = name.replace(/\.ts$/, "");
    return `## ${first.replace(/^\/\/ /, "")} {#${anchor}}\n\n\`\`\`ts\n${rest.join("\n").trim()}\n\`\`\``;
  });
  return `# Programs for other frameworks\n\n\`npm run test:integrations\` runs each of these programs with the real package and compares its output with its comments.\n\n${sections.join("\n\n")}\n`;
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

function configPage(): string {
  const files = [
    ["`faultline.config.yaml`", "settings of a project", "[settings](CLI.md#settings)"],
    ["`*.faultline.yaml`", "a workflow", "[workflow files](WORKFLOW-FILE.md)"],
    ["`policy.yaml`", "a policy", "[policy files](POLICY.md)"],
    ["`tools.yaml`", "tool manifests", "[tool manifests](POLICY.md#tool-manifests)"],
    ["`gateway.faultline.yaml`", "targets, routes and keys of a gateway", "[the gateway](GATEWAY.md)"],
  ];
  return `# Configuration

You pass options to the library in code: [the runtime](RUNTIME.md) lists them. The command line reads flags, variables and a project file. \`faultline config --show-origin\` shows each value in force and where it comes from. A flag wins over a variable, a variable over the project file, and the project file over the default.

## Settings of the command line

${settingTable()}

## Files

${table(["file", "what it is", "read more"], files)}

## PostgreSQL addresses

[Beyond one process](../operate/SCALE.md#the-journal-in-postgresql) explains the parts of an address \`postgres://…\`.
`;
}

function eventsPage(): string {
  const rows = (events: Readonly<Record<string, string>>, prefix = ""): readonly (readonly string[])[] =>
    Object.entries(events).map(([type, meaning]) => [`\`${prefix}${type}\``, meaning]);
  return `# Events

Events are [CloudEvents 1.0](https://cloudevents.io) in JSON. Ignore types and fields that you do not know: a newer version may write more.

## Events of a run

You get these events from \`faultline runs watch --jsonl\`, \`workflow run --jsonl\`, \`runs export --format cloudevents\` and \`GET /v1/runs/{run}/events\`. They are numbered from 1 without gaps.

${table(["type", "what it says"], rows(RUN_EVENTS, "dev.faultline."))}

## Entries of a journal

You get these entries from \`faultline journal show --events\`, \`GET /v1/sessions/{session}/events\` and the stream \`GET /v1/events\`. \`?types=call-failed,breaker-changed\` filters them. [The server](SERVER.md#the-event-stream) says how to resume the stream.

${table(["type", "what it says"], rows(ENTRIES))}

## Notices

\`faultline serve --notify-url\` posts these notices, and \`--notify-command\` runs a program for each. \`--notify-about\` filters them.

${table(["type", "what it says"], rows(NOTICES, "dev.faultline.notice."))}
`;
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

[Telemetry](../operate/TELEMETRY.md) says how to switch them on.

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
