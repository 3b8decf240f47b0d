// A gateway file is followed wherever it lies, and until its settings are in force.

import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import { followGatewayFile } from "../../src/server/gateway-file.ts";
import { isMissingFile } from "../../src/host/missing-file.ts";
import { tempFolder } from "../journal/temp-folder.ts";

const textFor = (model: string): string => `
version: 1
targets: { one: { dialect: openai-chat, base_url: "http://127.0.0.1:9/v1" } }
routes: { ${model}: { chain: [one] } }
`;

interface Followed {
  /** The names of the routes that were loaded, and every other state. */
  readonly news: string[];
  readonly warnings: string[];
}

/** `fails`: how often settings cannot be taken over at first. */
function follow(file: string, fails = 0): Followed {
  const [news, warnings]: [string[], string[]] = [[], []];
  let left = fails;
  const unfollow = followGatewayFile({
    file,
    text: textFor("start"),
    env: {},
    clock: systemClock,
    read: async (path) => {
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        if (isMissingFile(error)) return null;
        throw error;
      }
    },
    onNews: (one) => {
      if (left-- > 0) return Promise.reject(new Error("the journal is locked"));
      news.push(one.state === "loaded" ? (one.settings.routes[0]?.name ?? "") : one.state);
      return Promise.resolve();
    },
  });
  const listen = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", listen);
  onTestFinished(() => {
    unfollow();
    process.off("warning", listen);
  });
  return { news, warnings };
}

/** Ways in which a file may be where no watcher of its folder sees that it changes. */
const PLACES: Readonly<Record<string, (real: string, shown: string) => void>> = {
  "a link to the file": symlinkSync,
  "a link to its folder": (real, shown) => {
    rmSync(dirname(shown), { recursive: true });
    symlinkSync(dirname(real), dirname(shown));
  },
};

it.each(Object.keys(PLACES))("a file that is behind %s is loaded when it changes", async (name) => {
  const folder = tempFolder();
  onTestFinished(() => folder.remove());
  const [real, shown] = [folder.file("real/gateway.yaml"), folder.file("shown/gateway.yaml")];
  for (const place of [real, shown]) mkdirSync(dirname(place));
  writeFileSync(real, textFor("start"));
  PLACES[name]?.(real, shown);
  const { news } = follow(shown);
  writeFileSync(real, textFor("changed"));
  await expect.poll(() => news, { timeout: 10_000 }).toEqual(["changed"]);
  rmSync(real);
  await expect.poll(() => news, { timeout: 10_000 }).toEqual(["changed", "gone"]);
});

it("settings that could not be taken over are taken over later, with one warning", async () => {
  const folder = tempFolder();
  onTestFinished(() => folder.remove());
  const file = folder.file("gateway.yaml");
  const { news, warnings } = follow(file, 3);
  writeFileSync(file, textFor("changed"));
  await expect.poll(() => news, { timeout: 15_000 }).toEqual(["changed"]);
  expect(warnings).toEqual([expect.stringContaining("the journal is locked")]);
});

it("a file that is a folder for a while is reported once, and read again when it is back", async () => {
  const folder = tempFolder();
  onTestFinished(() => folder.remove());
  const [file, aside] = [folder.file("gateway.yaml"), folder.file("aside")];
  writeFileSync(file, textFor("start"));
  const { news, warnings } = follow(file);
  rmSync(file);
  mkdirSync(join(file, "inner"), { recursive: true });
  await expect.poll(() => warnings, { timeout: 10_000 }).toEqual([expect.stringContaining("EISDIR")]);
  renameSync(file, aside);
  writeFileSync(file, textFor("changed"));
  await expect.poll(() => news.at(-1), { timeout: 10_000 }).toBe("changed");
  expect(warnings).toHaveLength(1);
});
