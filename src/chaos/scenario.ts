// Parses a scenario, from text or an object, into rules, or reports all its mistakes at once. A scenario with an error is never
// loaded.

import { fault, FaultError } from "../core/fault/fault.ts";
import type { Locale } from "../core/index.ts";
import { type Diagnostic, renderDiagnostic, createTranslator } from "../yaml-file/diagnostic.ts";
import { checkForm, type Grammar } from "../yaml-file/issues.ts";
import { diagnosticAt, type Path, rangeOf } from "../yaml-file/locate.ts";
import { type FileKind, inOrder, readYaml } from "../yaml-file/read.ts";
import { type ChaosFault, faultRow } from "./faults.ts";
import { PARAMETER_NAMES, type Parameters } from "./faults/fault-row.ts";
import type { Scripted } from "./good-model.ts";
import { checkParameter, OK } from "./notation.ts";
import {
  type ChaosStep,
  type Scenario,
  scenarioSchema,
  type ScenarioRule,
  type ScenarioStep,
} from "./scenario-schema.ts";

// What is said about mistakes in scenarios, in Chinese.

const scenarioSentence = createTranslator([
  ["the range ends before it begins", "范围的结束在开始之前"],
  ["Write `{}`.", "请写 `{1}`。"],
  ["repeat needs a sequence", "repeat 需要 sequence"],
  ["Add `sequence:`, or remove `repeat`.", "请加上 `sequence:`，或删除 `repeat`。"],
  ["{} cannot be combined with a sequence", "{1} 不能与 sequence 同时使用"],
  ["Put it into a step of the sequence.", "请把它写进 sequence 的一步。"],
  ["neither a fault nor an answer is given", "既没有故障也没有答复"],
  ["Add one of: {}.", "请加上其中之一：{1}。"],
  ["{} cannot be combined with {}", "{1} 不能与 {2} 同时使用"],
  [
    "A request gets one answer; use `sequence` for several requests.",
    "一个请求只有一个答复；多个请求请用 `sequence`。",
  ],
  ["`{}` has no parameter `{}`; it has none.", "`{1}` 没有参数 `{2}`；它没有参数。"],
  ["`{}` has no parameter `{}`; it has {}.", "`{1}` 没有参数 `{2}`；可用：{3}。"],
  ["`{}` is one of {}.", "`{1}` 的值为其中之一：{2}。"],
  ["`{}` is a whole number from 0 to {}.", "`{1}` 是 0 到 {2} 之间的整数。"],
  ["`{}` is a number from 0 to {}.", "`{1}` 是 0 到 {2} 之间的数。"],
  ["`faultline chaos --list` shows the parameters of each fault.", "`faultline chaos --list` 会列出每种故障的参数。"],
  ["`faultline chaos --list` lists all faults.", "`faultline chaos --list` 会列出所有故障。"],
  ["0.25 means one in four.", "0.25 表示四次中有一次。"],
  ["retry-after is in seconds.", "retry-after 以秒为单位。"],
  ["Requests are counted from 1.", "请求从 1 开始计数。"],
]);

/** What happens to one request, with defaults filled in. */
export interface ResolvedStep {
  /** null: a good answer. */
  readonly fault: ChaosFault | null;
  readonly params: Partial<Parameters>;
  readonly scripted: Scripted | null;
}

export interface ParsedScenario {
  /** null if there is an error. */
  readonly scenario: Scenario | null;
  readonly diagnostics: readonly Diagnostic[];
}

const KIND: FileKind = { article: "a scenario", name: "a scenario file", syntaxCode: "CHAOS001", documents: "one" };

const GRAMMAR: Grammar = {
  schemaFor: () => scenarioSchema,
  codes: {
    unknownKey: "CHAOS002",
    wrongType: "CHAOS003",
    unknownName: "CHAOS004",
    outOfRange: "CHAOS005",
    missing: "CHAOS006",
  },
  rangeHelp: {
    "probability": "0.25 means one in four.",
    "retry-after": "retry-after is in seconds.",
    "request": "Requests are counted from 1.",
  },
  manyNamesHelp: "`faultline chaos --list` lists all faults.",
};

const STEP_CODE = "CHAOS007";

/** `locale`: the language of what is said; English by default. */
export function parseScenario(text: string, file: string, locale: Locale = "en"): ParsedScenario {
  const { place, documents, mistakes } = readYaml(text, file, { ...KIND, locale });
  const [read] = documents;
  if (read === undefined) return { scenario: null, diagnostics: mistakes };
  const checked = scenarioSchema.safeParse(read.value ?? {});
  if (!checked.success) {
    const { diagnostics } = checkForm(read, place, { ...GRAMMAR, locale });
    const found = diagnostics.map((one) => scenarioSentence(one, locale));
    return { scenario: null, diagnostics: inOrder(found) };
  }
  const diagnostics = mistakesIn(checked.data).map(({ path, message, help }) =>
    scenarioSentence(diagnosticAt(place, STEP_CODE, message, rangeOf(read.document, path), "", help), locale),
  );
  return { scenario: diagnostics.length > 0 ? null : checked.data, diagnostics: inOrder(diagnostics) };
}

