// Node's SQLite, loaded when the first journal is opened, so that a program without a journal file runs on a Node that has none.

import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { onFirstUse } from "../../host/builtin.ts";
import { refusal } from "../journal-faults.ts";

export function openDatabase(path: string | URL, options: DatabaseSyncOptions = {}): DatabaseSync {
  const { DatabaseSync } = sqlite();
  return new DatabaseSync(path, options);
}

interface Sqlite {
  readonly DatabaseSync: new (path: string | URL, options: DatabaseSyncOptions) => DatabaseSync;
}

const sqlite = onFirstUse(() => {
  const emitWarning = process.emitWarning.bind(process);
  // Node 22 calls its SQLite experimental, once, when it is loaded. We rely on what it has in common with Node 24, where it is not.
  process.emitWarning = (warning: string | Error, ...about: readonly unknown[]): void => {
    if (!String(warning).startsWith("SQLite is an experimental feature"))
      Reflect.apply(emitWarning, null, [warning, ...about]);
  };
  try {
    const loaded = process.getBuiltinModule("node:sqlite") as Sqlite | undefined;
    if (loaded === undefined) throw withoutSqlite();
    return loaded;
  } finally {
    process.emitWarning = emitWarning;
  }
});

function withoutSqlite(): Error {
  const { version } = process;
  return refusal(
    "HostCapabilityMissing",
    `A journal in a file needs Node 22.23, Node 24 or newer; this is Node ${version}, which has no SQLite. ` +
      "Install a newer Node, or keep the journal in memory: createFaultline() without the option `journal`.",
    { context: { capability: "sqlite", node: version } },
  );
}
