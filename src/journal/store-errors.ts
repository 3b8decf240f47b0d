// What SQLite's result codes mean for us: a table. Everything not listed is the store being unavailable.

import { classify } from "../core/classify/classify.ts";
import type { FaultCode } from "../core/fault/catalogue.ts";
import { type FaultContext, FaultError, isFaultError, withContext } from "../core/fault/fault.ts";
import { fieldOf } from "../core/try-read.ts";
import { refusal } from "./journal-faults.ts";

interface ResultRow {
  readonly name: string;
  /** Another connection is at work: waiting helps. */
  readonly waits: boolean;
  /** The fault of one write: the others of its transaction can do without it. */
  readonly alone: boolean;
  readonly means: FaultCode;
  /** What to do, where the fault is not that the store is away. */
  readonly advice: string;
  readonly example: string;
}

const LOOK_FOR_A_COPY = "Restore a copy of the file, or move it away and begin a new one.";

// prettier-ignore
const RESULTS: Readonly<Record<number, ResultRow>> = {
  1:  { name: "ERROR",      waits: false, alone: false, means: "ManifestDrift",    advice: LOOK_FOR_A_COPY, example: "no such column: hash" },
  5:  { name: "BUSY",       waits: true,  alone: false, means: "StoreUnavailable", advice: "", example: "database is locked" },
  6:  { name: "LOCKED",     waits: true,  alone: false, means: "StoreUnavailable", advice: "", example: "database table is locked" },
  11: { name: "CORRUPT",    waits: false, alone: false, means: "ManifestDrift",    advice: LOOK_FOR_A_COPY, example: "database disk image is malformed" },
  18: { name: "TOOBIG",     waits: false, alone: true,  means: "ShapeInvalid",     advice: "Keep large values as artefacts.", example: "string or blob too big" },
  19: { name: "CONSTRAINT", waits: false, alone: true,  means: "ManifestDrift",    advice: LOOK_FOR_A_COPY, example: "UNIQUE constraint failed: events.session, events.seq" },
  20: { name: "MISMATCH",   waits: false, alone: true,  means: "ManifestDrift",    advice: LOOK_FOR_A_COPY, example: "datatype mismatch" },
  26: { name: "NOTADB",     waits: false, alone: false, means: "ManifestDrift",    advice: LOOK_FOR_A_COPY, example: "file is not a database" },
};

const UNAVAILABLE: ResultRow = {
  name: "",
  waits: false,
  alone: false,
  means: "StoreUnavailable",
  advice: "",
  example: "disk I/O error",
};

export function isBusy(error: unknown): boolean {
  return resultOf(error).waits;
}

/** Whether one write is to blame, and not the store. */
export function isOfOneWrite(error: unknown): boolean {
  return resultOf(error).alone;
}

/** Whatever the store threw, as the fault it is; the error stays its cause. */
export function storeError(error: unknown, context: FaultContext = {}): FaultError {
  if (isFaultError(error)) return error;
  const { means, advice } = resultOf(error);
  const seen = withContext(classify({ surface: "store", error }), context);
  if (means === seen.code) return new FaultError(seen, { cause: error });
  return refusal(means, `The journal's file is not what was written (${seen.message}). ${advice}`, {
    context,
    because: seen,
    error,
  });
}

function resultOf(error: unknown): ResultRow {
  const code = fieldOf(error, "errcode");
  // The lower byte is the result, the rest tells more about it.
  return (typeof code === "number" ? RESULTS[code & 0xff] : undefined) ?? UNAVAILABLE;
}
