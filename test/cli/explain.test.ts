// `faultline explain` knows every code, classifies a text, and uses the reader's language.

import { describe, expect, it } from "vitest";
import { CLI_WORDS } from "../../src/cli/render/words/cli-words.ts";
import { FAULT_CODES, traitsOf, VOCABULARY, wordsFor } from "../../src/core/index.ts";
import { openJournal } from "../../src/journal/open-journal.ts";
import { createWorkflows, defineWorkflow, stage } from "../../src/workflow/index.ts";
import { jsonOf, runCli } from "../support/run-cli.ts";
import { WorkflowWorld } from "./workflow-world.ts";

const CHINESE = wordsFor("RateLimited", "zh-CN");
const ENGLISH = wordsFor("RateLimited", "en");

async function explained(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout, stderr, exit } = await runCli(["explain", ...args], { env });
  expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
  return stdout;
}

describe("what explain knows", () => {
  it.each(["RateLimited", "ratelimited", "RATELIMITED"])("the code %s, in any letter case", async (code) => {
    const text = await explained([code]);
    expect(text).toMatch(/^RateLimited {2}/);
    for (const sentence of [ENGLISH.user, ENGLISH.next, ENGLISH.operator, ENGLISH.model])
      expect(text).toContain(sentence);
  });

  it("the fault behind a text, and the rule that found it", async () => {
    const text = await explained(["API Error: 529 Overloaded"]);
    expect(text).toMatch(/^Overloaded {2}.*\nrule \S+\n/);
  });

  it("a text from stdin", async () => {
    const { stdout } = await runCli(["explain", "-"], { stdin: "QuotaExhausted\n" });
    expect(stdout).toMatch(/^QuotaExhausted {2}/);
  });

  it("the waits and the recourses after them", async () => {
    const text = await explained(["RateLimited"]);
    expect(text).toContain("attempt 2 of 6  after 5 s (4 s – 6 s)  in total ≤ 6 s");
    expect(text).toContain(
      "then: fall back → use another tool → use the default value → continue without it → wait durably → ask a person → tell the model → give up",
    );
    const chinese = await explained(["RateLimited", "--locale", "zh-CN"]);
    expect(chinese.split("\n").filter((line) => line.includes("→") && /[a-z]/.test(line))).toEqual([]);
  });

  it("that an empty stdin is a wrong call", async () => {
    const { stdout, stderr, exit } = await runCli(["explain"]);
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toContain("Nothing to read");
  });
});

describe("explain --list", () => {
  it("lists every code once, with its title", async () => {
    const text = await explained(["--list"]);
    const listed = [...text.matchAll(/^ {2}(\S+) +(.+)$/gm)].map(([, code, title]) => [code, title]);
    expect(listed).toEqual(FAULT_CODES.map((code) => [code, wordsFor(code, "en").title]));
  });

  it("lists them for programs too", async () => {
    const list = jsonOf(await runCli(["explain", "--list", "--json"]));
    expect(list).toEqual(FAULT_CODES.map((code) => ({ code, ...traitsOf(code), title: wordsFor(code, "en").title })));
  });
});

