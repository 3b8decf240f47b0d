// What a person does to a target, with the calls of another program that feel it.

import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import { createFaultline, fault, FaultError, openJournal, tool } from "../../src/index.ts";
import { startWorld } from "../server/world.ts";
import { inBrowser, look } from "./browser.ts";

interface Program {
  /** What a call of it comes to: its value, or the code of its fault. */
  readonly call: () => Promise<string>;
  /** Resolves when the program knows this state of the breaker. */
  readonly knows: (breaker: string) => Promise<void>;
  readonly mend: () => void;
}

/** A program on the server's journal whose tool is down until it is mended. */
async function program(journalFile: string): Promise<Program> {
  const fl = createFaultline({ journal: await openJournal(journalFile, { clock: systemClock }) });
  onTestFinished(() => fl.close());
  let isMended = false;
  const payments = tool({
    ...{
      id: "payments",
      idempotent: true,
      retry: { maxAttempts: 1 },
      breaker: { failures: 2, successes: 1, openMs: 3_600_000 },
    },
    run: () => {
      if (isMended) return "paid";
      throw new FaultError(fault("ToolUnavailable", { message: "502 from the gateway" }));
    },
  });
  const breakerNow = (): unknown => fl.targets().find(({ target }) => target === "payments")?.breaker;
  return {
    mend: () => void (isMended = true),
    knows: (breaker) => expect.poll(breakerNow, { timeout: 30_000, interval: 20 }).toBe(breaker),
    call: async () => {
      const outcome = await fl.protect(payments, {});
      return outcome.status === "done" ? outcome.value : outcome.fault.code;
    },
  };
}

inBrowser("a target", () => {
  it("is probed, isolated and put back into service from its buttons, and the calls of a program feel it", async () => {
    const world = await startWorld({ drive: false });
    const { call, knows, mend } = await program(world.journalFile);
    expect([await call(), await call(), await call()]).toEqual(["ToolUnavailable", "ToolUnavailable", "CircuitOpen"]);
    const page = await look(world, "/targets?target=payments");
    const panel = page.getByRole("region", { name: "Target payments" });
    const says = (state: string): Promise<void> => panel.locator(".pill").getByText(state, { exact: true }).waitFor();
    await says("Out of service");
    mend();
    await panel.getByRole("button", { name: "Probe now" }).click();
    await says("Being tried");
    await knows("half-open");
    expect(await call()).toBe("paid");

    await says("In service");
    await panel.getByRole("button", { name: "Isolate" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("billing is broken");
    await dialog.getByRole("button", { name: "Isolate" }).click();
    await dialog.waitFor({ state: "detached" });
    await says("Isolated");
    await panel.getByText("billing is broken", { exact: false }).waitFor();
    await knows("isolated");
    expect(await call()).toBe("CircuitOpen");

    await panel.getByRole("button", { name: "Put back into service" }).click();
    await dialog.getByRole("button", { name: "Put back into service" }).click();
    await dialog.waitFor({ state: "detached" });
    await says("In service");
    await knows("closed");
    expect(await call()).toBe("paid");
  });
});
