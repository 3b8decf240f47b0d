// `faultline init` through the built program: what it writes, what it refuses to overwrite, and that the result works.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { jsonOf, runCli, runShell } from "../support/run-cli.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-init-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function packageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

interface Written {
  readonly template: string;
  readonly with: string;
  readonly written: readonly string[];
  readonly overwritten: readonly string[];
  readonly unchanged: readonly string[];
  readonly next: readonly string[];
}

describe("init gateway", () => {
  // The shell lets no file grow, as a full disk does.
  it.each([
    { name: "leaves no file behind", before: null, words: "" },
    { name: "keeps the file that was there", before: "version: 1\n", words: "--force" },
  ])("without room on the disk $name", async ({ before, words }) => {
    const folder = newFolder();
    const file = join(folder, "gateway.faultline.yaml");
    if (before !== null) writeFileSync(file, before);
    const run = await runShell(`ulimit -f 0; faultline init gateway ${folder} ${words}`);
    expect(run.exit).not.toBe("ok");
    expect(run.stderr).toContain(`Cannot write ${file}: `);
    expect(readdirSync(folder)).toEqual(before === null ? [] : ["gateway.faultline.yaml"]);
    if (before !== null) expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("writes a file that `gateway --check` accepts, and that a missing file leads to", async () => {
    const folder = newFolder();
    const lost = await runCli(["gateway", "--config", join(folder, "gateway.faultline.yaml")]);
    expect(lost).toMatchObject({ exit: "usage", stdout: "" });
    expect(lost.stderr).toContain("`faultline init gateway`");
    const done = await runCli(["init", "gateway", folder, "--json"]);
    expect(done).toMatchObject({ exit: "ok", stderr: "" });
    expect((jsonOf(done) as Written).written).toEqual(["gateway.faultline.yaml"]);
    const file = join(folder, "gateway.faultline.yaml");
    const env = { OPENAI_API_KEY: "sk-set", ANTHROPIC_API_KEY: "sk-set", ALICE_KEY: "a key" };
    expect(await runCli(["gateway", "--check", "--config", file], { env, isHere: true })).toMatchObject({
      exit: "ok",
      stderr: "",
    });
    // What stands behind # is right, too.
    writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^# (keys:| {2}alice)/gm, "$1"));
    expect(await runCli(["gateway", "--check", "--config", file], { env, isHere: true })).toMatchObject({
      exit: "ok",
      stderr: "",
    });
    expect(readFileSync(file, "utf8")).toMatch(/^keys:\n {2}alice:/m);
  });
});

it.each([
  [["init", "tema"], 'There is no template "tema". Did you mean team? There are: team'],
  [["init", "team", "--with", "model"], "--with must be one of: clis, models. Did you mean models?"],
  [["init", "tema", "--locale", "zh-CN"], "是否指 team？"],
])("suggests the name that was meant: %j", async (words, sentence) => {
  const { exit, stdout, stderr } = await runCli(words);
  expect([exit, stdout]).toEqual(["usage", ""]);
  expect(stderr).toContain(sentence);
});

it("asks for no package that the command line brings", async () => {
  const { stdout } = await runCli(["init", "team", "--with", "models"]);
  expect(stdout).toContain("export OPENAI_API_KEY=…");
  expect(stdout).not.toContain("npm install");
});

describe("init team", () => {
  it("adds .faultline/ to .gitignore once, and keeps the existing lines", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, ".gitignore"), "node_modules");
    expect(jsonOf(await runCli(["init", "team", folder, "--json"]))).toMatchObject({ ignored: [".faultline/"] });
    expect(jsonOf(await runCli(["init", "team", folder, "--json"]))).toMatchObject({ ignored: [] });
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("node_modules\n.faultline/\n");
  });

  it("writes nothing where a link leads out of the folder", async () => {
    const [folder, outside] = [newFolder(), newFolder()];
    symlinkSync(outside, join(folder, "team"));
    const got = await runCli(["init", "team", folder, "--force"]);
    expect(got.exit).toBe("usage");
    expect(got.stderr).toContain("a link in its path leads out of");
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(folder)).toEqual(["team"]);
  });

  it.each(["clis", "models"])(
    "with %s writes a workflow in which `workflow check` finds nothing to say",
    async (variant) => {
      const folder = newFolder();
      const done = await runCli(["init", "team", folder, "--with", variant, "--json"]);
      expect(done).toMatchObject({ exit: "ok", stderr: "" });
      const { written, next } = jsonOf(done) as Written;
      expect(written).toContain("team.faultline.yaml");
      expect(written.includes("team/tools/files.mjs")).toBe(variant === "models");
      expect(next).toContain("faultline workflow check team.faultline.yaml");
      const checked = await runCli(["workflow", "check", join(folder, "team.faultline.yaml"), "--strict"], {
        env: { OPENAI_API_KEY: "sk-set", ANTHROPIC_API_KEY: "sk-set" },
      });
      expect(checked).toMatchObject({ exit: "ok" });
      expect(`${checked.stdout}${checked.stderr}`).toContain("0 errors, 0 warnings");
    },
  );

  it("names a schema for editors that the installed package contains", async () => {
    const folder = newFolder();
    await runCli(["init", "team", folder]);
    const [first = ""] = readFileSync(join(folder, "team.faultline.yaml"), "utf8").split("\n");
    const [, named = ""] = /\$schema=\.\/node_modules\/faultline\/(\S+)$/.exec(first) ?? [];
    const { exports } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { exports: object };
    expect(Object.values(exports)).toContain(`./${named}`);
    expect(readFileSync(packageFile(named), "utf8")).toBe(
      (await runCli(["workflow", "schema"], { isHere: true })).stdout,
    );
  });

  it("reports the same again if everything exists already, and changes nothing", async () => {
    const folder = newFolder();
    await runCli(["init", "team", folder]);
    const again = jsonOf(await runCli(["init", "team", folder, "--json"])) as Written;
    expect(again).toMatchObject({ with: "clis", written: [], overwritten: [] });
    expect(again.unchanged).toContain("team.faultline.yaml");
  });

  it("writes nothing if a file of yours is in the way, and overwrites it only with a flag", async () => {
    const folder = newFolder();
    const mine = join(folder, "team.faultline.yaml");
    writeFileSync(mine, "mine\n");
    const refused = await runCli(["init", "team", folder]);
    expect(refused.exit).toBe("failed");
    expect(refused.stderr).toContain("team.faultline.yaml");
    expect(refused.stderr).toContain("--force");
    expect(readFileSync(mine, "utf8")).toBe("mine\n");
    expect(() => readFileSync(join(folder, "team/README.md"))).toThrow(/ENOENT/);
    const forced = jsonOf(await runCli(["init", "team", folder, "--force", "--json"])) as Written;
    expect(forced.overwritten).toEqual(["team.faultline.yaml"]);
    expect(readFileSync(mine, "utf8")).toContain("faultline: 1");
  });

  it("distinguishes a folder that is a file from one that is not writable", async () => {
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    const refused = await runCli(["init", "team", file]);
    expect(refused).toMatchObject({ exit: "usage", stdout: "" });
    expect(refused.stderr).toContain(file);
    expect(refused.stderr).toContain("a part of its path is a file");
  });

  it.skipIf(process.platform !== "linux")("names the folder that it could not create", async () => {
    const refused = await runCli(["init", "team", "/proc/foo"]);
    expect(refused).toMatchObject({ exit: "usage", stdout: "" });
    expect(refused.stderr).toContain("Cannot create the folder /proc/foo");
  });
});

