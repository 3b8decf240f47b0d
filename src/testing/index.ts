// `faultline/testing`: time and chance that a test owns, and people who answer as told.

export { createFakeClock } from "./fake-clock.ts";
export type { FakeClock } from "./fake-clock.ts";
export { scriptedInteractor } from "./scripted-interactor.ts";
export { createSeededChance } from "./seeded-chance.ts";
