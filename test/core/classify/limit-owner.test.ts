// A limit says whose it is: the account's or one model's. Real answers, each through the whole classifier.

import { describe, expect, it } from "vitest";
import { classify, type Evidence } from "../../../src/core/index.ts";
import { LIMIT_OWNERS } from "../../../src/core/classify/limits.ts";

function ownerOf(evidence: Partial<Evidence>): unknown {
  const { code, context } = classify({ surface: "http", status: 429, ...evidence });
  expect(["RateLimited", "QuotaExhausted"]).toContain(code);
  return context["limitOf"];
}

function evidenceOf(example: string): Partial<Evidence> {
  const [, header, value] = /^(anthropic-[\w-]+): (\S+)$/.exec(example) ?? [];
  if (header !== undefined && value !== undefined) return { headers: { [header]: value }, message: "slow down" };
  const [, quotaId] = /^quotaId: (\S+)$/.exec(example) ?? [];
  return quotaId === undefined
    ? { message: example }
    : { body: { error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [{ violations: [{ quotaId }] }] } } };
}

describe("whose limit it is", () => {
  it.each(LIMIT_OWNERS)("the $owner's: $example", ({ owner, example }) => {
    expect(ownerOf(evidenceOf(example))).toBe(owner);
  });

  // prettier-ignore
  it.each([
    { owner: "model", message: "This request would exceed the rate limit for your organization (00000000-0000-4000-8000-000000000004) of 1,000,000 input tokens per minute." },
    { owner: "model", message: "This request would exceed your organization's rate limit of 50 requests per minute." },
    { owner: "account", message: "This request would exceed your organization's rate limit. Please try again later." },
    { owner: "account", message: "Organization Rate limit exceeded, please try again after 1 seconds" },
    { owner: "account", message: "Your account org-1 / proj-1 <ak-1> request reached organization TPD rate limit, current: 1526210, limit: 1500000" },
    { owner: "account", message: "Usage rate limit exceeded for orgId=1234" },
    { owner: "model", message: "Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_1` on tokens per minute (TPM): Limit 7000" },
    { owner: "model", message: "This request would exceed your organization's rate limit of 50 requests per minute (org: 0, model: claude-opus-4-5)." },
    { owner: undefined, message: "Number of request tokens has exceeded your per-minute rate limit" },
    { owner: undefined, message: "Rate limit reached. Visit https://platform.openai.com/account/rate-limits and /organization/limits to learn more." },
    { owner: undefined, message: "Too many requests" },
    { owner: undefined, message: "429" },
  ])("$message: $owner", ({ owner, message }) => {
    expect(ownerOf({ message })).toBe(owner);
  });

  it("is asked of limits only", () => {
    expect(classify({ surface: "http", status: 401, message: "your organization's rate limit" }).context).toBeTypeOf(
      "object",
    );
    expect(
      classify({ surface: "http", status: 500, message: "internal error of your account" }).context["limitOf"],
    ).toBeUndefined();
  });

  it("takes time in proportion to a long text", () => {
    const message = `rate limit ${"organization limit for your ".repeat(200_000)}`;
    expect(ownerOf({ message })).toBe("account");
  });
});
