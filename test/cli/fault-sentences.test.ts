// Every sentence that a fault or a warning of the library can carry to a terminal has its Chinese. The sentences are read from the sources:
// what is given as `message` of a fault, and what the functions that make faults and warnings are called with.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FAULT_SENTENCES, faultSentence, messageIn } from "../../src/cli/fault-sentences/sentence.ts";
import { fault } from "../../src/core/index.ts";
import { type AstNode, parse, ROOT, walk } from "../mutants/sample.ts";
import { englishIn } from "../support/english-in.ts";

const FOLDERS = [
  ...["agent", "chaos", "core/flow", "gateway", "journal", "mcp", "runtime", "sandbox", "schema", "server", "workflow"],
  ...["provider/model", "provider/wire", "provider/fetch", "workflow-model"],
];

/** Sentences for programs, not for people at a terminal: options of the library, HTTP answers, texts that models read, and bugs. */
const ELSEWHERE = [
  /^src\/server\/(?:problems|read-request|cursor|app|page)\.ts|^src\/server\/handlers\//,
  /^src\/gateway\/(?:config|dialect|translate)\/|^src\/gateway\/(?:client-exchange|other-path|other-requests|gateway)\.ts/,
  /^src\/runtime\/(?:extension|person|tool)\/|options?(?:-shapes)?\.ts$/,
  /^src\/chaos\/(?:errors|protocols|faults|scenario|chaos-server)|^src\/(?:mcp|sandbox)\/failures\.ts|^src\/agent\/(?:parse|doctor)\//,
  /^src\/provider\/model\/members\.ts|^src\/workflow\/node\/agent-raw\.ts|^src\/workflow\/folder\//,
];

/** Functions whose texts become the message of a fault, or say what was being done. */
const MAKERS =
  /^(?:refusal|drift|unfit|mismatch|wrong|wrongFile|refused|misconfigured|badList|unusable|shapeInvalid|bad|warn|invalidSchema|wrap|andAlso|suppress|suppressed)$/;

/** `{}` stands for what differs. */
function textsOf(node: AstNode): readonly string[] {
  const of = (name: string): readonly string[] => textsOf(node[name] as AstNode);
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string" ? [node["value"]] : [];
    case "TemplateLiteral":
      return [(node["quasis"] as readonly { value: { cooked: string } }[]).map(({ value }) => value.cooked).join("{}")];
    case "BinaryExpression":
      return of("left").flatMap((left) => of("right").map((right) => left + right));
    case "ConditionalExpression":
      return [...of("consequent"), ...of("alternate")];
    default:
      return [];
  }
}

/** What each function of a file returns as a text, by its name. */
function returnedTexts(program: AstNode): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, readonly string[]>();
  walk(program, (node) => {
    if (node.type !== "FunctionDeclaration") return;
    const found: string[] = [];
    walk(node["body"] as AstNode, (inner) => {
      if (inner.type === "ReturnStatement" && inner["argument"] !== null)
        found.push(...textsOf(inner["argument"] as AstNode));
    });
    texts.set(nameOf(node["id"] as AstNode), found);
  });
  return texts;
}

function nameOf(node: AstNode | null | undefined): string {
  return typeof node?.["name"] === "string" ? node["name"] : "";
}

function sentencesOf(file: string): readonly string[] {
  const found: string[] = [];
  const program = parse(readFileSync(join(ROOT, file), "utf8"));
  const returned = returnedTexts(program);
  walk(program, (node) => {
    const named = (node["key"] ?? node["id"] ?? node["callee"]) as AstNode | null | undefined;
    const name = nameOf(named);
    if (node.type === "Property" && name === "message") found.push(...textsOf(node["value"] as AstNode));
    if (node.type === "VariableDeclarator" && name === "message" && node["init"] !== null && file !== INPUTS)
      found.push(...textsOf(node["init"] as AstNode));
    if (node.type === "CallExpression" && MAKERS.test(name))
      for (const argument of node["arguments"] as readonly AstNode[])
        found.push(...textsOf(argument), ...(returned.get(nameOf(argument["callee"] as AstNode | undefined)) ?? []));
  });
  return found.filter((text) => englishIn(filled(text)).length > 0);
}

