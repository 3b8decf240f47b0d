// Agent nodes on models: what they answer, how they use tools, and how failures on the way are handled.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { fault, FaultError, tool } from "../../../src/index.ts";
import { always, steps } from "../../provider/chain/chain-world.ts";
import { agentWorld, Died } from "./agent-world.ts";

const GPT = "gpt-5.5";
const CLAUDE = "claude-sonnet-4-5";

const REVIEW = {
  type: "object",
  required: ["decision", "must_fix"],
  properties: {
    decision: { type: "string", enum: ["approve", "reject"] },
    must_fix: { type: "array", items: { type: "string" } },
  },
} as const;

const FINDING_WORDS = {
  find: {
    description: "Finds a place",
    input: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  },
};

const completed = (output: unknown): unknown => ({
  end: "completed",
  output,
  route: { kind: "end", outcome: "completed" },
});

describe("an agent's node", () => {
  it("answers with the model's text for its system and prompt", async () => {
    const world = await agentWorld();
    const tried = await world.attempt({
      agent: { targets: [world.openai(GPT)], system: "You are {{ inputs.tone }}." },
      inputs: { task: "the work", tone: "brief" },
    });
    expect(tried.end).toEqual(completed(expect.stringContaining("You said: Do the work.")));
    expect(JSON.stringify(world.received()[0]?.body)).toContain("You are brief.");
    expect(tried.raw).toContain("### openai/gpt-5.5");
    expect(tried.raw).toContain("You said: Do the work.");
  });

  it("answers the same when it streams", async () => {
    const world = await agentWorld();
    const tried = await world.attempt({ agent: { targets: [world.anthropic(CLAUDE)], stream: true } });
    expect(tried.end).toEqual(completed(expect.stringContaining("You said: Do it.")));
    expect(world.received()[0]?.streaming).toBe(true);
    expect(tried.raw).toMatch(/### anthropic\/claude-sonnet-4-5\n\nYou said: Do it\./);
    expect(tried.raw).not.toContain("answered before");
  });

  it("fails with a typed fault when its prompt names a missing value, and asks no model", async () => {
    const world = await agentWorld();
    const { fault: seen } = await world.attempt({ agent: { targets: [world.openai(GPT)] }, inputs: {} });
    expect(seen?.code).toBe("ShapeInvalid");
    expect(world.received()).toEqual([]);
  });

  it("is skipped by its only_if before its prompt is composed", async () => {
    const world = await agentWorld();
    const { end } = await world.attempt({
      agent: { targets: [world.openai(GPT)] },
      node: { onlyIf: "inputs.wanted" },
      inputs: { wanted: false },
    });
    expect(end?.end).toBe("skipped");
  });
});

describe("its tools", () => {
  const call = (name: string): object => ({ call: { tool: "find", input: { name } } });

  it.each([false, true])(
    "that fail the same way twelve times end the loop with ToolLoop (stream: %s)",
    async (stream) => {
      const world = await agentWorld([steps(GPT, ...Array.from({ length: 20 }, () => call("oslo")))]);
      let runs = 0;
      const find = tool<{ readonly name: string }, string>({
        id: "find",
        run: () => {
          runs += 1;
          throw new FaultError(fault("NotFound", { message: "no such place" }));
        },
      });
      const { fault: seen } = await world.attempt({
        agent: { targets: [world.openai(GPT)], tools: ["find"], turnCap: 40, stream },
        tools: { find },
        words: FINDING_WORDS,
      });
      expect(seen).toMatchObject({ class: "Limit", code: "ToolLoop", context: { repeated: "find" } });
      expect(runs).toBe(12);
      const told = world.received().map(({ body }) => JSON.stringify(body).includes("failed 3 times with the same"));
      expect(told).toEqual([false, false, false, ...Array.from({ length: 9 }, () => true)]);
    },
  );

  it("end the loop as soon as the agent's own limit is reached", async () => {
    const world = await agentWorld([steps(GPT, ...Array.from({ length: 20 }, () => call("oslo")))]);
    let runs = 0;
    const find = tool<{ readonly name: string }, string>({
      id: "find",
      run: () => {
        runs += 1;
        throw new FaultError(fault("NotFound", { message: "no such place" }));
      },
    });
    const repeatedFailures = { tellAfter: 2, stopAfter: 4 };
    const { fault: seen } = await world.attempt({
      agent: { targets: [world.openai(GPT)], tools: ["find"], turnCap: 40, repeatedFailures },
      tools: { find },
      words: FINDING_WORDS,
    });
    expect([seen?.code, runs]).toEqual(["ToolLoop", 4]);
    const told = world.received().map(({ body }) => JSON.stringify(body).includes("failed 2 times with the same"));
    expect(told).toEqual([false, false, true, true]);
  });

  it("run as protected calls: one that fails once is retried, and the model reads its result", async () => {
    const world = await agentWorld([steps(GPT, call("oslo"))]);
    let runs = 0;
    const find = tool<{ readonly name: string }, string>({
      id: "find",
      idempotent: true,
      run: ({ name }) => {
        runs += 1;
        if (runs === 1) throw new FaultError(fault("ToolUnavailable"));
        return `${name} is in Norway`;
      },
    });
    const tried = await world.attempt({
      agent: { targets: [world.openai(GPT)], tools: ["find"] },
      tools: { find },
      words: FINDING_WORDS,
    });
    expect(tried.end).toEqual(completed(expect.stringContaining("oslo is in Norway")));
    expect(runs).toBe(2);
    expect(JSON.stringify(world.received()[0]?.body)).toContain("Finds a place");
    expect(tried.turn.outcomes["r1.1"]).toMatchObject({ status: "done", attempts: 2 });
  });

  it("that fail for good are reported to the model as a typed error, without internal details", async () => {
    const world = await agentWorld([steps(CLAUDE, call("oslo"))]);
    const find = tool<unknown, string>({
      id: "find",
      run: () => {
        throw new FaultError(fault("Forbidden", { message: "the secret place is /etc/shadow" }));
      },
    });
    const tried = await world.attempt({
      agent: { targets: [world.anthropic(CLAUDE)], tools: ["find"] },
      tools: { find },
    });
    const sent = JSON.stringify(world.received()[1]?.body);
    // A person may be asked about a forbidden tool first; here the fault surfaces without a question.
    expect(tried.end?.end).toBe("completed");
    expect(sent).toContain("Forbidden");
    expect(sent).not.toContain("/etc/shadow");
  });

  it("that were not offered are reported as missing, and the loop continues", async () => {
    const world = await agentWorld([steps(GPT, { call: { tool: "made_up", input: {} } })]);
    const { end } = await world.attempt({ agent: { targets: [world.openai(GPT)] } });
    expect(end?.end).toBe("completed");
    expect(JSON.stringify(world.received()[1]?.body)).toContain("Unsupported");
  });

  it("run in parallel when one answer calls several, and their results keep their order", async () => {
    const world = await agentWorld([
      steps(GPT, { calls: ["oslo", "rome"].map((name) => ({ tool: "find", input: { name } })) }),
    ]);
    const started: string[] = [];
    let both: () => void = () => undefined;
    const together = new Promise<void>((resolve) => (both = resolve));
    const find = tool<{ readonly name: string }, unknown>({
      id: "find",
      run: async ({ name }) => {
        if (started.push(name) === 2) both();
        await together;
        return { place: name };
      },
    });
    const { end, turn } = await world.attempt({
      agent: { targets: [world.openai(GPT)], tools: ["find"] },
      tools: { find },
    });
    expect(end?.end).toBe("completed");
    expect(turn.outcomes["r1.1"]).toMatchObject({ value: { place: "oslo" } });
    expect(turn.outcomes["r1.2"]).toMatchObject({ value: { place: "rome" } });
    const sent = JSON.stringify(world.received()[1]?.body);
    expect(sent.indexOf("oslo")).toBeGreaterThan(0);
    expect(sent.lastIndexOf("oslo")).toBeLessThan(sent.lastIndexOf("rome"));
  });

  it("that the workflow does not define are a mistake in it", async () => {
    const world = await agentWorld();
    const { fault: seen } = await world.attempt({ agent: { targets: [world.openai(GPT)], tools: ["find"] } });
    expect(seen?.code).toBe("ConfigSchemaViolation");
    expect(seen?.message).toContain("the tool find");
  });
});

describe("its rounds", () => {
  const loops = (turnCap: number, onCap: "retry" | "accept" | "fail") => async () => {
    const world = await agentWorld([
      steps(GPT, ...Array.from({ length: 9 }, () => ({ call: { tool: "find", input: {} } }))),
    ]);
    let runs = 0;
    const find = tool<unknown, string>({ id: "find", run: () => `found ${++runs}` });
    const tried = await world.attempt({
      agent: { targets: [world.openai(GPT)], tools: ["find"], turnCap, onCap },
      tools: { find },
    });
    return { ...tried, asked: world.received().length, runs };
  };

  it("end at the cap: called tools finish, and their results are not sent", async () => {
    const { end, fault: seen, asked, runs } = await loops(3, "fail")();
    expect([asked, runs]).toEqual([3, 3]);
    expect(seen).toMatchObject({ code: "TurnLimit", context: { limit: 3, agent: "helper", stage: "coder" } });
    expect(end).toMatchObject({ end: "failed", again: false });
  });

  it("ask for another attempt when the agent is configured so", async () => {
    expect((await loops(1, "retry")()).end).toMatchObject({ end: "failed", again: true });
  });

  it("are accepted when the agent is configured so", async () => {
    expect((await loops(2, "accept")()).end).toEqual(completed(""));
  });

  it("are not accepted without the value that the schema promises", async () => {
    const world = await agentWorld([steps(GPT, { call: { tool: "find", input: {} } })]);
    const find = tool<unknown, string>({ id: "find", run: () => "found" });
    const { fault: seen } = await world.attempt({
      agent: { targets: [world.openai(GPT)], tools: ["find"], turnCap: 1, onCap: "accept", outputSchema: REVIEW },
      tools: { find },
    });
    expect(seen?.code).toBe("TurnLimit");
  });
});

describe("its output schema", () => {
  it("makes the output the parsed value, with tools before it", async () => {
    const world = await agentWorld([
      steps(CLAUDE, { call: { tool: "find", input: {} } }, { json: { decision: "approve", must_fix: [] } }),
    ]);
    const find = tool<unknown, string>({ id: "find", run: () => "found" });
    const { end } = await world.attempt({
      agent: { targets: [world.anthropic(CLAUDE)], tools: ["find"], outputSchema: REVIEW },
      tools: { find },
    });
    expect(end).toEqual(completed({ decision: "approve", must_fix: [] }));
  });

  it.each([false, true])(
    "that is missed once is asked for again with what was wrong (streaming: %s)",
    async (stream) => {
      const world = await agentWorld([steps(GPT, { json: { decision: "maybe" } })]);
      const tried = await world.attempt({ agent: { targets: [world.openai(GPT)], outputSchema: REVIEW, stream } });
      expect(tried.end).toEqual(completed({ decision: "approve", must_fix: ["sample text"] }));
      expect(world.received()).toHaveLength(2);
      expect(JSON.stringify(world.received()[1]?.body)).toContain("must_fix");
      expect(JSON.stringify(world.received()[1]?.body)).toContain("could not be used");
      // The unusable answer is available to watchers.
      expect(tried.raw).toContain('{"decision":"maybe"}');
    },
  );

  it("that is never met is SchemaInvalid, after one more try", async () => {
    const world = await agentWorld([always(GPT, { fault: "schema-invalid" })]);
    const { fault: seen } = await world.attempt({ agent: { targets: [world.openai(GPT)], outputSchema: REVIEW } });
    expect(seen).toMatchObject({ class: "Output", code: "SchemaInvalid" });
    expect(world.received()).toHaveLength(2);
  });

  it("is not sent in OpenAI's strict mode, which refuses schemas with optional fields", async () => {
    const world = await agentWorld();
    await world.attempt({ agent: { targets: [world.openai(GPT)], outputSchema: REVIEW } });
    expect(world.received()[0]?.body).toMatchObject({ text: { format: { type: "json_schema", strict: false } } });
  });

  it("is in the prompt for a server whose package does not pass it on", async () => {
    const world = await agentWorld([always("llama", { json: { decision: "reject", must_fix: ["x"] } })]);
    const llama = {
      kind: "model",
      name: "",
      provider: "openai-compatible",
      model: "llama",
      baseUrl: world.chaos.openaiUrl,
    } as const;
    const { end } = await world.attempt({
      agent: { targets: [{ ...llama, apiKeyEnv: "" }], outputSchema: REVIEW },
    });
    expect(end).toEqual(completed({ decision: "reject", must_fix: ["x"] }));
    expect(JSON.stringify(world.received()[0]?.body)).toContain("fits this JSON Schema");
  });
});

describe("failures on the way", () => {
  it("a cut stream is answered by the second model, and nothing of the first is left", async () => {
    const world = await agentWorld([
      always(GPT, { fault: "cut-stream", after: 3 }),
      always(CLAUDE, { answer: "all of it from the other one" }),
    ]);
    const tried = await world.attempt({
      agent: { targets: [world.openai(GPT), world.anthropic(CLAUDE)], stream: true },
    });
    expect(tried.end).toEqual(completed("all of it from the other one"));
    expect(new Set(world.asked())).toEqual(new Set([GPT, CLAUDE]));
    expect(tried.raw).toContain("You said");
  });

  it("a cut stream without a fallback starts again", async () => {
    const world = await agentWorld([steps(GPT, { fault: "cut-stream", after: 3 }, { answer: "the second time" })]);
    const tried = await world.attempt({ agent: { targets: [world.openai(GPT)], stream: true } });
    expect(tried.end).toEqual(completed("the second time"));
  });

  it("a refused key waits for a person, as AuthFailed", async () => {
    const world = await agentWorld([always(GPT, { fault: "unauthorized" })]);
    const tried = await world.attempt({ agent: { targets: [world.openai(GPT)] } });
    expect(tried.end).toBeNull();
    expect(tried.turn.status).toBe("waiting");
    expect(tried.fault?.code).toBe("AuthFailed");
    expect(world.received()).toHaveLength(1);
  });

  it("a refused key is the attempt's fault when the policy does not ask", async () => {
    const policy = withRows(DEFAULT_POLICY, [
      { match: { code: ["AuthFailed"] }, retry: null, then: ["fail"], origin: { layer: "file", at: "test" } },
    ]);
    const world = await agentWorld([always(GPT, { fault: "unauthorized" })], { policy });
    const tried = await world.attempt({ agent: { targets: [world.openai(GPT)] } });
    expect(tried.end).toMatchObject({ end: "failed", fault: { code: "AuthFailed" } });
    expect(tried.raw).toContain("invalid_api_key");
  });

  it("a rate limit is waited for as long as the server says", async () => {
    const world = await agentWorld([steps(GPT, { "fault": "rate-limit", "retry-after": 7 })]);
    const { end } = await world.attempt({ agent: { targets: [world.openai(GPT)] } });
    expect(end?.end).toBe("completed");
    const [first, second] = world.received();
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(7_000);
  });

  it("an exhausted budget stops it before the next request, and says whose it was", async () => {
    const world = await agentWorld([steps(GPT, { call: { tool: "find", input: {} } })]);
    const find = tool<unknown, string>({ id: "find", run: () => "found" });
    let asked = 0;
    const { fault: seen } = await world.attempt({
      agent: { targets: [world.openai(GPT)], tools: ["find"], maxCostMicrocents: 500 },
      tools: { find },
      budget: () => (asked++ === 0 ? 500 : 0),
    });
    expect(seen).toMatchObject({ code: "BudgetExceeded", context: { limit: 500, agent: "helper" } });
    expect(world.received()).toHaveLength(1);
  });
});

describe("an attempt that has to wait", () => {
  it("ends when a tool asks a person, and repeats no model request when it is rerun", async () => {
    const policy = withRows(DEFAULT_POLICY, [
      { match: { code: ["Forbidden"] }, retry: null, then: ["ask", "fail"], origin: { layer: "file", at: "test" } },
    ]);
    const world = await agentWorld([steps(GPT, { call: { tool: "find", input: {} } })], { policy });
    let runs = 0;
    const find = tool<unknown, string>({
      id: "find",
      run: () => {
        runs += 1;
        throw new FaultError(fault("Forbidden"));
      },
    });
    const trial = { agent: { targets: [world.openai(GPT)], tools: ["find"] }, tools: { find } };
    for (let life = 1; life <= 2; life++) {
      const { end, turn, fault: seen } = await world.attempt(trial);
      expect([end, turn.status, seen?.code]).toEqual([null, "waiting", "Forbidden"]);
    }
    expect(runs).toBe(1);
    expect(await world.counted()).toEqual({ [GPT]: 1 });
  });

  it("is parked until a limit lifts, and continues with that request", async () => {
    const world = await agentWorld([steps(GPT, { "fault": "rate-limit", "retry-after": 7_200 })]);
    const trial = { agent: { targets: [world.openai(GPT)] } };
    const first = await world.attempt(trial);
    expect([first.end, first.turn.status, first.fault?.code]).toEqual([null, "waiting", "RateLimited"]);
    await world.clock.advance(7_200_000);
    expect((await world.attempt(trial)).end).toEqual(completed(expect.stringContaining("You said: Do it.")));
    expect(await world.counted()).toEqual({ [GPT]: 2 });
  });
});

describe("an attempt that is rerun after a crash", () => {
  it.each([false, true])("repeats no answered request (streaming: %s)", async (stream) => {
    const world = await agentWorld([
      steps(GPT, { calls: ["oslo", "rome"].map((name) => ({ tool: "find", input: { name } })) }),
    ]);
    const ran: string[] = [];
    const finder = (isDying: boolean) =>
      tool<{ readonly name: string }, string>({
        id: "find",
        idempotent: true,
        run: ({ name }) => {
          ran.push(name);
          return isDying && name === "rome" ? new Promise<string>(() => undefined) : `${name} found`;
        },
      });
    const agent = { targets: [world.openai(GPT)], tools: ["find"], stream };
    await expect(world.attempt({ agent, tools: { find: finder(true) }, dies: true })).rejects.toThrow(Died);
    expect(await world.counted()).toEqual({ [GPT]: 1 });
    const { end, raw } = await world.attempt({ agent, tools: { find: finder(false) } });
    expect(end).toEqual(completed(expect.stringContaining("oslo found; rome found")));
    expect(raw).toMatch(/### answered before[^]+### openai\/gpt-5.5/);
    // The journal answered the first request and the finished tool.
    expect(await world.counted()).toEqual({ [GPT]: 2 });
    expect(ran).toEqual(["oslo", "rome", "rome"]);
    // A finished attempt is not even started again.
    expect((await world.attempt({ agent, tools: { find: finder(false) } })).end).toEqual(end);
    expect(await world.counted()).toEqual({ [GPT]: 2 });
  });
});
