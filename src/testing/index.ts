// `faultline/testing`: a clock and randomness that a test controls, a scripted person, and a model provider that fails on demand.
// What needs vitest has its own entry points: the matchers, `faultline/testing/vitest`, and the conformance suite for journals,
// `faultline/testing/journal-suite`.

export { CHAOS_FAULTS } from "../chaos/faults.ts";
export type { ChaosFault, ChaosFaultId } from "../chaos/faults.ts";
export type { ReceivedRequest, RequestEnd, StrayRequest } from "../chaos/received.ts";
export type { ChaosStep, Scenario, ScenarioRule, ScenarioStep } from "../chaos/scenario-schema.ts";
export { startChaos } from "../chaos/start-chaos.ts";
export type { Chaos, ChaosOptions } from "../chaos/start-chaos.ts";
export { assertSurvived, chaosMatchers, survivalOf, withChaos } from "./chaos-run.ts";
export type { ChaosRun, Survival } from "./chaos-run.ts";
export { createFakeClock } from "./fake-clock.ts";
export type { FakeClock } from "./fake-clock.ts";
export { scriptedInteractor } from "./scripted-interactor.ts";
export { createSeededChance } from "./seeded-chance.ts";
