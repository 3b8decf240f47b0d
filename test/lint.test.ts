// Every lint rule finds the violation planted for it. A rule that stops working after an update fails here by name.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OXLINT = join(ROOT, "node_modules", "oxlint", "bin", "oxlint");

/** Code that each rule must refuse. */
const VIOLATIONS: Readonly<Record<string, string>> = {
  "faultline/catch-tells": "try { f(); } catch (error) { console.error(error); }\nfunction f() { return 1; }",
  "faultline/short-functions": `export function long() {\n${"  console.log(1);\n".repeat(70)}}`,

  "eslint/no-empty": "if (Date.now() > 1) {}",
  "eslint/no-useless-catch": "try { console.log(1); } catch (error) { throw error; }",
  "eslint/preserve-caught-error": "try { console.log(1); } catch (error) { throw new Error('lost'); }",
  "typescript/no-floating-promises": "Promise.resolve(1);",
  "typescript/no-misused-promises": "if (Promise.resolve(true)) console.log(1);",
  "typescript/only-throw-error": "throw 'text';",
  "typescript/prefer-promise-reject-errors": "export const p = Promise.reject(1);",
  "typescript/use-unknown-in-catch-callback-variable": "Promise.resolve(1).catch((error: any) => { throw error; });",
  "typescript/switch-exhaustiveness-check":
    "export function g(x: 'a' | 'b') { switch (x) { case 'a': console.log(1); } }",
  "typescript/return-await":
    "export async function g() { try { return Promise.resolve(1); } catch (e) { throw new Error('x', { cause: e }); } }",

  "eslint/eqeqeq": "export const g = (a: string, b: string) => a == b;",
  "eslint/no-array-constructor": "export const a = new Array(1, 2, 3);",
  "eslint/no-empty-function": "export function g() {}",
  "eslint/no-unused-expressions": "const a = 1; a;",
  "eslint/no-unused-vars": "const unused = 1;",
  "eslint/no-useless-constructor": "export class A { constructor() {} a() { return this; } }",
  "eslint/no-var": "export var a = 1;",
  "eslint/prefer-const": "let a = 1; console.log(a);",
  "eslint/prefer-rest-params": "export function g() { return arguments; }",
  "eslint/prefer-spread": "export const f = (g: (...n: number[]) => void, n: number[]) => { g.apply(undefined, n); }",
  "typescript/adjacent-overload-signatures": "export interface A { f(): void; g(): void; f(x: number): void }",
  "typescript/array-type": "export const a: Array<string> = [];",
  "typescript/await-thenable": "await 1;",
  "typescript/ban-ts-comment": "// @ts-ignore\nexport const a: string = 1;",
  "typescript/ban-tslint-comment": "// tslint:disable\nexport const a = 1;",
  "typescript/class-literal-property-style": "export class A { get a() { return 'x'; } }",
  "typescript/consistent-generic-constructors": "export const m: Map<string, number> = new Map();",
  "typescript/consistent-type-assertions": "export const a = <string>JSON.stringify(1);",
  "typescript/consistent-type-definitions": "export type A = { a: string };",
  "typescript/consistent-type-imports": "import { Stats } from 'node:fs'; export const f = (s: Stats) => s.size;",
  "typescript/no-array-delete": "const a = [1]; delete a[0];",
  "typescript/no-base-to-string": "export const f = (a: object) => String(a);",
  "typescript/no-confusing-non-null-assertion": "export const f = (a: number | null) => a! == 1;",
  "typescript/no-confusing-void-expression": "const f = (): void => { console.log(1); }; export const a = f();",
  "typescript/no-deprecated": "/** @deprecated use h */\nfunction g() { return 1; }\ng();",
  "typescript/no-duplicate-enum-values": "export enum A { a = 1, b = 1 }",
  "typescript/no-duplicate-type-constituents": "export type A = string | string;",
  "typescript/no-dynamic-delete": "export const f = (o: Record<string, number>, k: string) => { delete o[k]; };",
  "typescript/no-empty-object-type": "export const a: {} = 1;",
  "typescript/no-explicit-any": "export const a: any = 1;",
  "typescript/no-extra-non-null-assertion": "export const f = (a: { b: number } | null) => a!!.b;",
  "typescript/no-extraneous-class": "export class A { static a = 1; }",
  "typescript/no-for-in-array": "for (const i in [1]) console.log(i);",
  "typescript/no-generated-empty-object-type": "export type A = Pick<{ a: string }, never>;",
  "typescript/no-implied-eval": "setTimeout('alert(1)', 1);",
  "typescript/no-inferrable-types": "export const a: number = 1;",
  "typescript/no-invalid-void-type": "export const f = (a: void) => a;",
  "typescript/no-misused-new": "export interface A { new (): A; constructor(): void }",
  "typescript/no-misused-spread": "export const f = () => ({ ...new Map([[1, 2]]) });",
  "typescript/no-mixed-enums": "export enum A { a = 1, b = 'x' }",
  "typescript/no-namespace": "export namespace A { export const a = 1; }",
  "typescript/no-non-null-asserted-nullish-coalescing": "export const f = (a: { b: number | null }) => a.b! ?? 1;",
  "typescript/no-non-null-asserted-optional-chain": "export const f = (a: { b: number } | null) => a?.b!;",
  "typescript/no-non-null-assertion": "export const f = (a: { b: number } | null) => a!.b;",
  "typescript/no-redundant-type-constituents": "export type A = unknown | string;",
  "typescript/no-require-imports": "import fs = require('node:fs'); console.log(fs);",
  "typescript/no-this-alias": "export class A { a() { const self = this; return self; } }",
  "typescript/no-unnecessary-boolean-literal-compare": "export const f = (a: boolean) => a === true;",
  "typescript/no-unnecessary-condition": "export const f = (a: object) => a?.toString;",
  "typescript/no-unnecessary-template-expression": "export const a = `${'x'}`;",
  "typescript/no-unnecessary-type-arguments":
    "function g<T = string>(): T | undefined { return undefined; }\nexport const a = g<string>();",
  "typescript/no-unnecessary-type-assertion": "export const f = (a: string) => a as string;",
  "typescript/no-unnecessary-type-constraint": "export const f = <T extends unknown>(a: T) => [a, a];",
  "typescript/no-unnecessary-type-conversion": "export const f = (a: string) => String(a);",
  "typescript/no-unnecessary-type-parameters": "export function f<T>(a: T) { console.log(a); }",
  "typescript/no-unsafe-argument": "Number.parseInt(JSON.parse('1'));",
  "typescript/no-unsafe-assignment": "export const a: string = JSON.parse('1');",
  "typescript/no-unsafe-call": "JSON.parse('1')();",
  "typescript/no-unsafe-declaration-merging": "export interface A { a: string }\nexport class A { b = 1; }",
  "typescript/no-unsafe-enum-comparison": "enum A { a = 1 }\nexport const f = (a: A) => a === 1;",
  "typescript/no-unsafe-function-type": "export const f = (a: Function) => a;",
  "typescript/no-unsafe-member-access": "console.log(JSON.parse('1').a);",
  "typescript/no-unsafe-return": "export function f(): string { return JSON.parse('1'); }",
  "typescript/no-unsafe-unary-minus": "export const f = (a: string) => -a;",
  "typescript/no-useless-default-assignment": "export const f = ({ a = '' }: { a: string }) => a;",
  "typescript/no-wrapper-object-types": "export const f = (a: String) => a;",
  "typescript/non-nullable-type-assertion-style": "export const f = (a: string | undefined) => a as string;",
  "typescript/prefer-as-const": "export const a = 'x' as 'x';",
  "typescript/prefer-find": "export const f = (a: string[]) => a.filter((x) => x === 'x')[0];",
  "typescript/prefer-for-of":
    "export function f(a: string[]) { for (let i = 0; i < a.length; i++) console.log(a[i]); }",
  "typescript/prefer-function-type": "export interface A { (): string }",
  "typescript/prefer-includes": "export const f = (a: string) => a.indexOf('x') !== -1;",
  "typescript/prefer-literal-enum-member": "const n = 'x';\nexport enum A { a = `${n}` }",
  "typescript/prefer-namespace-keyword": "module A { export const a = 1; }\nconsole.log(A);",
  "typescript/prefer-nullish-coalescing": "export const f = (a: object | null) => a || {};",
  "typescript/prefer-optional-chain": "export const f = (a: { b: () => string } | null) => a && a.b;",
  "typescript/prefer-reduce-type-parameter": "export const a = [1].reduce((all, n) => [...all, n], [] as number[]);",
  "typescript/prefer-regexp-exec": "export const f = (a: string) => a.match(/x/);",
  "typescript/prefer-return-this-type": "export class A { a(): A { return this; } }",
  "typescript/prefer-string-starts-ends-with": "export const f = (a: string) => a[0] === 'x';",
  "typescript/related-getter-setter-pairs": "export interface A { get a(): string; set a(value: number) }",
  "typescript/require-await": "export async function f() { return 1; }",
  "typescript/restrict-plus-operands": "export const f = (a: string, b: number) => a + b;",
  "typescript/restrict-template-expressions": "export const f = (a: object) => `${a}`;",
  "typescript/triple-slash-reference": "/// <reference path='./other.ts' />\nexport const a = 1;",
  "typescript/unbound-method": "export class A { a() { return this; } }\nexport const f = new A().a;",
  "typescript/unified-signatures": "export interface A { f(a: string): void; f(a: number): void }",
};

