// Options that the campaigns share: which store has the journals, and what drives runs. They start the servers they need themselves.

import { type PostgresServer, startPostgres } from "../test/postgres/server.ts";
import { type RestateServers, startRestate } from "../test/support/restate-server.ts";

/** `--journal sqlite` or `--journal postgres`. */
export const JOURNAL_OPTION = { journal: { type: "string", default: "sqlite" } } as const;
/** `--driver plain` or `--driver restate`. */
export const DRIVER_OPTION = { driver: { type: "string", default: "plain" } } as const;

/** A server of its own, with every commit on disk; null for SQLite. */
export async function postgresFor(journal: string): Promise<PostgresServer | null> {
  return chosen("journal", journal, ["sqlite", "postgres"]) === "postgres" ? startPostgres() : null;
}

/** null for the plain driver. */
export async function restateFor(driver: string): Promise<RestateServers | null> {
  return chosen("driver", driver, ["plain", "restate"]) === "restate" ? startRestate() : null;
}

function chosen(option: string, value: string, allowed: readonly string[]): string {
  if (allowed.includes(value)) return value;
  throw new Error(`--${option} must be ${allowed.join(" or ")}, and is ${JSON.stringify(value)}`);
}
