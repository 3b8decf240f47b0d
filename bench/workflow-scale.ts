// How much is measured: enough for steady medians, or a quick look.

export interface WorkflowScale {
  readonly rounds: number;
  readonly nodes: number;
  /** Of the long run. */
  readonly attempts: number;
  /** At gates; as many again are parked. */
  readonly waitingRuns: number;
  readonly wokenRuns: number;
  /** For the idle driver, beside 1,000 of them. */
  readonly parkedRuns: number;
}

export const FULL: WorkflowScale = {
  rounds: 7,
  nodes: 100,
  attempts: 2_000,
  waitingRuns: 1_000,
  wokenRuns: 100,
  parkedRuns: 100_000,
};
export const QUICK: WorkflowScale = {
  rounds: 3,
  nodes: 50,
  attempts: 500,
  waitingRuns: 200,
  wokenRuns: 50,
  parkedRuns: 10_000,
};
