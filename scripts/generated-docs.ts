// The pages and tables that are generated from tables in the code. `npm run docs` writes them, and a test compares them.

import { readdirSync, readFileSync } from "node:fs";
import { stringify } from "yaml";
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
import { PATHS, type RouteName } from "../src/api/paths.ts";
import type { RouteSpec } from "../src/api/route.ts";
import { ROUTES } from "../src/api/routes.ts";
import { CHAOS_FAULTS } from "../src/chaos/faults.ts";
import { actionTable } from "../src/core/flow/action-table.ts";
import { PROVIDER_SETTINGS } from "../src/cli/config/provider-settings.ts";
import { type Setting, SETTINGS } from "../src/cli/config/settings.ts";
import { EXIT_CODES } from "../src/cli/exit-codes.ts";
import { describeWaits } from "../src/cli/render/schedule-lines.ts";
import { gatewayJsonSchema } from "../src/gateway/config/gateway-schema.ts";
import { policyJsonSchema } from "../src/policy-file/index.ts";
import { toolManifestJsonSchema } from "../src/tool-file/index.ts";
import { MISTAKES, workflowJsonSchema } from "../src/workflow-file/index.ts";
import { conformancePage } from "../test/provider/grid/page.ts";
import { outcomeTables } from "../test/workflow/matrix/page.ts";

/** Path → content. */
export function generatedDocs(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/FAULTS.md", faultsPage()],
    ["docs/CHAOS.md", between("docs/CHAOS.md", "faults", chaosTable())],
    ["docs/POLICY.md", between("docs/POLICY.md", "matrix", policyTable(PRESETS.default))],
    ["docs/CLI.md", commandLinePage()],
    ["docs/LIBRARY.md", libraryPage()],
    ["docs/SERVER.md", serverPage()],
    ["docs/CONFORMANCE.md", conformancePage()],
    ["docs/OUTCOMES.md", between("docs/OUTCOMES.md", "outcomes", outcomeTables())],
    ["docs/GATEWAY.md", between("docs/GATEWAY.md", "keys", gatewayTable())],
    ["schema/gateway.schema.json", `${JSON.stringify(gatewayJsonSchema(), null, 2)}\n`],
    ["schema/policy.schema.json", `${JSON.stringify(policyJsonSchema(), null, 2)}\n`],
    ["schema/tool-manifest.schema.json", `${JSON.stringify(toolManifestJsonSchema(), null, 2)}\n`],
    ["docs/WORKFLOW-FILE.md", workflowPage()],
    ["docs/WORKFLOWS.md", between("docs/WORKFLOWS.md", "actions", actionTable().trim())],
    ["schema/workflow.schema.json", `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`],
  ]);
}

/** A hand-written page with a generated table between two marks. */
function between(path: string, name: string, table: string, page = pageAt(path)): string {
  const [start, end] = [`<!-- ${name}: made by npm run docs -->`, `<!-- /${name} -->`];
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`${path} has no place for its table: ${start} … ${end}`);
  return `${page.slice(0, from)}${start}\n\n${table}\n\n${page.slice(to)}`;
}

function pageAt(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** A part of a JSON Schema, as far as tables show it. */
interface KeySchema {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly additionalProperties?: KeySchema;
  readonly items?: KeySchema;
  readonly anyOf?: readonly KeySchema[];
  readonly oneOf?: readonly KeySchema[];
}

function chaosTable(): string {
  const rows = CHAOS_FAULTS.map(({ id, means, params, about, needs }) => [
    `\`${id}\``,
    typeof means === "object" && means !== null ? [...new Set(Object.values(means))].join(" or ") : (means ?? "–"),
    Object.entries(params)
      .map(([name, value]) => `\`${name}=${value}\``)
      .join(", "),
    `${about}${needs === "stream" ? " Streams only." : ""}`,
  ]);
  return table(["fault", "code", "parameters", "what happens"], rows);
}

/** The tables of keys, made from the schema that checks files, and the table of mistakes. */
function workflowPage(): string {
  const path = "docs/WORKFLOW-FILE.md";
  const top = workflowJsonSchema() as KeySchema;
  const at = (...keys: readonly string[]): KeySchema =>
    keys.reduce<KeySchema>((held, key) => inside(held).properties?.[key] ?? {}, top);
  const kinds = new Map(
    (inside(at("nodes")).oneOf ?? []).map((node) => [String(node.properties?.["type"]?.const), node] as const),
  );
  const transform = kinds.get("transform") ?? {};
  const shared = Object.keys(transform.properties ?? {}).filter((key) => key !== "type" && key !== "value");
  const edge = inside(transform.properties?.["next"] ?? {});
  const tables: readonly (readonly [string, string])[] = [
    ["keys", keyTable(top)],
    ...["workflow", "inputs", "limits", "providers", "agents", "tools"].map(
      (key) => [`keys of ${key}`, keyTable(inside(at(key)))] as const,
    ),
    ["keys of cli", keyTable(inside(inside(at("agents")).properties?.["cli"] ?? {}))],
    ["keys of nodes", keyTable(transform, (key) => shared.includes(key))],
    ...Array.from(
      kinds,
      ([kind, node]) => [`keys of ${kind}`, keyTable(node, (key) => !shared.includes(key))] as const,
    ),
    ["keys of edge", keyTable(edge)],
    ["keys of retry", keyTable(inside(transform.properties?.["retry"] ?? {}))],
    ["keys of assert", keyTable(inside(transform.properties?.["assert"] ?? {}))],
    ["mistakes", mistakeTable()],
  ];
  return tables.reduce((page, [name, made]) => between(path, name, made, page), pageAt(path));
}

/** The schema that has the keys: this one, its values, its items, or the map among its alternatives. */
function inside(schema: KeySchema): KeySchema {
  if (schema.properties !== undefined || schema.oneOf !== undefined) return schema;
  const held = [schema.additionalProperties, schema.items, ...(schema.anyOf ?? [])].filter(
    (one) => typeof one === "object",
  );
  return held.map(inside).find(({ properties, oneOf }) => properties !== undefined || oneOf !== undefined) ?? {};
}

function keyTable({ properties = {}, required = [] }: KeySchema, shows: (key: string) => boolean = () => true): string {
  const rows = Object.entries(properties).filter(([key]) => shows(key));
  return table(
    ["key", "needed", "what it says", "example"],
    rows.map(([key, { description = "", examples = [] }]) => [
      `\`${key}\``,
      yes(required.includes(key)),
      description,
      examples.map((example) => `\`${key}: ${flow(example)}\``).join(" or "),
    ]),
  );
}

function gatewayTable(): string {
  return table(["key", "needed", "what it says"], dottedKeys(gatewayJsonSchema()));
}

/** All keys of a file with the way to them; `*` stands for a name that the file's author chooses. */
function dottedKeys({ properties = {}, required = [] }: KeySchema, way = ""): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const isMap = typeof schema.additionalProperties === "object";
    return [
      [`\`${way}${key}\``, yes(required.includes(key)), schema.description ?? ""],
      ...dottedKeys(inside(schema), `${way}${key}.${isMap ? "*." : ""}`),
    ];
  });
}

