// Copies the incident report about a run as Markdown, for a ticket or a chat. It has no secrets in it.

import type { ReactNode } from "react";
import { useState } from "react";
import { useClient } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { RUN_WORDS } from "./words.ts";

/** Nothing for viewers: the report has what tools and providers said. */
export function CopyReport({ run }: { readonly run: string }): ReactNode {
  const words = useWords(RUN_WORDS);
  const client = useClient();
  const toasts = useToasts();
  const canRead = useCanAct();
  const [isBusy, setBusy] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(await client.text("reportOnRun", { params: { run } }));
    toasts.say(words.reportCopied);
  };
  const start = (): void => {
    setBusy(true);
    void copy()
      .catch(toasts.fail)
      .finally(() => setBusy(false));
  };
  return canRead ? (
    <Button isBusy={isBusy} onClick={start}>
      {words.copyReport}
    </Button>
  ) : null;
}
