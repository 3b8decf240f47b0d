// A program on a journal that other processes share: `node member-process.ts <journal>`. It takes one command per line on stdin, as
// JSON, and prints one answer per command.

import { createInterface } from "node:readline";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { createFaultline, fault, FaultError, type FaultCode, tool } from "../../../src/index.ts";
import { BUDGET } from "./budget-of-members.ts";
import type { MemberCommand } from "./start-member.ts";

const [, , journal = ""] = process.argv;

/** A short probe timeout, so that the probe of a process that was killed does not hold the others up for long. */
const fl = createFaultline({
  journal,
  policy: {
    ...DEFAULT_POLICY,
    learnsAfter: 0,
    breaker: { ...DEFAULT_POLICY.breaker, failures: 3, openMs: 3_600_000, probeTimeoutMs: 100 },
    retryBudget: { capacity: BUDGET, perCall: 0, perSecond: 0 },
  },
});

interface Input {
  readonly fails?: FaultCode;
  readonly retryAfterMs?: number;
  readonly hangs?: boolean;
}

const api = (target: string, maxAttempts: number) =>
  tool<Input, string>({
    id: target,
    idempotent: true,
    retry: { maxAttempts, backoff: { initialMs: 20 } },
    run: async ({ fails, retryAfterMs, hangs }) => {
      if (hangs === true) await new Promise(() => undefined);
      if (fails !== undefined)
        throw new FaultError(fault(fails, { message: `${fails} with sk-${"a".repeat(40)}`, retryAfterMs }));
      return "done";
    },
  });
const tools = new Map<string, ReturnType<typeof api>>();

function toolOf(target: string, maxAttempts: number): ReturnType<typeof api> {
  const key = `${target} ${maxAttempts}`;
  const made = tools.get(key) ?? api(target, maxAttempts);
  tools.set(key, made);
  return made;
}

async function obey(command: MemberCommand): Promise<unknown> {
  switch (command.do) {
    case "call": {
      const { target, input = {}, attempts = 1, deadlineMs = 60_000 } = command;
      const { status, attempts: made, ...rest } = await fl.protect(toolOf(target, attempts), input, { deadlineMs });
      return {
        status,
        attempts: made,
        ...("fault" in rest ? { code: rest.fault.code, message: rest.fault.message } : {}),
      };
    }
    case "isolate":
      return fl.isolate(command.target, "maintenance");
    case "release":
      return fl.release(command.target);
    case "probe":
      return fl.probe(command.target);
    case "report":
      await fl.ready();
      return fl.targets().find(({ target }) => target === command.target) ?? null;
    case "until":
      await fl.ready();
      for (;;) {
        const report = fl.targets().find(({ target }) => target === command.target);
        if (Object.entries(command.shows).every(([name, value]) => report?.[name as "breaker"] === value))
          return report;
        await new Promise((resolve) => void systemClock.after(5, () => resolve(undefined)));
      }
    case "alive":
      // Lists only what keeps the process alive.
      return process.getActiveResourcesInfo().filter((resource) => resource !== "PipeWrap");
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = (await obey(JSON.parse(line) as MemberCommand)) ?? null;
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
