// What the codes of SQLite mean: whether waiting helps, whether one write is to blame, and which fault a program sees.

import { describe, expect, it } from "vitest";
import { fault, FaultError } from "../../src/core/fault/fault.ts";
import { isBusy, isOfOneWrite, storeError } from "../../src/journal/store-errors.ts";

const thrown = (errcode: unknown): Error => Object.assign(new Error("as SQLite says"), { errcode });

describe("an error of SQLite", () => {
  it.each([
    { errcode: 5, busy: true, alone: false, code: "StoreUnavailable" },
    { errcode: 5 + 256 * 2, busy: true, alone: false, code: "StoreUnavailable" },
    { errcode: 6, busy: true, alone: false, code: "StoreUnavailable" },
    { errcode: 1, busy: false, alone: false, code: "ManifestDrift" },
    { errcode: 11, busy: false, alone: false, code: "ManifestDrift" },
    { errcode: 18, busy: false, alone: true, code: "ShapeInvalid" },
    { errcode: 19, busy: false, alone: true, code: "ManifestDrift" },
    { errcode: 19 + 256 * 8, busy: false, alone: true, code: "ManifestDrift" },
    { errcode: 20, busy: false, alone: true, code: "ManifestDrift" },
    { errcode: 26, busy: false, alone: false, code: "ManifestDrift" },
    { errcode: 10, busy: false, alone: false, code: "StoreUnavailable" },
    { errcode: "5", busy: false, alone: false, code: "StoreUnavailable" },
    { errcode: undefined, busy: false, alone: false, code: "StoreUnavailable" },
  ])("$errcode: waits $busy, of one write $alone, $code", ({ errcode, busy, alone, code }) => {
    const error = thrown(errcode);
    expect([isBusy(error), isOfOneWrite(error)]).toEqual([busy, alone]);
    const seen = storeError(error, { path: "journal.db" });
    expect([seen.fault.code, seen.fault.context["path"], seen.cause]).toEqual([code, "journal.db", error]);
  });

  it("that is a fault already stays as it is", () => {
    const known = new FaultError(fault("NotFound"));
    expect(storeError(known)).toBe(known);
  });
});
