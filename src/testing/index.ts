// `faultline/testing`: time and chance that a test owns, people who answer as told, whole worlds from a seed, and a model provider
// that fails on demand. The conformance suite of journals has a door of its own, `faultline/testing/journal-suite`, because it needs
// vitest.

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
export { simulate } from "./simulate.ts";
export type { Simulation, Violation } from "./simulate.ts";
