// The first minute of a new user: no key is set. The error names every key that is missing, not only the last.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText } from "ai";
import { expect, it, onTestFinished, vi } from "vitest";
import { thrownBy } from "../../support/thrown.ts";
import { cli, createFaultline, FaultError } from "../../../src/index.ts";

it("names all missing keys of a chain", async () => {
  vi.stubEnv("OPENAI_API_KEY", undefined);
  vi.stubEnv("ANTHROPIC_API_KEY", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const fl = createFaultline();
  onTestFinished(() => fl.close());
  const model = fl.model([createOpenAI()("gpt-5"), createAnthropic()("claude-sonnet-4-5")]);
  const error = await thrownBy(generateText({ model, prompt: "hello" }));
  expect(error).toBeInstanceOf(FaultError);
  expect(error).toMatchObject({ fault: { code: "KeyMissing" } });
  expect(String(error)).toMatch(/ANTHROPIC_API_KEY.*OPENAI_API_KEY|OPENAI_API_KEY.*ANTHROPIC_API_KEY/s);
});

it("names all agent CLIs that are not installed", async () => {
  const fl = createFaultline();
  onTestFinished(() => fl.close());
  const none = ["claude", "codex"] as const;
  const outcome = await fl.agent(none.map((kind) => cli(kind, { command: `no-such-${kind}` }))).run("hello");
  expect(outcome).toMatchObject({ status: "failed", fault: { code: "BinaryMissing" } });
  const said = "fault" in outcome ? outcome.fault.message : "";
  for (const kind of none) expect(said).toContain(`no-such-${kind}`);
});