/** As it would be said, with a name in each hole. */
function filled(text: string): string {
  let hole = 0;
  return text.replaceAll("{}", () => `x${(hole += 1)}`);
}

/** Its other files explain mistakes in workflow files, by a table of their own. */
const INPUTS = "src/workflow-file/inputs.ts";

const FILES = [INPUTS, ...FOLDERS.flatMap((folder) => globSync(`src/${folder}/**/*.ts`, { cwd: ROOT }))].filter(
  (file) => !ELSEWHERE.some((place) => place.test(file)),
);
const SENTENCES = FILES.flatMap((file) => sentencesOf(file).map((text) => ({ file, text })));

describe("sentences of faults and warnings", () => {
  it("are found in the sources", () => {
    expect(SENTENCES.length).toBeGreaterThan(200);
  });

  it.each(SENTENCES)("$file: $text", ({ text }) => {
    expect(englishIn(messageIn("zh-CN", filled(text)))).toEqual([]);
  });
});

/** What the system says, and sentences with what it said behind them. */
const COMPOSED = /^listen E|^Choose [^{]+: \{\}$|^start\w+: \{\}$/;

describe("rows", () => {
  /** Texts that stand on several lines are joined, and what each hole is filled with is left out. */
  const code = globSync("src/**/*.ts", { cwd: ROOT })
    .filter((file) => !file.startsWith("src/cli/fault-sentences/"))
    .map((file) => readFileSync(join(ROOT, file), "utf8"))
    .join("\n")
    .replaceAll(/["`] \+\s+["`]/g, "")
    .replaceAll(/\\(["'`\\])/g, "$1");

  it("translate sentences that the code writes, and no others", () => {
    const stale = FAULT_SENTENCES.filter(
      ([english]) => !COMPOSED.test(english) && english.split("{}").some((piece) => !code.includes(piece.trim())),
    );
    expect(stale.map(([english]) => english)).toEqual([]);
  });

  it("are used for their own sentences, and not hidden by others", () => {
    const named = (text: string): string => text.replaceAll(/\{(\d)\}/g, "x$1");
    const hidden = FAULT_SENTENCES.filter(
      ([english, chinese]) => messageIn("zh-CN", filled(english)) !== named(chinese),
    );
    expect(hidden).toEqual([]);
  });

  it("fill every hole", () => {
    for (const [english, chinese] of FAULT_SENTENCES) {
      const holes = english.split("{}").length - 1;
      const filledHoles = new Set(Array.from(chinese.matchAll(/\{(\d)\}/g), ([, number]) => Number(number)));
      for (const number of filledHoles) expect(number, chinese).toBeLessThanOrEqual(holes);
    }
  });
});

describe("a fault's sentence", () => {
  it("keeps what others said, after what its code means", () => {
    const told = faultSentence(fault("RateLimited", { message: "slow down, please" }), "zh-CN");
    expect(told).toBe("请求过于频繁：slow down, please。");
  });

  it("is translated part by part", () => {
    expect(
      messageIn(
        "zh-CN",
        "writing to the journal: The journal is closed. Open it again, or call createFaultline again, to continue.",
      ),
    ).toBe("写入日志：日志已关闭。请重新打开它，或重新调用 createFaultline，然后再继续。");
  });

  it("is the row that says most", () => {
    expect(messageIn("zh-CN", "the command ended with exit code 1 and did not say why")).toBe(
      "命令以退出码 1 结束，没有说明原因",
    );
    expect(messageIn("zh-CN", "needs hotels, which was skipped: no such city")).toBe(
      "依赖 hotels，而它被跳过：no such city",
    );
  });

  it("takes no long time for hostile text", () => {
    const hostile = "run x is over (".repeat(250);
    expect(messageIn("zh-CN", hostile)).toBe(hostile);
  });

  it("ends with one full stop in English", () => {
    expect(faultSentence(fault("NotFound", { message: "there is no run a" }), "en")).toBe("there is no run a.");
    expect(faultSentence(fault("NotFound", { message: "did you mean b?" }), "en")).toBe("did you mean b?");
  });
});
