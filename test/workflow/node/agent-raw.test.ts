// The log of what agents printed, for the file of a failed stage.

import { describe, expect, it } from "vitest";
import { RawLog } from "../../../src/workflow/node/agent-raw.ts";

const MOST_CHARS = 8_388_608;
const CUT = "… [cut: the rest of the output is not kept here]\n";

function logOf(write: (log: RawLog) => void): string {
  let text = "";
  write(new RawLog((part) => (text += part)));
  return text;
}

describe("the raw log of a stage", () => {
  it.each([
    { chars: MOST_CHARS - 1, isKept: true },
    { chars: MOST_CHARS, isKept: false },
  ])("keeps 8 MiB of printed lines with their line breaks: a line of $chars characters is kept: $isKept", (row) => {
    const line = "x".repeat(row.chars);
    const text = logOf((log) => {
      log.printed(line);
      log.printed("more");
      log.printed("and more");
    });
    expect(text === (row.isKept ? `${line}\n${CUT}` : CUT)).toBe(true);
  });

  it("says that an answer was given before only if no target has logged it since the last answer", () => {
    const text = logOf((log) => {
      log.answered("one");
      log.section("gpt", "two");
      log.answered("two");
      log.answered("three");
    });
    expect(text).toBe("\n### answered before\n\none\n\n### gpt\n\ntwo\n\n### answered before\n\nthree\n");
  });
});
