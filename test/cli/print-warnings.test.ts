// Warnings of the process become lines of the command: once a minute each, in the user's language, and only those of Faultline.

import { expect, it } from "vitest";
import { warningLines, warningPrinter } from "../../src/cli/print-warnings.ts";
import { fault } from "../../src/core/index.ts";
import { warn } from "../../src/journal/warnings.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";

/** As a listener of the process gets it. */
function warned(message: string): Promise<Error> {
  const got = new Promise<Error>((resolve) => void process.once("warning", resolve));
  warn(fault("StoreUnavailable", { message }), "writing to the journal");
  return got;
}

function teller(locale: "en" | "zh-CN") {
  const said: string[] = [];
  const clock = createFakeClock();
  const stderr = { isTTY: false, columns: 80, write: (text: unknown) => Promise.resolve(void said.push(String(text))) };
  return { said, clock, tell: warningPrinter({ clock, stderr, locale }) };
}

it("says what was being done and what happened", async () => {
  const english = teller("en");
  const chinese = teller("zh-CN");
  const warning = await warned("The journal is closed. Open it again, or call createFaultline again, to continue.");
  expect([english.tell(warning), chinese.tell(warning)]).toEqual([true, true]);
  expect(english.said).toEqual([
    "faultline: While writing to the journal: The journal is closed. Open it again, or call createFaultline again, to continue.\n",
  ]);
  expect(chinese.said).toEqual([
    "faultline: 写入日志时出错：日志已关闭。请重新打开它，或重新调用 createFaultline，然后再继续。\n",
  ]);
});

it("repeats the same trouble after a minute only", async () => {
  const { said, clock, tell } = teller("en");
  const warning = await warned("no answer");
  for (let second = 0; second < 60; second++) {
    tell(warning);
    await clock.advance(1_000);
  }
  expect(said).toHaveLength(1);
  tell(warning);
  expect(said).toHaveLength(2);
});

it("repeats a warning of a command's own journal after a minute only, too", async () => {
  const said: string[] = [];
  const clock = createFakeClock();
  const stderr = { isTTY: true, columns: 40, write: (text: unknown) => Promise.resolve(void said.push(String(text))) };
  const print = warningLines({ clock, stderr, locale: "en" });
  for (let second = 0; second < 60; second++) {
    print(fault("StoreUnavailable", { message: "no answer" }), "connecting to the journal's database; trying again");
    await clock.advance(1_000);
  }
  expect(said).toEqual(["faultline: While connecting to the\n  journal's database; trying again: no\n  answer\n"]);
});

it("leaves other warnings alone", () => {
  const { said, tell } = teller("en");
  expect(tell(new Error("something is deprecated"))).toBe(false);
  expect(said).toEqual([]);
});
