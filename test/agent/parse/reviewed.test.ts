// What each line of a CLI says and changes, compared with files that were reviewed.

import { describe, expect, it } from "vitest";
import type { AgentKind, AgentState } from "../../../src/agent/parse/agent-state.ts";
import { createParser } from "../../../src/agent/parse/create-parser.ts";
import { type Line, LINES } from "./lines.ts";

/** Each line, then its events, then the fields of the state that it changed. */
function read(kind: AgentKind, title: string, lines: readonly Line[]): string {
  const parser = createParser(kind);
  let before = copyOf(parser.state);
  const changed = (): readonly string[] => {
    const now = copyOf(parser.state);
    const fields = Object.keys(now).filter((field) => now[field] !== before[field]);
    before = now;
    return fields.map((field) => `    ${field}: ${now[field]}`);
  };
  const pages = lines.map((line) => {
    const isStderr = typeof line === "object" && "stderr" in line;
    const printed = isStderr ? line.stderr : line;
    const text = typeof printed === "string" ? printed : JSON.stringify(printed);
    const events = isStderr ? parser.stderr(text) : parser.stdout(text);
    return [`${isStderr ? "2>" : ">"} ${text}`, ...events.map((event) => `  ${JSON.stringify(event)}`), ...changed()];
  });
  const last = parser.end().map((event) => `  ${JSON.stringify(event)}`);
  return [`# ${title}`, ...pages.flat(), "> (end)", ...last, ...changed(), ""].join("\n");
}

function copyOf(state: AgentState): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(state).map(([field, value]) => [field, JSON.stringify(value)]));
}

describe("the lines of a CLI", () => {
  // A change that is meant shows as a difference of these files (`npx vitest run -u` writes them again).
  it.each(Object.entries(LINES))("%s are read as the file says that was reviewed", async (kind, cases) => {
    const pages = Object.entries(cases).map(([title, lines]) => read(kind as AgentKind, title, lines));
    await expect(pages.join("\n")).toMatchFileSnapshot(`reviewed/${kind}.txt`);
  });
});
