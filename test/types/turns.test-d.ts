// What the compiler must know of turns: a step sees what the steps it needs return, and outcomes have known names. Checked by `tsc`,
// never run.

import { expectTypeOf } from "vitest";
import { type Outcome, type PlanSteps, type Session, step, tool } from "../../src/index.ts";

declare const session: Session;

const search = tool({ id: "search", run: (to: string) => [{ to, price: 180 }] });
const rate = tool({ id: "rate", run: () => 1.1 });
const book = tool({ id: "book", run: ({ price }: { price: number }) => `booked for ${price}` });

const flights = step(search, "LIS", { default: [] });
const euro = step(rate, {}, { optional: true });
const booking = step(
  book,
  (got) => {
    expectTypeOf(got).toEqualTypeOf<{
      readonly flights: { to: string; price: number }[];
      readonly euro: number;
    }>();
    return { price: (got.flights[0]?.price ?? 0) * got.euro };
  },
  { needs: { flights, euro } },
);

const { outcomes, value } = await session.turn({ flights, euro, booking });
expectTypeOf(value).toEqualTypeOf<undefined>();
expectTypeOf(outcomes.flights).toEqualTypeOf<Outcome<{ to: string; price: number }[]> | undefined>();
expectTypeOf(outcomes.booking).toEqualTypeOf<Outcome<string> | undefined>();
// @ts-expect-error The plan has no such step.
void outcomes.hotel;

// A plan that is made at run time, such as one a model wrote, has names that the compiler cannot know.
declare const made: PlanSteps;
expectTypeOf((await session.turn(made)).outcomes["any"]).toEqualTypeOf<Outcome<unknown> | undefined>();
step(book, (got) => ({ price: Number(got["flights"]) }), { needs: ["flights"] });

// A body has the type of what it returns, and its rounds know their steps.
const turned = await session.turn(async (turn) => (await turn.run({ flights })).outcomes.flights?.status === "done");
expectTypeOf(turned.value).toEqualTypeOf<boolean | undefined>();

// @ts-expect-error The input does not fit the tool.
step(book, { price: "180" });
// @ts-expect-error Neither does what the function makes of the needed steps.
step(book, (got) => ({ price: got.flights }), { needs: { flights } });
// @ts-expect-error A default has the type of the value.
step(rate, {}, { default: "1.1" });