/** Like `parseScenario`, but throws a Validation fault that shows every mistake. An object is shown as YAML text. */
export function resolveScenario(given: string | Scenario, file = "scenario"): Scenario {
  // Text has a maximum length, so a valid object is never turned into text.
  const checked = scenarioSchema.safeParse(given);
  if (checked.success && mistakesIn(checked.data).length === 0) return checked.data;
  const text = typeof given === "string" ? given : JSON.stringify(given, null, 2);
  const { scenario, diagnostics } = parseScenario(text, file);
  if (scenario !== null) return scenario;
  const [first] = diagnostics;
  const message = `The scenario cannot be used.\n${diagnostics.map((one) => renderDiagnostic(one, text)).join("\n\n")}`;
  throw new FaultError(fault("ConfigSchemaViolation", { message, context: { file, line: first?.line ?? 1 } }));
}

interface Mistake {
  readonly path: Path;
  readonly message: string;
  readonly help: string;
}

function mistakesIn({ rules = [] }: Scenario): readonly Mistake[] {
  return rules.flatMap((rule, index) => [
    ...rangeMistakes(rule, ["rules", index]),
    ...mistakesOf(rule, ["rules", index]),
  ]);
}

/** A rule that can never match would silently give good answers. */
function rangeMistakes({ when }: ScenarioRule, path: Path): readonly Mistake[] {
  const [from, to] = String(when?.request ?? "").split("-");
  if (to === undefined || to === "" || Number(from) <= Number(to)) return [];
  const help = `Write \`${to}-${from}\`.`;
  return [{ path: [...path, "when", "request"], message: "the range ends before it begins", help }];
}

/** Checks what a schema cannot: which fields go together. */
function mistakesOf(rule: ScenarioRule, path: Path): readonly Mistake[] {
  const { sequence } = rule;
  if (sequence === undefined) {
    const lone: readonly Mistake[] =
      rule.repeat === undefined
        ? []
        : [
            {
              path: [...path, "repeat"],
              message: "repeat needs a sequence",
              help: "Add `sequence:`, or remove `repeat`.",
            },
          ];
    return [...lone, ...stepMistakes(rule, path)];
  }
  const beside = saidKeys(rule).map((key) => ({
    path: [...path, key],
    message: `${key} cannot be combined with a sequence`,
    help: "Put it into a step of the sequence.",
  }));
  const inside = sequence.flatMap((step, index) =>
    typeof step === "string" ? [] : stepMistakes(step, [...path, "sequence", index]),
  );
  return [...beside, ...inside];
}

const SAYING = ["answer", "call", "calls", "json"] as const;

function saidKeys(step: ScenarioStep): readonly string[] {
  return ["fault", ...SAYING, ...PARAMETER_NAMES].filter((key) => key in step);
}

function stepMistakes(step: ScenarioStep, path: Path): readonly Mistake[] {
  const said = SAYING.filter((key) => key in step);
  const row = step.fault === undefined ? null : (faultRow(step.fault) ?? null);
  const nothing: readonly Mistake[] =
    said.length === 0 && step.fault === undefined
      ? [
          {
            path,
            message: "neither a fault nor an answer is given",
            help: `Add one of: fault, ${SAYING.join(", ")}, sequence.`,
          },
        ]
      : [];
  const twice = said.slice(1).map((key) => ({
    path: [...path, key],
    message: `${key} cannot be combined with ${said[0] ?? ""}`,
    help: "A request gets one answer; use `sequence` for several requests.",
  }));
  const params = PARAMETER_NAMES.filter((name) => step[name] !== undefined).flatMap((name) => {
    const complaint = checkParameter(row, name, step[name]);
    return complaint === null
      ? []
      : [
          {
            path: [...path, name],
            message: complaint,
            help: "`faultline chaos --list` shows the parameters of each fault.",
          },
        ];
  });
  return [...nothing, ...twice, ...params];
}

export function resolveStep(step: ChaosStep): ResolvedStep {
  const written: ScenarioStep = typeof step === "string" ? { fault: step } : step;
  const { fault: id = OK } = written;
  const given = PARAMETER_NAMES.filter((name) => written[name] !== undefined);
  return {
    fault: faultRow(id) ?? null,
    params: Object.fromEntries(given.map((name) => [name, written[name]])),
    scripted: scriptedIn(written),
  };
}

function scriptedIn(step: ScenarioStep): Scripted | null {
  if (step.answer !== undefined) return { kind: "answer", text: step.answer };
  if (step.call !== undefined) return { kind: "calls", calls: [step.call] };
  if (step.calls !== undefined) return { kind: "calls", calls: step.calls };
  return "json" in step ? { kind: "json", value: step.json } : null;
}
