// `faultline config` and the table behind it: where each setting comes from, and that nothing reads a setting past the table.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROVIDER_SETTINGS } from "../../src/cli/config/provider-settings.ts";
import { fromVariables, type Setting, SETTINGS } from "../../src/cli/config/settings.ts";
import { ROOT } from "../package/stranger.ts";
import { jsonOf, runCli, runShell } from "../support/run-cli.ts";

interface Shown {
  readonly name: string;
  readonly value?: string | null;
  readonly isSet?: boolean;
  readonly origin: { readonly kind: string; readonly name: string };
}

const rowsOf = (stdout: string): ReadonlyMap<string, Shown> =>
  new Map((JSON.parse(stdout) as { settings: readonly Shown[] }).settings.map((row) => [row.name, row]));

const TABLE = [...Object.values<Setting>(SETTINGS), ...PROVIDER_SETTINGS.map(([, setting]) => setting)];

/** No variable of this machine counts. `runCli` takes care of colours: Node warns if both are there. */
const NONE = Object.fromEntries(
  TABLE.flatMap(({ variables }) => variables.filter((name) => !name.endsWith("_COLOR")).map((name) => [name, ""])),
);

const FILE = "journal: file.db\nworkflows: flows\ngateway: file.yaml\n";

describe("where a setting comes from", () => {
  it.each(Object.entries<Setting>(SETTINGS))(
    "%s: flag, then variable, then file, then default",
    async (name, setting) => {
      const { flag, variables, isInFile, fallback, isSecret } = setting;
      const typed = { "--locale": "zh-CN", "--color": "always" }[flag ?? ""] ?? "typed";
      const set = { CI: "1", NO_COLOR: "1", FORCE_COLOR: "1", TERM: "dumb" };
      const ask = async (args: readonly string[], env: Record<string, string>, text: string | null): Promise<Shown> => {
        const files = text === null ? {} : { "faultline.config.yaml": text };
        const { stdout, stderr, exit } = await runCli(["config", "--json", ...args], {
          env: { ...NONE, ...env },
          files,
        });
        expect([exit, stderr]).toEqual(["ok", ""]);
        const row = rowsOf(stdout).get(name);
        if (row === undefined) throw new Error(`${name} is not listed`);
        return row;
      };
      const plain = await ask([], {}, null);
      expect(plain.origin).toEqual({ kind: "default", name: "" });
      expect(isSecret === true ? plain.isSet : plain.value).toBe(isSecret === true ? false : fallback);
      if (isInFile === true)
        expect((await ask([], {}, FILE)).origin).toEqual({ kind: "file", name: "faultline.config.yaml" });
      for (const variable of variables) {
        const value = (set as Record<string, string>)[variable] ?? "given";
        expect((await ask([], { [variable]: value }, FILE)).origin).toEqual({ kind: "variable", name: variable });
      }
      if (flag === undefined) return;
      const first = variables[0];
      const won = await ask([flag, typed], first === undefined ? {} : { [first]: "given" }, FILE);
      expect([won.value, won.origin]).toEqual([typed, { kind: "flag", name: flag }]);
    },
  );

  it.each([
    [["--journal", "typed.db"], "var.db", FILE, "typed.db"],
    [[], "var.db", FILE, "var.db"],
    [[], "", FILE, "file.db"],
    [[], "", "", ".faultline/journal.db"],
  ])("a command uses the journal that config shows: %j, %j, %j", async (args, variable, text, journal) => {
    const options = { env: { ...NONE, FAULTLINE_JOURNAL: variable }, files: { "faultline.config.yaml": text } };
    const shown = rowsOf((await runCli(["config", "--json", ...args], options)).stdout).get("journal");
    expect(shown?.value).toBe(journal);
    expect((await runCli(["runs", "list", ...args], options)).stderr).toContain(` ${journal}`);
  });

  it("finds the project file in a folder above, up to the root of the repository", async () => {
    const write = `printf 'journal: a.db\\nworkflows: flows\\n' > faultline.config.yaml; mkdir -p flows one/two; : > flows/policy.yaml`;
    const ask = `cd one/two && faultline config --json`;
    const inside = await runShell(`mkdir .git; ${write}; ${ask}`, { env: NONE });
    const rows = rowsOf(inside.stdout);
    expect(rows.get("journal")?.value).toBe("../../a.db");
    expect(rows.get("policy")).toMatchObject({ value: "../../flows/policy.yaml", origin: { kind: "file" } });
    expect(rows.get("journal")?.origin.name).toBe("../../faultline.config.yaml");
    const above = await runShell(`${write}; mkdir one/.git; ${ask}`, { env: NONE });
    expect(rowsOf(above.stdout).get("journal")?.origin.kind).toBe("default");
    const none = await runShell(`${write}; ${ask}`, { env: NONE });
    expect(rowsOf(none.stdout).get("journal")?.origin.kind).toBe("default");
  });

  it("says in a sentence that the project file is a folder", async () => {
    const { exit, stdout, stderr } = await runShell("mkdir faultline.config.yaml; faultline config", { env: NONE });
    expect([exit, stdout, stderr]).toEqual([
      "usage",
      "",
      "faultline: Cannot read faultline.config.yaml: it is a folder.\n",
    ]);
  });

  it("makes the folder of a journal that the project file puts at the root", async () => {
    const made = await runShell(
      `mkdir -p .git sub; echo 'journal: .faultline/journal.db' > faultline.config.yaml
       printf 'faultline: 1\\nworkflow: { id: w, version: "1" }\\nnodes: { a: { type: transform, value: "1" } }\\n' > w.yaml
       cd sub && faultline workflow run ../w.yaml >/dev/null && faultline runs list --json && ls ../.faultline`,
      { env: NONE },
    );
    expect([made.exit, made.stderr]).toEqual(["ok", expect.any(String)]);
    expect(made.stdout).toContain("journal.db");
  });

  it.each([
    ["jurnal: x\n", "did you mean `journal`?"],
    ["journal: [x]\n", "this is a list"],
    ["journal: 'x", "CFG001"],
    ["- x\n", "CFG003"],
  ])("refuses the project file %j with the place of its mistake", async (text, told) => {
    const { exit, stderr, stdout } = await runCli(["runs", "list"], {
      files: { "faultline.config.yaml": text },
      env: NONE,
    });
    expect([exit, stdout]).toEqual(["config", ""]);
    expect(stderr).toContain("faultline.config.yaml:1:");
    expect(stderr).toContain(told);
  });

  it("needs no project file that can be read for a command that has no use for it", async () => {
    const files = { "faultline.config.yaml": "jurnal: x\n" };
    expect((await runCli(["explain", "RateLimited"], { files, env: NONE })).exit).toBe("ok");
  });
});

