/** How many retries the processes of `member-process.ts` have together. */
export const BUDGET = 6;
