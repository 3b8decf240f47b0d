// What operators see of the server itself: its tokens and how it was started.

import { basename } from "node:path";
import type { HandlersOf } from "../handler.ts";
import { NOTICE_KINDS } from "../notify/notice.ts";
import type { ServerParts } from "../parts.ts";

export function settingsHandlers({
  tokens,
  version,
  url,
  drives,
  journalName,
  notify,
}: ServerParts): HandlersOf<"listTokens" | "showSettings"> {
  return {
    listTokens: ({ who }) => ({
      items: tokens.list().map(({ name, role, createdAt }) => ({ name, role, createdAt, isYours: name === who.name })),
    }),
    showSettings() {
      const { about = NOTICE_KINDS, webhook, command: [program] = [] } = notify ?? { about: [] };
      return {
        ...{ version, url, drives, journal: journalName },
        notices: {
          about: [...about],
          webhook: webhook === undefined ? null : { origin: new URL(webhook.url).origin },
          command: program === undefined ? null : { program: basename(program) },
        },
      };
    },
  };
}
