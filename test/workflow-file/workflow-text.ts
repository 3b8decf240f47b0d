// Workflow files as tests write them, and what the reader says of them.

import { expect } from "vitest";
import {
  type Diagnostic,
  parseWorkflow,
  type ParseOptions,
  type WorkflowDefinition,
} from "../../src/workflow-file/index.ts";
import { englishIn } from "../support/english-in.ts";

export const FILE = "team/flow.faultline.yaml";

export const text = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;

/** Lines 1 and 2; a file that is right needs only nodes more. */
export const HEAD = ["faultline: 1", 'workflow: { id: flow, version: "1" }'] as const;

/** A file with these nodes, from line 4 on. */
export const nodes = (...lines: readonly string[]): string =>
  text(...HEAD, "nodes:", ...lines.map((line) => `  ${line}`));

/** A node that is valid anywhere. */
export const LAST = "last: { type: transform, value: '1' }";

/** A file with these lines from line 3 on, and one node behind them. */
export const top = (...lines: readonly string[]): string => text(...HEAD, ...lines, "nodes:", `  ${LAST}`);

/** What is said of a file that gives no definition. */
export async function mistakes(source: string, options: ParseOptions = {}): Promise<readonly Diagnostic[]> {
  const { definition, diagnostics } = await parseWorkflow(source, FILE, options);
  expect(definition).toBeNull();
  await expectChinese(source, options);
  expect(diagnostics.some(({ severity }) => severity === "error")).toBe(true);
  return diagnostics;
}

/** The warnings about a file that still gives a definition. */
export async function warnings(source: string, options: ParseOptions = {}): Promise<readonly Diagnostic[]> {
  const { definition, diagnostics } = await parseWorkflow(source, FILE, options);
  expect(definition, JSON.stringify(diagnostics)).not.toBeNull();
  await expectChinese(source, options);
  return diagnostics;
}

/** Every mistake is said in Chinese, too. */
async function expectChinese(source: string, options: ParseOptions): Promise<void> {
  const { diagnostics } = await parseWorkflow(source, FILE, { ...options, locale: "zh-CN" });
  expect(diagnostics.flatMap(({ message, label, help }) => englishIn(`${message}\n${label}\n${help}`))).toEqual([]);
}

/** The definition of a file of which nothing is said. */
export async function definitionOf(source: string, options: ParseOptions = {}): Promise<WorkflowDefinition> {
  const { definition, diagnostics } = await parseWorkflow(source, FILE, options);
  expect(diagnostics).toEqual([]);
  if (definition === null) throw new Error("no definition and no diagnostic");
  return definition;
}
