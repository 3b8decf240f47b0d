// Follows a gateway file while a gateway runs. It reports each change once: new settings, mistakes, or that the file is gone. In the last two
// cases the settings in force stay.
// F1  A change is seen wherever the file lies. A watcher of its folder sees it at once, but sees nothing of a file behind a link, on a network's
//     disk, or one that a container has from its host; so the file is also read every second.
// F2  A change counts as seen when its listener has taken it over. Until then it is reported again, and why it was not, once.

import type { Locale } from "../core/index.ts";
import { dirname, resolve } from "node:path";
import { afterIdle, type Clock } from "../host/clock.ts";
import { watchFolders } from "../workflow/folder/watch-folders.ts";
import type { Diagnostic } from "../yaml-file/diagnostic.ts";
import { parseGateway } from "../gateway/config/parse-gateway.ts";
import type { GatewaySettings } from "../gateway/config/settings.ts";

/** What became of a gateway file. */
export type GatewayFileNews =
  | {
      readonly state: "loaded";
      readonly settings: GatewaySettings;
      readonly text: string;
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly state: "wrong"; readonly text: string; readonly diagnostics: readonly Diagnostic[] }
  | { readonly state: "gone" };

export interface GatewayFileOptions {
  readonly file: string;
  /** The text in use. The watcher reports what differs from it. */
  readonly text: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The language of the diagnostics. Default: English. */
  readonly locale?: Locale;
  /** null: the file is not there. */
  readonly read: (file: string) => Promise<string | null>;
  readonly onNews: (news: GatewayFileNews) => Promise<void>;
}

const POLL_MS = 1_000;

/** Returns how to stop. */
export function followGatewayFile({ file, text, env, clock, locale, read, onNews }: GatewayFileOptions): () => void {
  let known: string | null = text;
  /** Why the last change could not be read, or taken over; null: it was. */
  let trouble: string | null = null;
  let isLooking = false;
  const tell = (found: string | null): Promise<void> => {
    if (found === null) return onNews({ state: "gone" });
    const { settings, diagnostics } = parseGateway(found, file, env, locale);
    return onNews(
      settings === null
        ? { state: "wrong", text: found, diagnostics }
        : { state: "loaded", settings, text: found, diagnostics },
    );
  };
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const found = await read(file);
      // Other files of the folder change, too.
      if (found !== known) await tell(found);
      known = found;
      trouble = null;
    } catch (error) {
      const before = trouble;
      trouble = String(error);
      if (trouble !== before) throw error;
    } finally {
      isLooking = false;
    }
  };
  const watch = watchFolders(clock, look, `reading ${file}; it is read again soon`);
  let disarm = afterIdle(POLL_MS, poll);
  function poll(): void {
    disarm = afterIdle(POLL_MS, poll);
    const lookAgain = (): void => watch.changed();
    read(file).then((found) => {
      if (found !== known) lookAgain();
    }, lookAgain);
  }
  watch.follow([dirname(resolve(file))]);
  return () => {
    disarm();
    watch.close();
  };
}
