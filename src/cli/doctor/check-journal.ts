// Whether the journal a person named can be used: one that is there is looked at, for one that is not its folder is. Neither is changed.

import { type MachineCheck, obstacleToMaking, obstacleToWriting } from "../../agent/doctor/machine.ts";
import type { Locale } from "../../core/index.ts";
import { type Io, UsageError } from "../io.ts";
import { isThere, type JournalPlace, lookAtJournal } from "../journal/with-journal.ts";
import { oneLine } from "../render/safe-text.ts";
import { DOCTOR_WORDS } from "../render/words/doctor-words.ts";

/** Makes no file. Never throws for what is wrong with the journal. */
export async function checkJournal(file: string, hasSqlite: boolean, io: Io, locale: Locale): Promise<MachineCheck> {
  const value = oneLine(file);
  const words = DOCTOR_WORDS[locale];
  if (!hasSqlite) return { check: "journal", value, ok: false, detail: words.needsSqlite };
  const place: JournalPlace = { file, io, locale };
  try {
    if (await isThere(place)) {
      await lookAtJournal(place, () => Promise.resolve());
      const locked = obstacleToWriting(file);
      return { check: "journal", value, ok: locked === null, detail: locked === null ? null : words.obstacles[locked] };
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
