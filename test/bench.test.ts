// The benchmark that README quotes runs, and prints what it promises. What it measures is not asserted here.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("bench:classify prints accuracy, speed and growth", () => {
  const script = fileURLToPath(new URL("../bench/classify.ts", import.meta.url));
  const printed = execFileSync(process.execPath, [script, "--quick"], { encoding: "utf8" });
  expect(printed.match(/three-way \d+\.\d %/g)).toHaveLength(8);
  expect(printed).toMatch(/classify, structured signals +[\d,]+ a second/);
  expect(printed).toMatch(/1000 kB of log +\d+ µs +\d+\.\d\d× for ten times the text/);
});

it("bench:postgres compares the journal with a bare client, one at a time and with many writers", () => {
  const script = fileURLToPath(new URL("../bench/postgres.ts", import.meta.url));
  const printed = execFileSync(process.execPath, [script, "--quick"], { encoding: "utf8" });
  for (const name of ["one at a time", "64 writers"])
    expect(printed).toMatch(
      new RegExp(`${name} +journal [\\d,]+ \\(CPU [^)]+\\), bare client [\\d,]+ \\(CPU [^)]+\\): \\d+ %`),
    );
});
