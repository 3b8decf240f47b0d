// What is made of an error of PostgreSQL, of Node or of the driver: whether its statement is sent again, and what people read. As a file says
// that was reviewed (`npx vitest run test/journal/postgres/errors.test.ts -u` writes it again).

import { expect, it } from "vitest";
import { fault, FaultError } from "../../../src/core/fault/fault.ts";
import {
  againAfter,
  isAnswered,
  isOfOneWrite,
  isStale,
  postgresError,
} from "../../../src/journal/postgres/postgres-errors.ts";

const SAID: Readonly<Record<string, string>> = {
  "08006": "connection failure",
  "08P01": "unsupported startup parameter: statement_timeout",
  "57P01": "terminating connection due to administrator command",
  "57014": "canceling statement due to statement timeout",
  "53300": "sorry, too many clients already",
  "53100": "could not extend file: No space left on device",
  "40001": "could not serialize access",
  "40P01": "deadlock detected",
  "25006": "cannot execute SELECT FOR UPDATE in a read-only transaction",
  "28P01": 'password authentication failed for user "ada"',
  "3D000": 'database "agents" does not exist',
  "42501": "permission denied for database agents",
  "42883": "function faultline.write_3(…) does not exist",
  "42804": "binary data has array element type 16400 instead of expected 16500",
  "42P01": 'relation "faultline.events" does not exist',
  "42703": 'column "seal" does not exist',
  "3F000": 'schema "faultline" does not exist',
  "23505": "duplicate key value violates unique constraint",
  "22021": 'invalid byte sequence for encoding "UTF8": 0x00',
  "54000": "index row size 5600 exceeds btree version 4 maximum 2704",
  "XX000": "could not open relation",
  "FL001": "another process has written to the session",
  "ECONNREFUSED": "connect ECONNREFUSED 127.0.0.1:5432",
  "ETIMEDOUT": "connect ETIMEDOUT 10.0.0.1:5432",
  "EPIPE": "write EPIPE",
  "ENOENT": "ENOENT: no such file or directory, open '/certs/ca.pem'",
  "SELF_SIGNED_CERT_IN_CHAIN": "self-signed certificate in certificate chain",
};

const ERRORS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    Object.entries(SAID).map(([code, message]) => [
      code,
      Object.assign(new Error(message), { code, detail: "Key (session)=(hunter2) already exists." }),
    ]),
  ),
  "no code": new Error("Connection terminated unexpectedly"),
  "no code, of TLS": new Error("The server does not support SSL connections"),
  "several addresses": Object.assign(new AggregateError([new Error("connect ECONNREFUSED ::1:5432")], ""), {
    code: "ECONNREFUSED",
  }),
  "several addresses, and no error": new AggregateError([], ""),
  "several addresses, and what is no error": new AggregateError(["?"], ""),
  "a secret in it": new Error("connect to postgres://ada:hunter2@db failed: hunter2"),
  "no error": "broken",
  "a fault": new FaultError(fault("RunTimeout", { message: "the time is up" })),
};

it("says what to do, and never quotes a value or a secret", async () => {
  const lines = Object.entries(ERRORS).map(([what, error]) => {
    const { fault: made } = postgresError(error, ["hunter2"]);
    const cause = made.cause === undefined ? "" : `, because of ${made.cause.code}`;
    const [stale, alone, answered] = [isStale(error), isOfOneWrite(error), isAnswered(error)];
    return [
      `${what}: again ${againAfter(error)}${alone ? ", one write" : ""}${answered ? ", answered" : ""}${stale ? ", stale" : ""}`,
      `  ${made.code}${cause}: ${JSON.stringify(made.message)}`,
    ].join("\n");
  });
  expect(lines.join("\n")).not.toContain("hunter2");
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("reviewed/errors.txt");
});

it("keeps the code of the error, and is the same for a fault", () => {
  const made = new FaultError(fault("RunTimeout", { message: "the time is up" }));
  expect(postgresError(made)).toBe(made);
  const { cause } = postgresError(Object.assign(new Error("x"), { code: "08006", detail: "secret" }));
  expect(cause).toMatchObject({ message: "x", code: "08006" });
  expect(cause).not.toHaveProperty("detail");
});
