// What the compiler must know of calls: the value's type comes from the tool or the function. Checked by `tsc`, never run.

import { expectTypeOf } from "vitest";
import { z } from "zod";
import { type Faultline, type Outcome, type Session, tool, type Turn } from "../../src/index.ts";

declare const fl: Faultline;
declare const session: Session;
declare const turn: Turn;

const parse = tool({
  id: "parse",
  input: z.object({ n: z.coerce.number<string>() }),
  run: ({ n }) => ({ twice: n * 2 }),
});

expectTypeOf(await fl.call(parse, { n: "2" })).toEqualTypeOf<{ twice: number }>();
expectTypeOf(await session.call(parse, { n: "2" }, { id: "c" })).toEqualTypeOf<{ twice: number }>();
expectTypeOf(await turn.call(parse, { n: "2" })).toEqualTypeOf<{ twice: number }>();
expectTypeOf(await fl.protect(parse, { n: "2" }, { deadlineMs: 5 })).toEqualTypeOf<Outcome<{ twice: number }>>();

expectTypeOf(await fl.call(({ attempt }) => attempt, { id: "f" })).toEqualTypeOf<number>();
expectTypeOf(await session.call(async () => Promise.resolve("x"), { id: "f" })).toEqualTypeOf<string>();
expectTypeOf(await turn.protect(() => ["x"], { id: "f", default: [] })).toEqualTypeOf<Outcome<string[]>>();

// @ts-expect-error The input is read as the schema accepts it, not as the tool gets it.
await fl.call(parse, { n: 2 });
// @ts-expect-error A function needs a name.
await fl.call(() => 1, { idempotent: true });
// @ts-expect-error A function has no input besides its options.
await fl.call(() => 1, { id: "f" }, {});
// @ts-expect-error Only calls outside sessions have a deadline of their own: the turn has one.
await turn.call(parse, { n: "2" }, { deadlineMs: 5 });
