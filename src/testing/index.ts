// `faultline/testing`: a clock and randomness that a test controls, a scripted person, and a model provider that fails on demand.
// The conformance suite for journals has its own entry point, `faultline/testing/journal-suite`, because it needs vitest.

export { CHAOS_FAULTS } from "../chaos/faults.ts";
export type { ChaosFault, ChaosFaultId } from "../chaos/faults.ts";
export type { ReceivedRequest, RequestEnd, StrayRequest } from "../chaos/received.ts";
export type { ChaosStep, Scenario, ScenarioRule, ScenarioStep } from "../chaos/scenario-schema.ts";
export { startChaos } from "../chaos/start-chaos.ts";
export type { Chaos, ChaosOptions } from "../chaos/start-chaos.ts";
export { createFakeClock } from "./fake-clock.ts";
export type { FakeClock } from "./fake-clock.ts";
export { scriptedInteractor } from "./scripted-interactor.ts";
export { createSeededChance } from "./seeded-chance.ts";
