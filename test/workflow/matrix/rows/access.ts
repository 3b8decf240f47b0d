// Forbidden, missing or impossible for this model: none of it is worth a retry.

import { expect } from "vitest";
import type { Row } from "../row.ts";
import { AGENT, agentWith, byCli, CODER_FAILED, failed, fails, nodeWith, REVIEW_APPROVES, STAGES } from "./expect.ts";
import { CLAUDE_IS_DENIED_THRICE } from "./claude-lines.ts";

const AUTH = "002 Provider auth/config error";
const UNAUTHORIZED = { en: "Authentication failed (HTTP 401)", zh: "鉴权失败，检查 token（HTTP 401）" } as const;

export const ACCESS_ROWS: readonly Row[] = [
  {
    name: "a refused key is not retried, and no fallback hides it",
    seed: AUTH,
    injected: "401, with a second provider to switch to",
    file: AGENT,
    edits: agentWith("fallback: [anthropic/stand-in]"),
    rules: [fails("coder", "unauthorized")],
    node: "coder",
    expected: failed("provider_auth_error", "ProviderAccess/AuthFailed", {
      ...CODER_FAILED,
      asked: { coder: 1 },
      actions: ["sign-in-again", "switch-provider"],
      says: UNAUTHORIZED,
    }),
  },
  {
    name: "an account without access to the model is not retried",
    seed: AUTH,
    injected: "403; the stage may be tried three times, which does not matter",
    file: AGENT,
    edits: nodeWith("retry: { max_attempts: 3 }"),
    rules: [fails("coder", "forbidden")],
    node: "coder",
    expected: failed("provider_auth_error", "ProviderAccess/AccessDenied", {
      ...CODER_FAILED,
      asked: { coder: 1 },
      actions: ["sign-in-again"],
      says: {
        en: "Credential accepted but not permitted (HTTP 403)",
        zh: "鉴权失败：凭证有效但权限不足（HTTP 403）",
      },
    }),
  },
  {
    name: "a signed-out agent CLI is not retried",
    seed: AUTH,
    injected: "codex, as it was recorded at a 401, with claude to switch to",
    file: AGENT,
    edits: byCli("codex", "fallback: [claude]"),
    clis: { codex: ["codex-401"], claude: ["claude-ok-stream"] },
    node: "coder",
    expected: failed("provider_auth_error", "ProviderAccess/AuthFailed", {
      ...CODER_FAILED,
      asked: { codex: 1 },
      actions: ["sign-in-again", "switch-provider"],
      says: UNAUTHORIZED,
    }),
  },
  {
    name: "a reviewer's auth failure is not reported as a schema failure",
    seed: AUTH,
    injected: "401 for the reviewer",
    file: STAGES,
    rules: [fails("reviewer", "unauthorized")],
    node: "reviewer",
    expected: failed("provider_auth_error", "ProviderAccess/AuthFailed", {
      asked: { coder: 1, reviewer: 1 },
      way: ["coder#1", "reviewer#1 failed"],
      files: ["reviewer#1"],
      actions: ["sign-in-again"],
      says: UNAUTHORIZED,
    }),
  },
  {
    name: "a missing agent CLI is not retried, and the operator reads how to install it",
    seed: "002 Binary missing",
    injected: "there is no codex on the PATH; the stage may be tried three times, which does not matter",
    file: AGENT,
    edits: { ...byCli("codex"), ...nodeWith("retry: { max_attempts: 3 }") },
    node: "coder",
    expected: failed("provider_not_found", "ProviderAccess/BinaryMissing", {
      ...CODER_FAILED,
      actions: ["retry-stage"],
      says: {
        en: "The CLI could not be started because it was not found",
        zh: "未找到 CLI 命令，无法启动",
      },
    }),
  },
  {
    name: "claude is stopped early when it keeps asking for a permission",
    seed: "002 Permission denied loop (Claude tools)",
    injected: "claude is denied the same tool three times and would go on",
    raw: "permission_denied",
    file: AGENT,
    edits: byCli("claude"),
    clis: { claude: [{ hangsAfter: CLAUDE_IS_DENIED_THRICE }] },
    node: "coder",
    expected: failed("provider_permission_denied", "ProviderAccess/PermissionLoop", {
      ...CODER_FAILED,
      asked: { claude: 1 },
      actions: ["grant-and-retry", "edit-and-retry"],
      says: {
        en: "Repeated permission denials, stopped early",
        zh: "权限反复被拒，已提前停止",
      },
    }),
  },
  {
    name: "a command that the workflow does not allow does not run, and the operator may allow it",
    seed: "000 Tool terminal (Forbidden)",
    injected: "the tester wants `rm -rf build` to be run",
    file: STAGES,
    edits: { "    on_failure: { to: coder, max: 3 }\n": "" },
    rules: [REVIEW_APPROVES, { when: { model: "tester" }, json: { commands: ["rm -rf build"] } }],
    node: "tests",
    expected: failed("provider_permission_denied", "ToolTerminal/Forbidden", {
      asked: { coder: 1, reviewer: 1, tester: 1 },
      way: ["coder#1", "reviewer#1", "tester#1", "tests#1 failed"],
      files: ["tests#1"],
      actions: ["grant-and-retry", "edit-and-retry", "accept-partial"],
      says: { en: "A policy, a grant or a person denied the tool call", zh: "策略、授权设置或人工审批拒绝了该调用" },
    }),
  },
  {
    name: "a no at a gate ends the run as a rejection; the gate can be asked again, or the work goes back to its author",
    seed: "000 a user may be asked to choose a recovery path",
    injected: "a person rejects the gate with a reason, and no edge takes the answer",
    file: AGENT,
    edits: {
      "prompt: Write it. }":
        "prompt: Write it., next: gate }\n  gate: { type: human_gate, ask: Confirm, prompt: Ship it? }",
    },
    node: "gate",
    goes: async (world, run) => {
      const { runs } = world.life.workflows;
      expect(await world.advance(run)).toMatchObject({ status: "paused" });
      const answer = { status: "rejected", reason: "not on a Friday" };
      await world.run(runs.act(run, "answer", { params: { answer } }));
      await world.advance(run);
    },
    expected: failed("approval_rejected", "ToolTerminal/ApprovalRejected", {
      pauses: ["gate"],
      asked: { coder: 1 },
      way: ["coder#1", "gate#1 failed"],
      files: ["gate#1"],
      actions: ["retry-stage", "send-back"],
      says: { en: "Not approved, or not answered in time", zh: "答复为否，或未按时答复" },
    }),
    also: (_world, { state }) => {
      expect(state.fault?.message).toBe("gate gate was not approved: not on a Friday");
    },
  },
  {
    name: "a model that cannot call tools is never asked",
    seed: "000 Provider capability",
    injected: "an agent with tools is given a model without them",
    file: "agent-tool.faultline.yaml",
    edits: { "openai/coder": "openai/gpt-5-chat-latest" },
    node: "coder",
    expected: failed("provider_unsupported", "ProviderCapability/MissingToolCalling", {
      ...CODER_FAILED,
      actions: ["retry-stage"],
      says: {
        en: "Tool calling is required but this model does not offer it",
        zh: "任务要求工具调用，但该模型不支持",
      },
    }),
    also: (_world, { state }) => {
      expect(state.fault?.message).toBe("gpt-5-chat-latest cannot do what the request needs: tools");
    },
  },
  {
    name: "a missing model is asked once",
    seed: "000 Provider capability",
    injected: "404: no such model",
    file: AGENT,
    rules: [fails("coder", "not-found")],
    node: "coder",
    expected: failed("provider_unsupported", "ProviderRequest/ModelNotFound", {
      ...CODER_FAILED,
      asked: { coder: 1 },
      actions: ["retry-stage"],
      says: { en: "Unknown model id", zh: "模型 ID 无法识别" },
    }),
  },
  {
    name: "a prompt that is too long is not sent again, and the operator may shorten it",
    seed: "000 Provider capability",
    injected: "400: more tokens than the model takes",
    file: AGENT,
    rules: [fails("coder", "context-overflow")],
    node: "coder",
    expected: failed("provider_runtime_error", "ProviderRequest/ContextOverflow", {
      ...CODER_FAILED,
      asked: { coder: 1 },
      actions: ["shorten-context", "edit-and-retry"],
      says: { en: "The input exceeds the model's context window", zh: "输入超出模型的上下文窗口" },
    }),
  },
  {
    name: "a prompt that a content filter blocks is not sent again, and the operator may rewrite it",
    seed: "002 §3 non-retryable",
    injected: "the prompt is refused by a filter",
    file: AGENT,
    rules: [fails("coder", "content-filter")],
    node: "coder",
    expected: failed("provider_runtime_error", "ProviderRequest/ContentFiltered", {
      ...CODER_FAILED,
      asked: { coder: 1 },
      actions: ["edit-and-retry"],
      says: {
        en: "The provider's content filter blocked input or output",
        zh: "服务商的内容过滤拦截了输入或输出",
      },
    }),
  },
];
