// The places of journals, as people see them and type them again: no password gets out.

import { describe, expect, it } from "vitest";
import { folderBeside, isPostgresAddress, placeInCommand, shownPlace } from "../../src/journal/journal-place.ts";

const PLACES: readonly { place: string; isAddress: boolean; shown: string; typed: string; folder: string }[] = [
  { place: "work/journal.db", isAddress: false, shown: "work/journal.db", typed: "work/journal.db", folder: "work" },
  { place: "journal.db", isAddress: false, shown: "journal.db", typed: "journal.db", folder: "." },
  { place: "postgres.db", isAddress: false, shown: "postgres.db", typed: "postgres.db", folder: "." },
  {
    place: "postgres://ops:s3cret@db:5432/faults",
    ...{ isAddress: true, shown: "postgres://db:5432/faults", typed: "postgres://ops@db:5432/faults" },
    folder: ".faultline",
  },
  {
    place: "POSTGRESQL://ops:s3cret@db/faults?schema=team&password=s3cret",
    ...{ isAddress: true, shown: "postgres://db/faults?schema=team", typed: "postgresql://ops@db/faults?schema=team" },
    folder: ".faultline",
  },
  {
    place: "postgres://db/faults?schema=faultline",
    ...{ isAddress: true, shown: "postgres://db/faults", typed: "postgres://db/faults?schema=faultline" },
    folder: ".faultline",
  },
  {
    place: "postgres://ops:s3cret@db:x/faults",
    ...{ isAddress: true, shown: "postgres://…", typed: "postgres://…" },
    folder: ".faultline",
  },
];

describe("the place of a journal", () => {
  it.each(PLACES)("$place", ({ place, isAddress, shown, typed, folder }) => {
    expect(isPostgresAddress(place)).toBe(isAddress);
    expect([shownPlace(place), placeInCommand(place), folderBeside(place)]).toEqual([shown, typed, folder]);
    expect(`${shownPlace(place)} ${placeInCommand(place)}`).not.toContain("s3cret");
  });
});
