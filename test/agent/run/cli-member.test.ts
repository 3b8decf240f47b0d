// What agent CLIs share, by their command, address, key and model; and the time limit of their calls.

import { describe, expect, it } from "vitest";
import { cliDomains, cliMember } from "../../../src/agent/run/cli-member.ts";
import type { CliTarget } from "../../../src/agent/run/cli.ts";
import { secretTag } from "../../../src/host/secret-tag.ts";

const claude = {
  id: "c",
  kind: "claude",
  command: "claude",
  env: {},
  model: undefined,
  credential: undefined,
} as const;
const domains = (fields: object): unknown => cliDomains({ ...claude, ...fields } as unknown as CliTarget);
const key = (...entries: readonly string[]): string => `key-${secretTag(entries.join("\n"))}`;

describe("the failure domains of an agent CLI", () => {
  it.each([
    [{}, { endpoint: "claude", account: "own", model: "claude" }],
    [{ model: "opus" }, { endpoint: "claude", account: "own", model: "opus" }],
    [{ credential: "team" }, { endpoint: "claude", account: "team", model: "claude" }],
    [{ env: { ANTHROPIC_BASE_URL: "" } }, { endpoint: "claude", account: "own", model: "claude" }],
    [
      { env: { ANTHROPIC_BASE_URL: "https://me:secret@proxy.test:8443/v1" } },
      { endpoint: "claude+https://proxy.test:8443", account: "own", model: "claude" },
    ],
    [
      { env: { ANTHROPIC_BASE_URL: "no address" } },
      { endpoint: `claude+address-${secretTag("no address")}`, account: "own", model: "claude" },
    ],
    [
      { env: { ANTHROPIC_API_KEY: "k", CLAUDE_CONFIG_DIR: "" } },
      { endpoint: "claude", account: key("ANTHROPIC_API_KEY=k"), model: "claude" },
    ],
    [
      { kind: "generic", command: "x" },
      { endpoint: "c", account: "c", model: "c" },
    ],
    [
      { kind: "generic", credential: "team", model: "m" },
      { endpoint: "c", account: "team", model: "m" },
    ],
  ])("of %j are %j", (fields, expected) => {
    expect(domains(fields)).toEqual(expected);
  });
});

it.each([
  [60_000, 90_000],
  [30 * 24 * 3_600_000 - 30_000, 30 * 24 * 3_600_000],
  [Infinity, 2_592_000_000],
])("a limit of %i ms for the process is %i ms for its call", (totalMs, timeoutMs) => {
  const target = { ...claude, idempotent: false, lastResort: false, timeouts: { totalMs } } as unknown as CliTarget;
  const { tool, facts, retryBeforeFallback } = cliMember(target, () => Promise.resolve(null), ["tools"]);
  expect(tool).toMatchObject({ id: "c", surface: "cli", timeoutMs, idempotent: false });
  expect(facts).toMatchObject({ capabilities: ["tools"], contextWindowTokens: Infinity, lastResort: false });
  expect(retryBeforeFallback).toEqual({ maxAttempts: 1 });
});
