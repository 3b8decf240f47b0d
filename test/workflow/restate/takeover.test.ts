// When a worker takes runs over from workers at a newer address, look by look. A server on loopback answers as Restate's admin API does;
// restate-driver.test.ts does the same with a real Restate.

import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryJournal } from "../../../src/index.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { createRestateDriver } from "../../../src/workflow/restate/restate-driver.ts";
import { worker } from "../../support/engine-world.ts";

const NEWER = "http://newer.test:9080/";
const LOOK_EVERY_MS = 1_000;
const ASK_EVERY_MS = 10 * LOOK_EVERY_MS;
/** Restate knows no worker. */
const FORGOTTEN = null;

interface Deployment {
  readonly uri: string;
  readonly dry_run?: boolean;
  readonly force?: boolean;
}

interface Watched {
  readonly warnings: readonly string[];
  /** Deployments that were made, without those that only tried an address. */
  readonly made: readonly Deployment[];
  /** The addresses that Restate was asked to try. */
  readonly tried: readonly string[];
  readonly own: string;
  /** How often the worker asked where Restate sends runs. */
  readonly asked: () => number;
  /** Time passes, and the worker looks. */
  readonly pass: (ms: number) => Promise<void>;
}

interface AdminOptions {
  /** Where Restate sends runs. */
  readonly usedAt: (own: string) => string | null;
  /** Whether the workers there answer, ask by ask. */
  readonly reached?: readonly boolean[];
  /** The service that Restate knows at the worker's own address from before. */
  readonly knew?: string | null;
}

/** A worker of a journal whose Restate sends runs to `usedAt`. */
async function watched({ usedAt, reached = [], knew = null }: AdminOptions): Promise<Watched> {
  const clock = createFakeClock(1_000_000);
  const stored = createMemoryJournal({ clock });
  const service = `faultline-${stored.storeId.replaceAll(/[^\w-]/g, "_")}`;
  const [made, tried, warnings]: [Deployment[], string[], string[]] = [[], [], []];
  let [looks, asked] = [0, 0];
  const journal = {
    ...stored,
    keptByTime: ((...query) => {
      looks += 1;
      return stored.keptByTime(...query);
    }) as typeof stored.keptByTime,
  };

  const deploy = (deployment: Deployment): number => {
    if (deployment.dry_run !== true) return made.push(deployment) && 201;
    tried.push(deployment.uri);
    return (reached[tried.length - 1] ?? true) ? 200 : 400;
  };
  /** Without `force`, Restate answers what it knows of an address and does not try it. */
  const knownOf = ({ uri, force }: Deployment): string | null => {
    if (force === true) return null;
    if (uri === own()) return knew;
    return uri === usedAt(own()) ? service : null;
  };
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const path = request.url ?? "";
      const reply = (status: number, content: unknown): void =>
        void response.writeHead(status).end(JSON.stringify(content));
      if (request.method === "POST") {
        const deployment = JSON.parse(body) as Deployment;
        const known = knownOf(deployment);
        if (known !== null) return reply(200, { services: [{ name: known }] });
        return reply(deploy(deployment), { services: [{ name: service }] });
      }
      if (path.startsWith("/deployments/")) return reply(200, { uri: usedAt(own()) });
      asked += 1;
      return reply(usedAt(own()) === null ? 404 : 200, { deployment_id: "dp_1" });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  onTestFinished(() => void server.close());

  const nothing = (): Promise<void> => Promise.resolve();
  const driver = createRestateDriver(
    {
      runs: {
        advance: () => Promise.reject(new Error("no run is due")),
        held: () => Promise.resolve(new Set()),
        onDue: () => () => undefined,
        drain: nothing,
        stop: nothing,
      },
      journal,
      clock,
      worker: worker(),
    },
    {
      url: `restate://127.0.0.1:${port}?admin=127.0.0.1:${port}`,
      worker: { port: 0 },
      onWarning: (_run, { code, message }) => void warnings.push(`${code}: ${message}`),
    },
  );
  const own = (): string => `http://127.0.0.1:${driver.port}`;
  await driver.start();
  onTestFinished(() => driver.stop());
  return {
    ...{ warnings, made, tried, own: own(), asked: () => asked },
    async pass(ms) {
      await clock.advance(ms);
      const before = looks;
      // Looks wait for each other: when this one has looked, every earlier one is over.
      driver.poke();
      await expect.poll(() => looks).toBeGreaterThan(before);
      driver.poke();
      await expect.poll(() => looks).toBeGreaterThan(before + 1);
    },
  };
}