interface Report {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

const folder = mkdtempSync(join(tmpdir(), "faultline-lint-"));
afterAll(() => void rmSync(folder, { recursive: true, force: true }));

const fileOf = (rule: string): string => `src/${rule.replace("/", "-")}.ts`;

describe("every rule of .oxlintrc.json", () => {
  let found: ReadonlySet<string>;

  beforeAll(() => {
    mkdirSync(join(folder, "src"));
    for (const [rule, code] of Object.entries(VIOLATIONS)) writeFileSync(join(folder, fileOf(rule)), `${code}\n`);
    const compilerOptions = {
      strict: true,
      module: "NodeNext",
      moduleDetection: "force",
      target: "ES2024",
      types: ["node"],
      typeRoots: [join(ROOT, "node_modules", "@types")],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [OXLINT, "--config", join(ROOT, ".oxlintrc.json"), "--format", "json", "."],
      { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
    );
    expect(stderr).toBe("");
    const { diagnostics } = JSON.parse(stdout) as Report;
    found = new Set(diagnostics.map(({ code, filename }) => `${code} in ${filename}`));
  });

  it("has a violation planted for it", () => {
    const named = readFileSync(join(ROOT, ".oxlintrc.json"), "utf8").matchAll(/^ +"((?:\w+)\/[\w-]+)": (?!"off")/gm);
    expect(new Set(Object.keys(VIOLATIONS))).toEqual(new Set(Array.from(named, ([, rule]) => rule)));
  });

  it.each(Object.keys(VIOLATIONS))("%s finds it", (rule) => {
    const [plugin, name] = rule.split("/");
    expect([...found].filter((entry) => entry.endsWith(fileOf(rule)))).toContain(
      `${plugin}(${name}) in ${fileOf(rule)}`,
    );
  });
});
