// When the store is gone for good, what could not be written goes into a file in the first folder that takes it. A person imports the file
// later. The file is complete, or it does not exist.

import { nodeFsPromises } from "../../host/builtin.ts";
import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import { classify } from "../../core/classify/classify.ts";
import type { Fault } from "../../core/fault/fault.ts";
import { readField } from "../../core/try-read.ts";
import { fileNameOf } from "./artefact-names.ts";
import type { Keep, NewEntry } from "../journal.ts";
import { refusal } from "../journal-faults.ts";
import { createSessionFileWriter } from "./session-file.ts";
import { makeFolder } from "./file-store.ts";

/** What could not be written to the journal. */
export interface Rescued {
  readonly storeId: string;
  readonly session: string;
  /** The number of the last entry that the journal has. */
  readonly after: number;
  readonly entries: readonly NewEntry[];
  readonly keeps: readonly Keep[];
  readonly at: number;
}

/** Returns where the file is. */
export async function writeRescue(folderCandidates: readonly string[], rescued: Rescued): Promise<string> {
  const { storeId, session, after, entries, keeps, at } = rescued;
  const writer = createSessionFileWriter({ storeId, session, after, entries: entries.length, at });
  const lines = [
    writer.header(),
    ...entries.map((entry) => writer.entry(entry)),
    ...keeps.map((keep) => writer.kept(keep)),
    writer.footer(),
  ];
  const text = `${lines.join("\n")}\n`;
  const name = `rescue-${fileNameOf(session)}-${after}-${at}`;
  const refused: { readonly why: string; readonly fault: Fault }[] = [];
  for (const folder of folderCandidates) {
    try {
      return await writeWhole(folder, name, text);
    } catch (error) {
      const code = error instanceof Error ? readField(error, "code") : undefined;
      const why = typeof code === "string" ? code : "unknown";
      refused.push({ why, fault: classify({ surface: "store", error }) });
    }
  }
  const reasons = refused.map(({ why }, index) => `folder ${index + 1}: ${why}`).join(", ");
  const because = refused.at(-1)?.fault;
  throw refusal(
    "StoreUnavailable",
    `${entries.length} entries of session ${session} could be written neither to the journal nor to a rescue file (${reasons || "no folder was named"}). ` +
      "Name a folder that can be written to.",
    { context: { session, after, entries: entries.length }, ...defined({ because }) },
  );
}

async function writeWhole(folder: string, name: string, text: string): Promise<string> {
  await makeFolder(folder, { mode: 0o700 });
  const place = await freePlace(folder, name);
  const draft = `${place}.part`;
  // A process that died here left only a draft, which is overwritten.
  const file = await nodeFsPromises().open(draft, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await file.close();
    await nodeFsPromises().rm(draft, { force: true });
    throw error;
  }
  await file.close();
  await nodeFsPromises().rename(draft, place);
  await syncFolder(folder);
  return place;
}

/** A rescue file is never written over. */
async function freePlace(folder: string, name: string): Promise<string> {
  const taken = new Set(await nodeFsPromises().readdir(folder));
  let number = 1;
  while (taken.has(numbered(name, number))) number++;
  return join(folder, numbered(name, number));
}

function numbered(name: string, number: number): string {
  return `${name}${number === 1 ? "" : `~${number}`}.jsonl`;
}

/** So that the name is on disk too. Windows cannot open a folder, and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await nodeFsPromises().open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
