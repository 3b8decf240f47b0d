// The documentation site: pages made from code are complete, and links that lead nowhere are found. `npm run site` builds it.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { brokenLinks } from "../site/links.ts";
import { referencePages } from "../site/reference-pages.ts";
import { sitePage, withReadmeSections } from "../site/repository-page.ts";
import { placeOf, ROOMS } from "../site/rooms.ts";
import { RUN_EVENTS } from "../site/event-words.ts";
import { PROVIDER_SETTINGS } from "../src/cli/config/provider-settings.ts";
import { SETTINGS } from "../src/cli/config/settings.ts";
import { NOTICE_KINDS } from "../src/server/notify/notice.ts";
import { FAULT_CODES } from "../src/core/index.ts";

const PAGES = referencePages();
const SITE = new URL("../site/pages/", import.meta.url);
const CONFIG = readFileSync(new URL("../site/.vitepress/config.mjs", import.meta.url), "utf8");
const written = readdirSync(SITE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
const docs = readdirSync(new URL("../docs/", import.meta.url), { recursive: true, encoding: "utf8" });
const all = new Set([...PAGES.keys(), ...written, ...docs.map(placeOf), "changelog.md"]);

describe("the reference", () => {
  it.each(FAULT_CODES)("has a page about %s, with what to do", (code) => {
    const page = PAGES.get(`reference/codes/${code}.md`) ?? "";
    for (const part of [
      `# ${code}\n`,
      "## What to do\n\n",
      "## What Faultline does\n\nBy the default policy: ",
      "## What it looks like\n\n",
    ])
      expect(page).toContain(part);
    expect(page).not.toMatch(/: undefined|\[object Object/);
  });

  it("shows real examples of most codes", () => {
    const shown = FAULT_CODES.filter((code) => PAGES.get(`reference/codes/${code}.md`)?.includes("```text"));
    expect(shown.length).toBeGreaterThan(FAULT_CODES.length / 2);
  });

  it.each(["faultline runs list", "faultline completion", "faultline gateway"])("has the help of %s", (command) => {
    expect(PAGES.get("reference/commands.md")).toMatch(new RegExp(`## ${command}\n[^#]*Examples:`));
  });
});

describe("the tables of the reference", () => {
  const config = PAGES.get("reference/config.md") ?? "";
  const events = PAGES.get("reference/events.md") ?? "";

  it.each([...Object.keys(SETTINGS), ...PROVIDER_SETTINGS.map(([name]) => name)])("have the setting %s", (name) => {
    expect(config).toContain(`| \`${name}\` |`);
  });

  // The compiler checks that the table of events has all of them.
  it.each([...Object.keys(RUN_EVENTS), ...NOTICE_KINDS])("have the event %s", (type) => {
    expect(events).toMatch(new RegExp(`\\| \`dev\\.faultline\\.(?:notice\\.)?${type}\` \\|`));
  });
});

describe("the site", () => {
  it.each([
    ...["start/index.md", "start/compare.md", "start/FAQ.md"],
    ...["concepts/index.md", "concepts/journal.md", "concepts/chains.md"],
    ...["how-to/index.md", "how-to/DROP-IN.md", "how-to/integrations.md", "how-to/COMING-FROM.md"],
    ...["how-to/PRODUCTION.md", "how-to/SERVERLESS.md", "how-to/BUNDLERS.md", "how-to/TEST-YOUR-AGENT.md"],
    ...["reference/index.md", "reference/codes/index.md", "reference/commands.md", "reference/CLI.md"],
    ...["reference/SERVER.md", "reference/GATEWAY.md", "reference/config.md", "reference/events.md"],
    ...["reference/metrics.md", "operate/index.md", "operate/OPERATE.md", "operate/runbook.md"],
  ])("has %s, and a way there", (page) => {
    expect(all).toContain(page);
    const [folder = ""] = page.split("/");
    const index = [readFileSync(new URL(`${folder}/index.md`, SITE), "utf8"), CONFIG].join("\n");
    if (!page.endsWith("/index.md")) expect(index).toContain(page.slice(folder.length + 1));
    expect(CONFIG).toContain(`/${folder}/`);
  });

  it("has one place for each page of docs/", () => {
    const stems = docs.filter((name) => /^[^/]+\.md$/.test(name)).map((name) => name.replace(/\.md$/, ""));
    const placed = Object.values<readonly string[]>(ROOMS).flat();
    expect(placed.filter((stem) => !stem.includes("/")).toSorted()).toEqual(stems.toSorted());
  });
});

describe("a page of the repository on the site", () => {
  const shown = (text: string): string => sitePage("docs/GATEWAY.md", "reference/GATEWAY.md", text);

  it.each([
    ["a page of its own room", "[p](PROVIDERS.md#streams)", "[p](./PROVIDERS.md#streams)"],
    ["a page of another room", "[s](SCALE.md)", "[s](../operate/SCALE.md)"],
    ["a page by its file name", "[POLICY.md](POLICY.md#layers)", "[Policies](./POLICY.md#layers)"],
    ["a decision", "[d](decisions/0001-one-package.md)", "[d](../concepts/decisions/0001-one-package.md)"],
    ["a picture", "![x](images/run-light.png)", "![x](./images/run-light.png)"],
    ["an example", "[8](../examples/08-model-chain.ts)", "[8](./LIBRARY.md#example-08)"],
    ["an integration", "[m](../examples/integrations/mastra.ts)", "[m](../how-to/integrations.md#mastra)"],
    ["an address", "[e](https://example.com/a.html)", "[e](https://example.com/a.html)"],
    ["a heading", "[h](#errors)", "[h](#errors)"],
    ["code", "```ts\nrun[name](file.ts);\n```", "```ts\nrun[name](file.ts);\n```"],
  ])("has links that work there: to %s", (_what, given, expected) => expect(shown(given)).toBe(expected));

  it("keeps only the words of a link to a file that the site does not show", () =>
    expect(shown("see [the guide](../CONTRIBUTING.md) and\n<!-- not this -->\nthat")).toBe("see the guide and\nthat"));

  it("can show a section of the README, whose figures then stand in one place", () => {
    const page = withReadmeSections("index.md", "<!-- README: What is guaranteed -->");
    expect(page).toContain("npm run test:crash");
    expect(page).toContain("(./concepts/MEASURES.md)");
    expect(() => withReadmeSections("index.md", "<!-- README: Nothing -->")).toThrow('no section "Nothing"');
  });
});

describe("pages", () => {
  const texts = [...PAGES, ...written.map((name) => [name, readFileSync(new URL(name, SITE), "utf8")] as const)];
  it.each(texts)("%s links to pages that exist", (path, text) => {
    const links = Array.from(text.matchAll(/\]\(([^)#:\s]+\.md)(?:#[^)]*)?\)/g), ([, link = ""]) => link);
    expect(links.filter((link) => !all.has(normalize(join(dirname(path), link))))).toEqual([]);
  });
});

describe("broken links", () => {
  it("are found: pages, anchors, and what would be loaded from elsewhere", () => {
    const folder = mkdtempSync(join(tmpdir(), "faultline-site-"));
    mkdirSync(join(folder, "a"));
    writeFileSync(
      join(folder, "index.html"),
      '<h2 id="here"></h2><a href="a/b.html#there">1</a><a href="/a/b">2</a><a href="#here">3</a>',
    );
    writeFileSync(
      join(folder, "a", "b.html"),
      '<h2 id="there"></h2><a href="../index.html#gone">1</a><a href="c.html">2</a><a href="https://example.com">3</a><script src="https://example.com/x.js"></script>',
    );
    expect(brokenLinks(folder)).toEqual([
      "a/b.html → ../index.html#gone",
      "a/b.html → c.html",
      "a/b.html → https://example.com/x.js",
    ]);
  });
});