describe("the language", () => {
  const labels = CLI_WORDS["zh-CN"];

  it("is Chinese in labels and sentences with --locale zh-CN", async () => {
    const text = await explained(["RateLimited", "--locale", "zh-CN"]);
    const titles = [labels.means, labels.does, labels.youCan, labels.operator, labels.model, labels.alsoKnown];
    for (const title of titles) expect(text).toContain(`\n${title}\n`);
    const { nextAfter: _, ...always } = CHINESE;
    for (const sentence of Object.values(always)) expect(text).toContain(sentence);
    for (const title of [CLI_WORDS.en.means, CLI_WORDS.en.then]) expect(text).not.toContain(title);
  });

  it("ends a Chinese sentence with a Chinese full stop", async () => {
    expect(await explained(["RateLimited", "--locale", "zh-CN"])).not.toMatch(/\p{Script=Han}\.$/mu);
  });

  it("is Chinese for the list as well", async () => {
    expect(await explained(["--list", "--locale", "zh-CN"])).toContain(CHINESE.title);
  });

  it.each([
    ["LANG", { LANG: "zh_CN.UTF-8" }, CHINESE],
    ["LC_MESSAGES before LANG", { LC_MESSAGES: "zh_CN.UTF-8", LANG: "en_US.UTF-8" }, CHINESE],
    ["LC_ALL before both", { LC_ALL: "en_US.UTF-8", LC_MESSAGES: "zh_CN.UTF-8", LANG: "zh_CN.UTF-8" }, ENGLISH],
    ["LANG when LC_ALL is set but empty", { LC_ALL: "", LANG: "zh_CN.UTF-8" }, CHINESE],
    ["nothing when nothing is set", {}, ENGLISH],
    ["nothing when it is not known", { LANG: "fr_FR.UTF-8" }, ENGLISH],
  ])("comes from %s", async (_where, env, words) => {
    expect(await explained(["RateLimited"], env)).toContain(words.user);
  });

  it("requested explicitly wins over the environment", async () => {
    expect(await explained(["RateLimited", "--locale", "en"], { LANG: "zh_CN.UTF-8" })).toContain(ENGLISH.user);
  });
});

describe("explain --json", () => {
  it("has the fault, its words, traits, other names and policy", async () => {
    const document = jsonOf(await runCli(["explain", "ratelimited", "--json", "--locale", "zh-CN"]));
    expect(Object.keys(document as object)).toEqual(["fault", "words", "traits", "vocabulary", "policy"]);
    expect(document).toMatchObject({
      fault: { code: "RateLimited", class: "ProviderTransient", retryable: true },
      words: { ...CHINESE },
      traits: { ...traitsOf("RateLimited") },
      vocabulary: { ...VOCABULARY.RateLimited },
      policy: {
        match: "code RateLimited",
        retry: { maxAttempts: 6 },
        then: ["fallback", "alternative", "default", "skip", "park", "ask", "surface", "fail"],
      },
    });
  });
});

describe("explain with a correlation id", () => {
  async function failed(): Promise<WorkflowWorld> {
    const world = new WorkflowWorld();
    const journal = await openJournal(world.path("runs.db"));
    const broken = stage({
      act: () => {
        throw new Error("could not load profile", { cause: new TypeError("x is not iterable") });
      },
    });
    const workflows = createWorkflows({ journal });
    const definition = defineWorkflow({ id: "w", stages: { coder: broken } });
    await workflows.runs.start(definition, { run: "ship" });
    await workflows.runs.advance("ship");
    await workflows.close();
    await journal.close();
    return world;
  }

  it.each(["ship", "ship/coder#1.1"])("%s shows the chain of causes with its stacks", async (id) => {
    const world = await failed();
    const got = await runCli(["explain", id, "--journal", world.path("runs.db")]);
    expect(got).toMatchObject({ stderr: "", exit: "ok" });
    expect(got.stdout).toMatch(/thrown: Error: could not load profile\n +at .*explain\.test/);
    expect(got.stdout).toMatch(/caused by TypeError: x is not iterable\n +at .*explain\.test/);
    expect(got.stdout).toContain(wordsFor("Uncaught", "en").operator);
    const json = jsonOf(await runCli(["explain", id, "--json", "--journal", world.path("runs.db")]));
    expect(json).toMatchObject({ id, fault: { code: "Uncaught" } });
    expect(JSON.stringify(json)).toContain("x is not iterable");
  });

  it("says so when nothing failed under it, and names the journal", async () => {
    const world = await failed();
    for (const id of ["nobody", "ship/reviewer#1.1"]) {
      const { stderr, exit } = await runCli(["explain", id, "--journal", world.path("runs.db")]);
      expect(exit).toBe("usage");
      expect(stderr).toContain(`No failure is recorded under the id ${id}`);
    }
  });

  it("appears in `runs show`", async () => {
    const world = await failed();
    const { stdout } = await world.call(["runs", "show", "ship"]);
    expect(stdout).toMatch(/faultline.* explain .*ship\/coder#1\.1/);
  });
});
