// The pages of the dashboard with something to see on each, in the sample world.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type SampleWorld, startSampleWorld } from "./sample-world.ts";

export const PAGES = {
  "overview": "/",
  "runs": "/runs",
  "a run that failed": "/runs/review-pr-4408",
  "a run that waits for a person": "/runs/release-2.4",
  "questions": "/questions",
  "fault groups": "/groups",
  "a fault group": "/groups/{fingerprint}",
  "targets": "/targets",
  "sessions": "/sessions",
  "the trace of a turn": "/sessions/plan-a-trip",
  "policy lab": "/lab",
  "audit": "/audit",
  "settings": "/settings",
  "search": "/search?q=review",
} as const;
export type PageName = keyof typeof PAGES;
export const PAGE_NAMES = Object.keys(PAGES) as readonly PageName[];

export interface PagesWorld extends SampleWorld {
  readonly path: (name: PageName) => string;
}

/** A sample world for all tests of a file. */
export async function pagesWorld(): Promise<PagesWorld> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-web-"));
  const world = await startSampleWorld(folder);
  afterAll(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const [group] = (await world.operator.listFaultGroups({})).items;
  return {
    ...world,
    path: (name) => PAGES[name].replace("{fingerprint}", encodeURIComponent(group?.fingerprint ?? "")),
  };
}
