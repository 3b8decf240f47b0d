// An editor shows what a name is for: every name that a door exports has a comment, and so has every member of its options.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../src/", import.meta.url));
const DOORS = [
  "",
  "core",
  "error-classifier",
  "mcp",
  "policy-file",
  "testing",
  "tool-file",
  "workflow",
  "workflow-file",
];

interface Declared {
  readonly name: string;
  readonly hasComment: boolean;
  /** What follows the name, up to the end of the declaration. */
  readonly body: string;
}

/** The names in `{ … }` of an import or an export, and where they come from. */
function listsIn(text: string): readonly { readonly names: readonly string[]; readonly from: string | undefined }[] {
  return Array.from(text.matchAll(/^(?:export|import) (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;/gm), (found) => ({
    names: (found[1] ?? "").split(",").map((name) => name.trim().replace(/^type /, "")),
    from: found[2],
  }));
}

function declared(file: string, name: string): Declared {
  const text = readFileSync(file, "utf8");
  const found = new RegExp(
    `(\\*/\\n(?:// prettier-ignore\\n)?)?^export (?:abstract )?(?:async )?(?:const|function\\*?|class|interface|type) ${name}\\b`,
    "m",
  ).exec(text);
  if (found !== null) {
    const body = text.slice(found.index + found[0].length);
    return { name, hasComment: found[1] !== undefined, body: body.slice(0, body.search(/^(?:\}|export )/m)) };
  }
  const from = listsIn(text).find((list) => list.from !== undefined && list.names.includes(name))?.from;
  if (from === undefined) throw new Error(`${file} neither declares nor imports ${name}`);
  return declared(join(dirname(file), from), name);
}

const NAMES = DOORS.map((door) => {
  const file = join(ROOT, door, "index.ts");
  const text = readFileSync(file, "utf8");
  const own = Array.from(text.matchAll(/^export (?:const|function) (\w+)/gm), ([, name = ""]) => name);
  const listed = listsIn(text.replaceAll(/^import .*$/gm, "")).flatMap(({ names }) => names);
  return [door, [...own, ...listed].filter((name) => name !== "").map((name) => declared(file, name))] as const;
});

describe("comments for editors", () => {
  it.each(NAMES)("faultline/%s says what each of its names is for", (_door, names) => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter(({ hasComment }) => !hasComment).map(({ name }) => name)).toEqual([]);
  });

  it.each(NAMES)("faultline/%s says what each option is for", (_door, names) => {
    const silent = names
      .filter(({ name }) => name.endsWith("Options"))
      .flatMap(({ name, body }) => {
        const lines = body.split("\n");
        return lines.flatMap((line, at) => {
          const member = /^ {2}(?:readonly )?(\w+)\??[:(<]/.exec(line)?.[1];
          return member === undefined || lines[at - 1]?.endsWith("*/") === true ? [] : [`${name}.${member}`];
        });
      });
    expect(silent).toEqual([]);
  });

  // What most programs call. The rest is found from there.
  it.each([
    ["faultline.ts", ["createFaultline", "  model", "  fetch", "  agent", "  aiTools"]],
    ["runtime/call/calls.ts", ["  protect", "  call"]],
    ["runtime/call/outcome.ts", ["hasValue"]],
    ["runtime/runtime.ts", ["  session"]],
    ["runtime/session/session.ts", ["  turn"]],
    ["runtime/session/plan.ts", ["step"]],
    ["runtime/tool/tool.ts", ["tool"]],
    ["runtime/person/terminal-interactor.ts", ["terminalInteractor"]],
    ["agent/run/cli.ts", ["cli"]],
    ["core/fault/fault.ts", ["fault", "isFaultError"]],
    ["core/classify/classify.ts", ["classify"]],
    ["core/decide/explain.ts", ["explain"]],
    ["core/record/notice.ts", ["noticeOf"]],
    ["workflow/define.ts", ["stage", "defineWorkflow"]],
    ["workflow/workflows.ts", ["createWorkflows"]],
  ])("%s has an example for what most programs call", (file, names) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const bare = names.filter((name) => {
      const indent = name.startsWith("  ") ? "  (?:async )?" : "export (?:async )?function ";
      return !new RegExp(`@example\\n(?: +\\*.*\\n)+ +\\*/\\n${indent}${name.trim()}\\b`).test(text);
    });
    expect(bare).toEqual([]);
  });

  it.each([
    ["faultline.d.ts", ["deps"]],
    ["runtime/runtime.d.ts", ["protectFor", "beginSession", "resumeSession", "amendSession", "endSilentReports"]],
    ["runtime/session/session.d.ts", ["record", "deriveKeeps", "note", "flush", "repeatInterrupted", "turnStarted"]],
  ])("dist/%s does not offer what only other parts of the package call", (file, hidden) => {
    const text = readFileSync(join(ROOT, "../dist", file), "utf8");
    const offered = Array.from(text.matchAll(/^ {4}(?:readonly |get |async )*(\w+)[?(<:]/gm), ([, name = ""]) => name);
    expect(offered).not.toEqual([]);
    expect(offered.filter((name) => hidden.includes(name))).toEqual([]);
  });
});
