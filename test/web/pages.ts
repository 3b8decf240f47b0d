// The pages of the dashboard with something to see on each, in the sample world that all browser tests share. Its data is hostile: what came
// from outside tries to be markup (`hostile-text.ts`). Tests that change something start a server of their own.

import { inject } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import type { Served } from "./browser.ts";

export const PAGES = {
  "overview": "/",
  "runs": "/runs",
  "a run that failed": "/runs/review-pr-4408",
  "a run that waits for a person": "/runs/release-2.4",
  "questions": "/questions",
  "fault groups": "/groups",
  "a fault group": "/groups/{fingerprint}",
  "targets": "/targets",
  "gateway": "/gateway",
  "what the gateway spent": "/gateway?tab=spend",
  "calls of the gateway": "/gateway?tab=calls",
  "sessions": "/sessions",
  "the trace of a turn": "/sessions/plan-a-trip",
  "policy lab": "/lab",
  "audit": "/audit",
  "settings": "/settings",
  "search": "/search?q=review",
} as const;
export type PageName = keyof typeof PAGES;
export const PAGE_NAMES = Object.keys(PAGES) as readonly PageName[];

export interface PagesWorld extends Served {
  readonly operator: Client;
  readonly path: (name: PageName) => Promise<string>;
}

export function pagesWorld(): PagesWorld {
  const { url, tokens } = inject("sampleWorld");
  const operator = createClient({ baseUrl: url, token: tokens.operator });
  return {
    ...{ url, tokens, operator },
    path: async (name) => {
      const page = PAGES[name];
      if (!page.includes("{fingerprint}")) return page;
      const [group] = (await operator.listFaultGroups({})).items;
      return page.replace("{fingerprint}", encodeURIComponent(group?.fingerprint ?? ""));
    },
  };
}
