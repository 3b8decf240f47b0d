// `faultline/testing`: time and chance that a test owns, people who answer as told, and whole worlds from a seed.
// The conformance suite of journals has a door of its own, `faultline/testing/journal-suite`, because it needs vitest.

export { createFakeClock } from "./fake-clock.ts";
export type { FakeClock } from "./fake-clock.ts";
export { scriptedInteractor } from "./scripted-interactor.ts";
export { createSeededChance } from "./seeded-chance.ts";
export { simulate } from "./simulate.ts";
export type { Simulation, Violation } from "./simulate.ts";
