// The warning about a secret in a file does not print it, whatever it looks like and whatever else is wrong beside it.

import { expect, it } from "vitest";
import { WorkflowWorld } from "./workflow-world.ts";

const SECRETS = ["hunter2plain", '"two words"', "'it''s mine'", "73519264", "[hunter2plain, other]", "abc"];

it.each(SECRETS)("a default of %s is reported and not shown", async (written) => {
  const world = new WorkflowWorld();
  const file = world.write(
    "w.yaml",
    `faultline: 1
workflow: { id: w, version: "1" }
inputs:
  pin:
    secret: true
    default: ${written}
    enum: [${written.startsWith("[") ? "x" : written}]
nodes:
  a: { type: transform, value: "1", next: nowhere }
`,
  );
  for (const args of [
    ["workflow", "check", file],
    ["workflow", "check", file, "--json"],
    ["workflow", "run", file],
  ]) {
    const { stdout, stderr } = await world.call(args);
    const shown = stdout + stderr;
    expect(shown).toContain("WFL028");
    for (const part of written.split(/[^\w]+/).filter((one) => one.length > 1 && one !== "it")) {
      expect(shown.replaceAll(file, "")).not.toContain(part);
    }
  }
});
