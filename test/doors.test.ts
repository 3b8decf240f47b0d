// Each door of the package opens from outside, and shows exactly the names listed here: a new name is a decision.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import * as core from "faultline/core";
import * as main from "faultline";
import * as errorClassifier from "faultline/error-classifier";
import * as mcp from "faultline/mcp";
import * as policyFile from "faultline/policy-file";
import * as telemetry from "faultline/telemetry";

// prettier-ignore
const CORE_NAMES = [
  "CATALOGUE", "CHOICES", "CLOSED", "DEFAULT_POLICY", "DEFAULT_RULES", "FAULT_CLASSES", "FAULT_CODES", "FaultError", "INTERACTIONS", "INTERACTION_KINDS",
  "LOCALES", "MATRIX", "MODEL_CONTEXT", "MODEL_DETAILS", "PRESETS", "PRESET_NAMES", "PROBLEM_MEDIA_TYPE", "RECOURSES", "REDACTED", "REFUSALS",
  "SHAPE_REDACTOR", "SURFACES", "VOCABULARY", "admit", "advanceCall", "baseDelayMs", "causeChain", "checkPlan", "classify", "collectPartial", "countEntries",
  "createRedactor", "decide", "delayBounds", "delayMs", "describeMatch", "earn", "emptySession", "explain", "fault", "fingerprint", "foldEntry", "formatMs",
  "fullBudget", "isFaultCode", "isFaultError", "isolate", "letProbe", "lintPolicy", "matrixOutcome", "mergeBreakers", "metricsOf", "nextTarget", "noticeOf", "originOf", "record", "release", "resolveLocale",
  "rowFor", "rowsOfAdapter", "rowsOfStage", "rowsOfTool", "rulesWith", "schedule", "situation", "spend", "startCall", "suppressed", "toProblem", "toolRetry",
  "traceOf", "traitsOf", "viewFor", "whyNot", "withContext", "withRows", "wordsFor", "wrap",
];

// prettier-ignore
const MAIN_NAMES = [
  "ChannelBridge", "FaultError", "artefactsFolder", "classify", "cli", "completeToolCalls", "createFaultline", "createMemoryJournal", "defineExtension",
  "explain", "exportSession", "fault", "hasValue", "importSession", "isFaultCode", "isFaultError", "isOpen", "noticeOf", "openJournal", "partial",
  "readArtefact", "replayPolicy", "step", "terminalInteractor", "toProblem", "tool", "traitsOf", "viewFor", "withContext", "wrap",
];

describe("doors", () => {
  it.each([
    ["faultline", main, MAIN_NAMES],
    ["faultline/core", core, [...CORE_NAMES, "createPolicyReplay", "replayUnder", "describeReplayLimit"]],
    ["faultline/error-classifier", errorClassifier, ["classifyError"]],
    ["faultline/telemetry", telemetry, ["createMetrics"]],
    ["faultline/mcp", mcp, ["connectMcp", "modelText", "toAiTools"]],
    ["faultline/policy-file", policyFile, ["parsePolicy", "policyFileSchema", "policyJsonSchema", "renderDiagnostic"]],
  ])("%s", (_door, module, names) => {
    expect(Object.keys(module).sort()).toEqual([...names].sort());
  });

  it("can be bundled into another program without a warning", async () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      exports: Record<string, string | { default: string }>;
    };
    const doors = Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : [target.default]));
    const { warnings } = await build({
      absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
      entryPoints: doors,
      outdir: "unused",
      write: false,
      bundle: true,
      packages: "external",
      format: "esm",
      platform: "node",
      logLevel: "silent",
    });
    expect(doors.length).toBeGreaterThan(5);
    expect(warnings.map(({ text }) => text)).toEqual([]);
  });

  it("lead to files that the build makes", () => {
    const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      exports: Record<string, string | { types: string; default: string }>;
    };
    for (const target of Object.values(exports)) {
      for (const path of typeof target === "string" ? [target] : [target.types, target.default]) {
        expect(() => readFileSync(new URL(`../${path}`, import.meta.url)), path).not.toThrow();
      }
    }
  });
});
