// `faultline/testing/vitest`: import it once, in a setup file or a test, and `expect(run).toHaveSurvived("rate-limit")` works.

import { expect } from "vitest";
import type { ChaosFaultId } from "../chaos/faults.ts";
import { chaosMatchers } from "./chaos-run.ts";

export { chaosMatchers };

declare const SUBJECT: unique symbol;

declare module "vitest" {
  // The parameters are Vitest's: a declaration that is merged must repeat them.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** The agent met this fault, or at least one, and a good answer came after it. */
    toHaveSurvived(fault?: ChaosFaultId): R;
    /** Only for the compiler, which wants every parameter to be used. */
    [SUBJECT](subject: T): void;
  }
}

expect.extend(chaosMatchers);
