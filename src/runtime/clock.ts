// The only place that looks at the time.

export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
