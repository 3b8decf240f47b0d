// How much is measured: enough for steady medians, or a quick look.

export interface Scale {
  readonly rounds: number;
  readonly calls: number;
  readonly failingCalls: number;
  readonly inFlight: readonly number[];
  readonly lastingCalls: number;
  readonly events: number;
  readonly eventsToResume: number;
}

export const FULL: Scale = {
  rounds: 9,
  calls: 100_000,
  failingCalls: 20_000,
  inFlight: [1_000, 10_000, 100_000],
  lastingCalls: 1_000_000,
  events: 3_200,
  eventsToResume: 100_000,
};

export const QUICK: Scale = {
  rounds: 3,
  calls: 20_000,
  failingCalls: 2_000,
  inFlight: [1_000, 10_000],
  lastingCalls: 100_000,
  events: 640,
  eventsToResume: 10_000,
};