const newer = (): string => NEWER;
const isTakenOver = ({ made }: Watched): boolean => made.length > 1;

describe("a worker whose Restate sends runs to another address", () => {
  it.each<{ readonly what: string; readonly reached: readonly boolean[]; readonly isTaken: boolean }>([
    { what: "always answer", reached: [true, true, true, true, true], isTaken: false },
    { what: "did not answer once", reached: [false], isTaken: false },
    { what: "did not answer twice", reached: [false, false], isTaken: false },
    { what: "did not answer three times in a row", reached: [false, false, false], isTaken: true },
    { what: "answer again after two times", reached: [false, false, true, false, false], isTaken: false },
    { what: "answered until they were killed", reached: [true, true, false, false, false], isTaken: true },
    {
      what: "answered in between, and then no more",
      reached: [false, false, true, false, false, false],
      isTaken: true,
    },
  ])("with workers there that $what: takes their runs over: $isTaken", async ({ reached, isTaken }) => {
    const one = await watched({ usedAt: newer, reached });
    for (const [index] of reached.entries()) {
      expect(isTakenOver(one)).toBe(false);
      await one.pass(ASK_EVERY_MS);
      expect([one.asked(), one.tried.length]).toEqual([index + 1, index + 1]);
    }
    expect(new Set(one.tried)).toEqual(new Set([NEWER]));
    expect(one.made.slice(1)).toEqual(isTaken ? [{ uri: one.own, force: true }] : []);
    const says = `NetworkDisconnect: Restate reached no worker at ${NEWER}, where it sent runs; it sends them to ${one.own} now`;
    expect(one.warnings).toEqual(isTaken ? [says] : []);
  });

  it("asks at every tenth look, not before", async () => {
    const one = await watched({ usedAt: newer });
    await one.pass(ASK_EVERY_MS - 1);
    expect(one.asked()).toBe(0);
    await one.pass(1);
    expect(one.asked()).toBe(1);
    await one.pass(ASK_EVERY_MS - 1);
    expect(one.asked()).toBe(1);
  });

  it("counts from the start after it has taken runs over, so workers that come back are not robbed at once", async () => {
    const one = await watched({ usedAt: newer, reached: [false, false, false, false, false, true] });
    for (let ask = 0; ask < 6; ask++) await one.pass(ASK_EVERY_MS);
    expect(one.made).toHaveLength(2);
  });

  it("does not try its own address, however it is written", async () => {
    const one = await watched({ usedAt: (own) => `${own}/` });
    for (let ask = 0; ask < 4; ask++) await one.pass(ASK_EVERY_MS);
    expect([one.asked(), one.tried, one.made.length, one.warnings]).toEqual([4, [], 1, []]);
  });

  it("registers again, without a warning, when Restate has forgotten all workers", async () => {
    const one = await watched({ usedAt: () => FORGOTTEN });
    await one.pass(ASK_EVERY_MS);
    expect(one.made).toEqual([{ uri: one.own }, { uri: one.own }]);
    expect([one.tried, one.warnings]).toEqual([[], []]);
  });

  it("replaces another service that Restate knew at its address, once it has tried the address", async () => {
    const one = await watched({ usedAt: (own) => own, knew: "faultline-of-another-journal" });
    expect(one.tried).toEqual([one.own]);
    expect(one.made).toEqual([{ uri: one.own, force: true }]);
  });
});
