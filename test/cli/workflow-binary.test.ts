// `faultline workflow` and `faultline runs` from a shell: the built program, its exit codes, its default journal.

import { describe, expect, it } from "vitest";
import { runCli, runShell } from "../support/run-cli.ts";
import { GATED, QUICK } from "./workflow-world.ts";

describe("the built program", () => {
  it("runs, waits, is answered and continues, in a journal it creates by itself", async () => {
    const { stdout, stderr, exit } = await runShell(
      [
        "faultline workflow run gated.yaml --run ship; echo $?",
        "ls -A",
        "faultline runs answer last yes; echo $?",
        "faultline runs list --json",
      ].join("\n"),
      { files: { "gated.yaml": GATED } },
    );
    expect(exit).toBe("ok");
    expect(stdout).toMatch(
      /^4\n\.faultline\ngated\.yaml\nshipped\n0\n\[\{"run":"ship",.*"status":"completed".*\}\]\n$/,
    );
    expect(stderr).toContain("faultline: Next: faultline runs answer ship 'yes|no'\n");
  });

  it("exits with 3 for a file with mistakes, and shows where", async () => {
    const files = { "bad.yaml": QUICK.replace("type: transform", "type: transfrom") };
    const { stderr, exit } = await runCli(["workflow", "check", "bad.yaml"], { files });
    expect(exit).toBe("config");
    expect(stderr).toContain("--> bad.yaml:7:16");
  });

  it("keeps stdout for the result", async () => {
    const args = ["workflow", "run", "quick.yaml", "--json", "--input", "times=3"];
    const { stdout, exit } = await runCli(args, { files: { "quick.yaml": QUICK } });
    expect(exit).toBe("ok");
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "fine", output: { times: 3 } });
  });

  it("says when there is no journal", async () => {
    const { stdout, stderr, exit } = await runCli(["runs", "list"]);
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toContain(".faultline/journal.db");
  });
});