describe("init", () => {
  it("lists its templates", async () => {
    expect(jsonOf(await runCli(["init", "--list", "--json"]))).toMatchObject([
      { template: "team", with: ["clis", "models"] },
      { template: "gateway", with: [] },
      { template: "sample-repo", with: [] },
    ]);
    expect((await runCli(["init", "--list"])).stdout).toContain("sample-repo");
  });

  it.each([
    [["init"], "--list"],
    [["init", "nothing"], "team, gateway, sample-repo"],
    [["init", "team", "--with", "people"], "clis, models"],
    [["init", "sample-repo", "--with", "clis"], "leave out --with"],
  ])("refuses %j and lists the templates", async (args, said) => {
    const refused = await runCli(args);
    expect(refused).toMatchObject({ exit: "usage", stdout: "" });
    expect(refused.stderr).toContain(said);
  });

  it("writes a sample repository without dependencies, in which only the promised test fails", async () => {
    const folder = newFolder();
    const { written } = jsonOf(await runCli(["init", "sample-repo", folder, "--json"])) as Written;
    expect(written).toEqual(["README.md", "package.json", "src/split.js", "test/split.test.js"]);
    expect(readFileSync(join(folder, "package.json"), "utf8")).not.toContain("ependencies");
    const { status, stdout } = spawnSync(process.execPath, ["--test", "--test-reporter=tap"], { cwd: folder });
    expect(status).toBe(1);
    const failing = stdout.toString().match(/^not ok \d+ - .+$/gm);
    expect(failing).toEqual(["not ok 3 - what people pay adds up to the bill"]);
  });
});
