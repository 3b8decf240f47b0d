// What schemas demand of a text is said in Chinese, too.

import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { demandInWords } from "../../src/yaml-file/demand-words.ts";

it("knows every demand of every schema in Chinese", () => {
  const demands = globSync("src/**/*schema.ts").flatMap((file) =>
    Array.from(readFileSync(file, "utf8").matchAll(/"(must [^"]+)"/g), ([, demand = ""]) => demand),
  );
  expect(demands.length).toBeGreaterThan(8);
  expect(demands.filter((demand) => demandInWords(demand, "zh-CN") === demand)).toEqual([]);
});

it("leaves other sentences as they are", () => {
  expect(demandInWords("Invalid URL", "zh-CN")).toBe("Invalid URL");
  expect(demandInWords("must be an http or https address", "en")).toBe("must be an http or https address");
});
