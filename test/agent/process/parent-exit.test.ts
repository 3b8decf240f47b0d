// When the program itself ends, what it started does not stay behind: not even what ignores SIGTERM, and not its children.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startWitness, type Witness } from "./children.ts";

const SUPPORT = fileURLToPath(new URL("./children.ts", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../../src/agent/process/run-process.ts", import.meta.url));

let witness: Witness;
beforeEach(async () => void (witness = await startWitness()));
afterEach(() => witness.close());

describe("a program that ends", () => {
  it.each([
    ["by process.exit", `process.exit(3)`, { code: 3, signal: null }],
    ["by an uncaught error", `throw new Error("planned")`, { code: 1, signal: null }],
    ["by SIGTERM", `process.kill(process.pid, "SIGTERM")`, { code: null, signal: "SIGTERM" }],
    ["by SIGINT", `process.kill(process.pid, "SIGINT")`, { code: null, signal: "SIGINT" }],
    ["by SIGHUP", `process.kill(process.pid, "SIGHUP")`, { code: null, signal: "SIGHUP" }],
    [
      "by a SIGTERM it handles",
      `process.on("SIGTERM", () => process.exit(7)); process.kill(process.pid, "SIGTERM")`,
      { code: 7, signal: null },
    ],
  ])("%s takes its processes with it", async (_title, ending, expected) => {
    const stubborn = `${witness.code} process.on("SIGTERM", () => {});`;
    const grandchild = JSON.stringify(`${stubborn} witness("grandchild")`);
    const child = JSON.stringify(
      `${stubborn} require("node:child_process").spawn(process.execPath, ["-e", ${grandchild}], { stdio: "ignore" }); witness("child")`,
    );
    const program = `import { runProcess } from ${JSON.stringify(SOURCE)};
      import { ears, nodeSpec } from ${JSON.stringify(SUPPORT)};
      runProcess(nodeSpec(${child}), ears());
      process.stdin.once("data", () => { ${ending} });`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = new Promise((resolve) => parent.on("exit", (code, signal) => resolve({ code, signal })));
    await Promise.all([witness.arrived("child"), witness.arrived("grandchild")]);
    parent.stdin.write("end\n");
    expect(await ended).toEqual(expected);
    await Promise.all([witness.left("child"), witness.left("grandchild")]);
  });
});
