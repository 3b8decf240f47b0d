// The catalogue is a contract: its names are fixed, and its traits agree with each other and with the vocabularies.

import { describe, expect, it } from "vitest";
import { CATALOGUE, FAULT_CODES, isFaultCode, traitsOf, type FaultClass } from "../../../src/core/fault/catalogue.ts";
import { matrixOutcome, VOCABULARY } from "../../../src/core/fault/vocabulary.ts";

const NAMES: Readonly<Record<FaultClass, readonly string[]>> = {
  Validation: ["ShapeInvalid", "ContractVersionMismatch", "ConfigSchemaViolation"],
  ProviderTransient: [
    "RateLimited",
    "Overloaded",
    "Provider5xx",
    "NetworkTimeout",
    "NetworkDisconnect",
    "AnswerUnreadable",
  ],
  ProviderAccess: [
    "AuthFailed",
    "KeyMissing",
    "AccessDenied",
    "QuotaExhausted",
    "TlsUntrusted",
    "BinaryMissing",
    "PermissionLoop",
  ],
  ProviderRequest: [
    "RequestInvalid",
    "ModelNotFound",
    "EndpointNotFound",
    "SessionLost",
    "ContextOverflow",
    "ContentFiltered",
  ],
  ProviderCapability: [
    "MissingStreaming",
    "MissingToolCalling",
    "MissingModality",
    "MissingCapability",
    "ContextWindowTooSmall",
  ],
  Output: ["SchemaInvalid", "OutputTruncated", "EmptyOutput", "TestsFailed", "AssertFailed"],
  ToolTransient: ["ExecutionTimeout", "ResourceBusy", "ToolUnavailable"],
  ToolTerminal: [
    "InputInvalid",
    "OutputMalformed",
    "Forbidden",
    "ApprovalRejected",
    "NotFound",
    "ExecutionFailed",
    "Unsupported",
    "ResourceExhausted",
  ],
  Session: ["ManifestDrift", "StoreUnavailable", "ResumeMismatch"],
  Limit: ["BudgetExceeded", "RunTimeout", "TurnTimeout", "TurnLimit", "ToolLoop"],
  Guard: ["CircuitOpen", "RetryBudgetSpent", "QueueFull"],
  Sandbox: ["SandboxFailed", "SandboxTimeout"],
  Cancellation: ["SessionCancelled", "TurnCancelled", "ToolCancelled"],
  ExtensionHost: ["LifecycleFailure", "DependencyCycle", "DependencyMissing"],
  Crash: ["ProcessCrashed", "Interrupted"],
  Internal: ["Uncaught", "InvariantBroken", "HostCapabilityMissing", "EngineState"],
  Unknown: ["Unclassified"],
};

describe("the catalogue", () => {
  it("has exactly the classes and codes other programs match on", () => {
    const found = Object.groupBy(FAULT_CODES, (code) => traitsOf(code).class);
    expect(found).toEqual(NAMES);
  });

  it.each(FAULT_CODES)("%s has traits that agree", (code) => {
    const traits = traitsOf(code);
    if (traits.retryable) expect(traits.lifts, "what is worth retrying passes with time").toBe(true);
    if (traits.cancels) expect(traits.retryable || traits.tripsBreaker, "cancellation never counts").toBe(false);
    if (traits.follows)
      expect(traits.tripsBreaker || traits.mayHaveHappened, "what was refused did not happen").toBe(false);
    expect(traits.httpStatus).toBeGreaterThanOrEqual(400);
    expect(traits.httpStatus).toBeLessThanOrEqual(599);
  });

  it("recognises its own codes and nothing inherited", () => {
    expect(isFaultCode("RateLimited")).toBe(true);
    expect(isFaultCode("toString")).toBe(false);
    expect(isFaultCode(429)).toBe(false);
  });
});

describe("the vocabularies", () => {
  // A guard refuses for a while, and a time limit says nothing about what the tool would have answered.
  it.each(FAULT_CODES)("%s is called transient exactly when it is retried, a guard's refusal or a timeout", (code) => {
    const { si, cli } = VOCABULARY[code];
    const { retryable, cancels, class: faultClass, cause } = CATALOGUE[code];
    const passes = retryable || faultClass === "Guard" || cause === "timeout";
    expect(si).toBe(cancels ? null : passes ? "transient" : "permanent");
    expect(cli === "retryable").toBe(retryable);
    expect(cli === "aborted").toBe(cancels);
  });

  it("keeps the names that one of the vocabularies shares with us", () => {
    for (const code of ["ShapeInvalid", "RateLimited", "MissingStreaming", "ResourceBusy", "ManifestDrift"] as const) {
      expect(`${VOCABULARY[code].stud.class}/${VOCABULARY[code].stud.code}`).toBe(`${CATALOGUE[code].class}/${code}`);
    }
  });

  it("knows all nine outcomes of the matrix", () => {
    const outcomes = new Set(
      FAULT_CODES.flatMap((code) => [matrixOutcome(code, "reviewer"), matrixOutcome(code, "tester")]),
    );
    for (const outcome of [
      "provider_network_error",
      "provider_timeout",
      "provider_auth_error",
      "provider_not_found",
      "review_schema_invalid",
      "tester_schema_invalid",
      "test_failed",
      "provider_permission_denied",
      "canceled",
    ] as const) {
      expect(outcomes).toContain(outcome);
    }
  });

  it("tells a reviewer's bad output from a tester's", () => {
    expect(matrixOutcome("SchemaInvalid", "reviewer")).toBe("review_schema_invalid");
    expect(matrixOutcome("SchemaInvalid", "tester")).toBe("tester_schema_invalid");
    expect(matrixOutcome("NetworkDisconnect", "tester")).toBe("provider_network_error");
  });
});
