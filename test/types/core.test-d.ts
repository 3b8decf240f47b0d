// What the compiler must know: closed unions, exact views, exhaustive decisions. Checked by `tsc`, never run.

import { expectTypeOf } from "vitest";
import {
  decide,
  fault,
  viewFor,
  type Decision,
  type Evidence,
  type Fault,
  type FaultClass,
  type FaultCode,
  type ModelView,
  type PartialResult,
  type UserView,
} from "../../src/core/index.ts";

expectTypeOf<"RateLimited">().toExtend<FaultCode>();
expectTypeOf<"rate_limited">().not.toExtend<FaultCode>();
expectTypeOf<Fault["class"]>().toEqualTypeOf<FaultClass>();
expectTypeOf(fault).parameter(0).toEqualTypeOf<FaultCode>();

// A view is what its audience may see: the model's has of the evidence only what is wrong with its own arguments, and what the tool declares.
expectTypeOf(viewFor("model", fault("NotFound"), { correlationId: "x" })).toEqualTypeOf<ModelView>();
expectTypeOf(viewFor("user", fault("NotFound"), { correlationId: "x" })).toEqualTypeOf<UserView>();
expectTypeOf<keyof ModelView>().toEqualTypeOf<"class" | "code" | "message" | "context" | "issues" | "detail">();

// A decision carries what its recourse needs, and only then.
expectTypeOf(decide).returns.toEqualTypeOf<Decision>();
expectTypeOf<Extract<Decision, { recourse: "retry" }>["delayMs"]>().toEqualTypeOf<number>();
expectTypeOf<Extract<Decision, { recourse: "fallback" }>["target"]>().toEqualTypeOf<string>();
expectTypeOf<"delayMs">().not.toExtend<keyof Exclude<Decision, { recourse: "retry" }>>();

// Faults and evidence are read-only; a partial result keeps the declared shape of its payload.
expectTypeOf<Fault>().toEqualTypeOf<Readonly<Fault>>();
expectTypeOf<Evidence>().toEqualTypeOf<Readonly<Evidence>>();
expectTypeOf<PartialResult<readonly number[]>["value"]>().toEqualTypeOf<readonly number[]>();
