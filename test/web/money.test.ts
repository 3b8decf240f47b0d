// Two amounts beside each other, such as what was spent of a limit.

import { expect, it } from "vitest";
import { moneyPair } from "../../web/app/money.ts";

it.each([
  [47_000, 50_000, ["$0.00047", "$0.00050"]],
  [50_000, 50_000, ["$0.0005", "$0.0005"]],
  [499_999_999, 500_000_000, ["$4.99999999", "$5.00000000"]],
  [499_900_000, 500_000_000, ["$4.999", "$5.000"]],
  [3_000, 5_000, ["$0.00003", "$0.00005"]],
  [0, 5_000, ["$0", "<$0.0001"]],
  [120_000_000, 500_000_000, ["$1.20", "$5.00"]],
])("%d and %d microcents look different if they are, with no more digits than that takes", (one, other, shown) => {
  expect(moneyPair(one, other)).toEqual(shown);
});
