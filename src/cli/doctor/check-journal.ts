// Whether the journal a person named can be used: one that is there is opened, for one that is not the folder is looked at.

import { type MachineCheck, obstacleToMaking } from "../../agent/doctor/machine.ts";
import type { Locale } from "../../core/index.ts";
import { type Io, UsageError } from "../io.ts";
import { isThere, type JournalPlace, withJournal } from "../journal/with-journal.ts";
import { oneLine } from "../safe-text.ts";
import { DOCTOR_WORDS } from "./doctor-words.ts";

/** Makes no file. Never throws for what is wrong with the journal. */
export async function checkJournal(file: string, hasSqlite: boolean, io: Io, locale: Locale): Promise<MachineCheck> {
  const value = oneLine(file);
  const words = DOCTOR_WORDS[locale];
  if (!hasSqlite) return { check: "journal", value, ok: false, detail: words.needsSqlite };
  const place: JournalPlace = { file, io, locale };
  try {
    if (await isThere(place)) {
      await withJournal(place, () => Promise.resolve());
      return { check: "journal", value, ok: true, detail: null };
    }
  } catch (error) {
    // Every refusal of the journal and of the file has been put into words by now.
    if (!(error instanceof UsageError)) throw error;
    return { check: "journal", value, ok: false, detail: oneLine(error.message) };
  }
  const obstacle = obstacleToMaking(file);
  return {
    check: "journal",
    value,
    ok: obstacle === null,
    detail: obstacle === null ? words.madeLater : words.obstacles[obstacle],
  };
}