/** A value as it would be written in a file, on one line. */
function flow(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}

function mistakeTable(): string {
  return table(
    ["code", "", "what it means"],
    Object.values(MISTAKES).map(({ code, severity, means }) => [`\`${code}\``, severity, means]),
  );
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
    "Complete programs for each part of the library. Every example is a file under `examples/`; the tests run it and compare its output with its comments.";
  return `${["# Library", intro, ...sections].join("\n\n")}\n`;
}

/** The table of routes, and the loops of the executors. */
function serverPage(): string {
  const path = "docs/SERVER.md";
  const loops = "examples/executors/retry_loop";
  const parts: readonly (readonly [string, string])[] = [
    ["python loop", excerpt(`${loops}.py`, "python", "def may_call(", "\n\n\nif __name__")],
    ["bash loop", excerpt(`${loops}.sh`, "bash", "failure=\n", "\ndone")],
    ["routes", routeTable()],
  ];
  return parts.reduce((page, [name, made]) => between(path, name, made, page), pageAt(path));
}

/** The lines of a file from `start` to the line of `end`, which is left out if it begins with an empty line. */
function excerpt(path: string, language: string, start: string, end: string): string {
  const text = pageAt(path);
  const from = text.indexOf(start);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) throw new Error(`${path} has no part from ${start} to ${end}`);
  const lines = text.slice(from, end.startsWith("\n\n") ? to : to + end.length);
  return `\`\`\`${language}\n${lines.trim()}\n\`\`\``;
}

function routeTable(): string {
  const rows = (Object.keys(PATHS) as RouteName[]).map((name) => {
    const { method, path } = PATHS[name];
    const { summary, role, acts }: RouteSpec = ROUTES[name];
    return [`\`${method} ${path}\``, summary, role ?? "anyone", yes(acts === true), `\`${name}\``];
  });
  return table(["route", "what it does", "role", "acts", "in the client"], rows);
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
    "Every fault code, generated from `src/core/fault/catalogue.ts` by `npm run docs`. The names are fixed: files, tests and other programs match on them.",
    [
      "- **retryable**: worth retrying unchanged.",
      "- **may have happened**: the work may have been done although the call failed; it runs again only if it is idempotent.",
      "- **trips breaker**: counts against the target's circuit breaker.",
      "- **scope**: what the fault belongs to; decides whether another target can help.",
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

function commandLinePage(): string {
  const path = "docs/CLI.md";
  return between(path, "exit codes", exitCodeTable(), between(path, "settings", settingTable()));
}

/** Every setting of the command line. */
export function settingTable(): string {
  const code = (text: string): string => `\`${text}\``;
  const rows = [...Object.entries<Setting>(SETTINGS), ...PROVIDER_SETTINGS];
  return table(
    ["setting", "what it is", "flag", "variables", "project file", "default"],
    rows.map(([name, { about, flag, variables, isInFile, fallback }]) => [
      code(name),
      about,
      flag === undefined ? "" : code(flag),
      variables.map(code).join(", "),
      isInFile === true ? code(`${name}:`) : "",
      fallback === null ? "" : code(fallback),
    ]),
  );
}

function exitCodeTable(): string {
  return table(
    ["code", "meaning"],
    Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
  );
}
