// What each code means, compared with a file. A change that is meant shows as a difference of that file
// (`npx vitest run test/core/fault/catalogue-rows.test.ts -u` writes it again).

import { expect, it } from "vitest";
import { CATALOGUE, FAULT_CODES, traitsOf } from "../../../src/core/fault/catalogue.ts";

it("each code means what the file says that was reviewed", async () => {
  const rows = FAULT_CODES.map((code) => {
    expect(traitsOf(code)).toEqual(CATALOGUE[code]);
    const fields = Object.entries(CATALOGUE[code]).filter(([, value]) => value !== false);
    return `${code}: ${fields.map(([name, value]) => (value === true ? name : String(value))).join(" ")}`;
  });
  await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot("reviewed/catalogue.txt");
});
