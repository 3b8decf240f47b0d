// The caller's own signal, and the shapes an abort takes when only the error is left.

import type { RuleGroup } from "../rule.ts";

// prettier-ignore
export const ABORT: RuleGroup = {
  source: "abort",
  rules: () => [
    { id: "abort/session", when: { aborted: "session" }, means: "SessionCancelled", example: { surface: "node", aborted: "session" } },
    { id: "abort/turn",    when: { aborted: "turn" },    means: "TurnCancelled",    example: { surface: "node", aborted: true } },
    { id: "abort/tool",    when: { aborted: "tool" },    means: "ToolCancelled",    example: { surface: "tool", aborted: "tool" } },
  ],
};

/** Weaker than a timeout's own name: SDKs wrap their timeouts around an AbortError. */
// prettier-ignore
export const ABORT_NAMES: RuleGroup = {
  source: "structured",
  rules: () => [
    { id: "abort/not-ours", when: { aborted: "no", token: ["aborterror", "abort_err", "requestabortederror"] },
      means: "NetworkTimeout", onTool: "ExecutionTimeout", example: { surface: "node", provider: "google", aborted: false, error: { name: "AbortError", message: "This operation was aborted", code: 20 } } },
    { id: "abort/name", when: { token: ["aborterror", "apiuseraborterror", "abort_err", "messageabortederror", "requestabortederror", "cancellederror", "cancelederror", "aborted_streaming", "aborted_tools", "user_cancelled", "user_canceled", "clientclosedrequesterror"] },
      means: "TurnCancelled", onTool: "ToolCancelled", example: { surface: "node", error: { name: "AbortError", message: "This operation was aborted", code: 20 } } },
  ],
};
