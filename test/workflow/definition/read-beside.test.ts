// A workflow reads only plain text files beside it: whatever a name leads to, reading ends.

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWorkflows } from "../../../src/workflow/index.ts";
import { tempFolder } from "../../journal/temp-folder.ts";

const outside = tempFolder();
const folder = tempFolder();
const workflows = createWorkflows();

beforeAll(() => {
  writeFileSync(outside.file("secret.md"), "top secret");
  mkdirSync(folder.file("prompts"));
  writeFileSync(folder.file("prompts/own.md"), "Review the change.");
  symlinkSync("own.md", folder.file("prompts/inside.md"));
  symlinkSync(outside.file("secret.md"), folder.file("prompts/absolute.md"));
  symlinkSync(outside.path, folder.file("elsewhere"));
  symlinkSync("/dev/zero", folder.file("prompts/zero.md"));
  symlinkSync("../prompts", folder.file("prompts/again"));
  symlinkSync("loop.md", folder.file("prompts/loop.md"));
  execFileSync("mkfifo", [folder.file("prompts/pipe.md")]);
  writeFileSync(folder.file("prompts/sparse.md"), "");
  truncateSync(folder.file("prompts/sparse.md"), 2 ** 40);
  writeFileSync(folder.file("prompts/longest.md"), "x".repeat(2 ** 20));
  writeFileSync(folder.file("prompts/longer.md"), "x".repeat(2 ** 20 + 1));
});

afterAll(async () => {
  await workflows.close();
  folder.remove();
  outside.remove();
});

/** Each place where a workflow names a file. */
const PLACES: Readonly<Record<string, (name: string) => string>> = {
  prompt: (name) => `  a: { type: agent, agent: coder, prompt: { file: ${name} } }\n`,
  schema: () => "  a: { type: agent, agent: coder, prompt: hello }\n",
  policy: () => "  a: { type: agent, agent: coder, prompt: hello }\n",
};

async function messagesFor(place: string, name: string): Promise<string> {
  const policy = place === "policy" ? `policy: ${name}\n` : "";
  const schema = place === "schema" ? `, output_schema: ${name}` : "";
  const head = `faultline: 1\nworkflow: { id: reads, version: "1" }\n${policy}agents: { coder: { cli: claude${schema} } }\nnodes:\n`;
  const file = folder.file(`${place}.yaml`);
  writeFileSync(file, `${head}${PLACES[place]?.(name) ?? ""}`);
  const { diagnostics } = await workflows.file(file);
  return diagnostics.map(({ message }) => message).join("\n");
}

describe.each(Object.keys(PLACES))("the %s of a workflow", (place) => {
  it.each([
    ["prompts/own.md", null],
    ["prompts/inside.md", null],
    ["prompts/again/own.md", null],
    ["prompts/absolute.md", "a symbolic link leads out of the workflow's folder"],
    ["elsewhere/secret.md", "a symbolic link leads out of the workflow's folder"],
    ["prompts/zero.md", "a symbolic link leads out of the workflow's folder"],
    ["prompts/loop.md", "ELOOP"],
    ["prompts/pipe.md", "it is not a regular file"],
    ["prompts", "it is not a regular file"],
    ["prompts/sparse.md", "it has more than 1048576 bytes"],
    ["prompts/longer.md", "it has more than 1048576 bytes"],
    ["prompts/longest.md", "it has more than 200000 characters"],
    ["prompts/none.md", "there is no such file"],
  ] as const)("names %s", async (name, why) => {
    const said = await messagesFor(place, name);
    if (why === null) expect(said).not.toContain("cannot be read");
    else expect(said).toContain(`\`${name}\` cannot be read: ${why}`);
    expect(said).not.toContain("top secret");
  });
});
