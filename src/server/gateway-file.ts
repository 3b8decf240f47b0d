// Follows a gateway file while a gateway runs. It reports each change once: new settings, mistakes, or that the file is gone. In the last two
// cases the settings in force stay.

import type { Locale } from "../core/index.ts";
import { dirname, resolve } from "node:path";
import type { Clock } from "../host/clock.ts";
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

/** Returns how to stop. */
export function followGatewayFile({ file, text, env, clock, locale, read, onNews }: GatewayFileOptions): () => void {
  let known: string | null = text;
  const look = async (): Promise<void> => {
    const found = await read(file);
    // Other files of the folder change, too.
    if (found === known) return;
    known = found;
    if (found === null) return onNews({ state: "gone" });
    const { settings, diagnostics } = parseGateway(found, file, env, locale);
    await onNews(
      settings === null
        ? { state: "wrong", text: found, diagnostics }
        : { state: "loaded", settings, text: found, diagnostics },
    );
  };
  const watch = watchFolders(clock, look, `reading ${file}; it is read again when it changes`);
  watch.follow([dirname(resolve(file))]);
  return () => watch.close();
}
