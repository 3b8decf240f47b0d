// What package.json promises to those who install the package.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifestOf, ROOT } from "./stranger.ts";

const MANIFEST = manifestOf(ROOT);
const LOCK = readFileSync(join(ROOT, "package-lock.json"), "utf8");

describe("package.json", () => {
  it.each(Object.entries(MANIFEST.dependencies ?? {}))("lets a user have one copy of %s", (_name, range) => {
    expect(range, "a caret range: an exact version gives every program a second copy").toMatch(/^\^\d+\.\d+\.\d+$/);
  });

  it.each(Object.entries(MANIFEST.devDependencies))(
    "names one version of %s, which only we install",
    (_name, range) => {
      expect(range).toMatch(/^\d+\.\d+\.\d+$/);
    },
  );

  it("locks versions, and no download addresses", () => {
    expect(LOCK).not.toContain('"resolved"');
    expect(LOCK).not.toMatch(/https?:\/\/registry/);
  });

  it.each(Object.keys(MANIFEST.peerDependencies))("works without %s", (name) => {
    expect(MANIFEST.peerDependenciesMeta[name]?.optional).toBe(true);
  });

  /** The packages of AI SDK 5, 6 and 7, whose models have the interfaces v2, v3 and v4. */
  it.each([
    ["@ai-sdk/openai", [2, 3, 4]],
    ["@ai-sdk/anthropic", [2, 3, 4]],
    ["@ai-sdk/google", [2, 3, 4]],
    ["@ai-sdk/openai-compatible", [1, 2, 3]],
  ])("accepts %s of every AI SDK that it adapts", (name, majors) => {
    expect(MANIFEST.peerDependencies[name]).toBe(majors.map((major) => `^${major}.0.0`).join(" || "));
  });

  it("says where it comes from, where to report a bug, and what to search for", () => {
    const { repository, homepage, bugs, keywords, publishConfig } = MANIFEST;
    const [, address] = /^git\+(https:\/\/.+)\.git$/.exec(repository?.url ?? "") ?? [];
    expect(homepage).toContain(address);
    expect(bugs).toEqual({ url: `${address}/issues` });
    expect(keywords?.length).toBeGreaterThan(10);
    expect(publishConfig).toEqual({ access: "public", provenance: true });
  });
});
