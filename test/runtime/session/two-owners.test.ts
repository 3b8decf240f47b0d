// A session belongs to one process at a time. If another one opens it too, the first says so at its next write, in words a person can act on.

import { expect, it, onTestFinished } from "vitest";
import { createFaultline, createMemoryJournal } from "../../../src/index.ts";

it("says that another Faultline has the session open, and what to do", async () => {
  const journal = createMemoryJournal();
  const [first, second] = [createFaultline({ journal }), createFaultline({ journal })];
  onTestFinished(async () => {
    await first.close();
    await second.close();
  });
  const mine = await first.session("shared");
  const theirs = await second.session("shared");
  await theirs.call(() => 1, { id: "work" });
  const outcome = await mine.protect(() => 2, { id: "work" });
  expect(outcome).toMatchObject({ status: "failed", fault: { code: "EngineState", context: { session: "shared" } } });
  const { message } = (outcome as { fault: { message: string } }).fault;
  expect(message).toContain("another process, or another Faultline in this one, has this session open");
  expect(message).toContain("end the other one, then open the session again");
});
