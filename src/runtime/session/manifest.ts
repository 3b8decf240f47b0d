// What a session is, and whether the one in the journal still is what this program takes it for.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import type { Manifest } from "../../core/record/event.ts";

const FIELDS: Readonly<Record<keyof Manifest, (value: unknown) => boolean>> = {
  sessionId: isName,
  storeId: isName,
  contract: (value) => value === 1,
  mode: (value) => value === "attended" || value === "headless",
  createdAt: (value) => typeof value === "number",
  labels: (value) => typeof value === "object" && value !== null,
};

function isName(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

/** Refuses a manifest that has drifted, and a session that another store wrote. */
export function checkManifest(manifest: unknown, session: string, storeId: string): Manifest {
  const found = (typeof manifest === "object" && manifest !== null ? manifest : {}) as Readonly<
    Record<string, unknown>
  >;
  const wrong = [
    ...Object.entries(FIELDS).flatMap(([field, fits]) => (fits(found[field]) ? [] : [field])),
    ...Object.keys(found).filter((field) => !Object.hasOwn(FIELDS, field)),
  ];
  const [field] = wrong;
  if (field !== undefined) {
    throw new FaultError(
      fault("ManifestDrift", {
        message: `the manifest of session ${session} is not one this version can resume: ${wrong.join(", ")}; begin a new session, or use the version that wrote it`,
        context: { session, field },
      }),
    );
  }
  if (found["storeId"] !== storeId) {
    throw new FaultError(
      fault("ResumeMismatch", {
        message: `session ${session} was written by store ${String(found["storeId"])}, this is ${storeId}; import it with \`adopt\` to go on here`,
        context: { session, expected: storeId },
      }),
    );
  }
  return found as unknown as Manifest;
}