describe("what may be shown", () => {
  it("never shows a secret, in text or JSON, in either language", async () => {
    const secrets = TABLE.filter(({ isSecret }) => isSecret === true).flatMap(({ variables }) => variables);
    const env = {
      ...NONE,
      ...Object.fromEntries(secrets.map((name) => [name, "open-sesame"])),
      FAULTLINE_JOURNAL: "postgres://ada:open-sesame@db.example.org/agents?sslpassword=open-sesame",
      OPENAI_BASE_URL: "https://ada:open-sesame@gate.example.org/v1?key=open-sesame",
    };
    for (const args of [["--json"], ["--show-origin"], ["--show-origin", "--locale", "zh-CN"], []]) {
      const { stdout, stderr, exit } = await runCli(["config", ...args], { env });
      expect([exit, stderr]).toEqual(["ok", ""]);
      expect(stdout).not.toContain("open-sesame");
      expect(stdout).toContain("postgres://db.example.org/agents");
      expect(stdout).toContain("https://gate.example.org/v1");
    }
    const rows = rowsOf((await runCli(["config", "--json"], { env })).stdout);
    expect(rows.get("postgres")).toMatchObject({
      isSet: true,
      origin: { kind: "variable" },
    });
  });

  it("says where values come from when asked, in the user's language", async () => {
    const env = { ...NONE, NO_COLOR: "1" };
    const lines = async (...args: readonly string[]): Promise<string> =>
      (await runCli(["config", ...args], { env })).stdout.split("\n").find((line) => line.startsWith("color")) ?? "";
    expect(await lines()).toMatch(/^color +never$/);
    expect(await lines("--show-origin")).toMatch(/^color +never +the variable NO_COLOR$/);
    expect(await lines("--show-origin", "--locale", "zh-CN")).toMatch(/^color +never +变量 NO_COLOR$/);
  });

  it("is one JSON document", async () => {
    expect(jsonOf(await runCli(["config", "--json"]))).toHaveProperty("settings");
  });
});

/** Variables that are no settings: they find programs and homes, or Faultline sets them for its own children. */
const NO_SETTINGS = ["PATH", "HOME", "FAULTLINE_PROCESS", "FAULTLINE_NOTICE", "FAULTLINE_DEMO_KEY", "FAULTLINE_TOKEN"];

describe("the table", () => {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const READS = /\benv\[\s*"([A-Z][A-Z0-9_]+)"|\benv\.([A-Z][A-Z0-9_]+)\b|"(FAULTLINE_[A-Z_]+)"/g;
  const known = new Set([...TABLE.flatMap(({ variables }) => variables), ...NO_SETTINGS]);

  it("has every variable that the sources read", () => {
    const read = files.flatMap((name) => {
      const text = readFileSync(join(ROOT, "src", name), "utf8");
      return Array.from(text.matchAll(READS), ([, quoted, dotted, own]) => quoted ?? dotted ?? own ?? "");
    });
    expect(read.length).toBeGreaterThan(10);
    expect([...new Set(read)].filter((name) => !known.has(name))).toEqual([]);
  });

  it("is the only place of the command line that names them", () => {
    const elsewhere = files
      .filter((name) => name.startsWith(join("cli", "")) && !name.includes("settings"))
      .filter((name) => /\benv\[\s*"(?!PATH)/.test(readFileSync(join(ROOT, "src", name), "utf8")));
    expect(elsewhere).toEqual([]);
  });

  it("reads colour as terminals expect", () => {
    const colour = (env: Record<string, string>): string | null => fromVariables(SETTINGS.color, env)?.value ?? null;
    expect(colour({})).toBeNull();
    expect(colour({ TERM: "xterm", FORCE_COLOR: "0" })).toBeNull();
    expect(colour({ TERM: "dumb" })).toBe("never");
    expect(colour({ NO_COLOR: "1", FORCE_COLOR: "1" })).toBe("always");
  });
});
