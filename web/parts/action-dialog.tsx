// The dialog of an action that costs something, cannot be taken back, or needs an input. It says what happens before it happens, and stays
// open with everything that was typed when the server refuses.

import { type ReactNode, type SubmitEvent, useState } from "react";
import { useWords, wordTable } from "../app/words.ts";
import { ActionInputs } from "./action-inputs.tsx";
import { type Action, emptyDraft, paramsOf } from "./action-params.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogFoot } from "./dialog.tsx";
import { Facts } from "./page.tsx";
import { ProblemState } from "./states.tsx";

export interface ActionDialogProps {
  readonly action: Action;
  readonly onClose: () => void;
  /** Rejects when the server refuses. */
  readonly onSend: (params: Readonly<Record<string, unknown>>) => Promise<void>;
}

export function ActionDialog({ action, onClose, onSend }: ActionDialogProps): ReactNode {
  const words = useWords(WORDS);
  const [draft, setDraft] = useState(() => emptyDraft(action));
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const params = paramsOf(action, draft);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (params === null || isBusy) return;
    setBusy(true);
    try {
      await onSend(params);
    } catch (reason) {
      setError(reason instanceof Error ? reason : new Error(String(reason)));
      setBusy(false);
    }
  };
  const facts = [
    [words.redoes, action.redoes],
    [words.keeps, action.keeps],
  ] as const;
  return (
    <Dialog isOpen onClose={onClose} title={action.label} says={action.explains}>
      <form className="action-form" onSubmit={(event) => void submit(event)}>
        <Facts rows={facts.filter(([, text]) => text !== "")} />
        <ActionInputs action={action} draft={draft} onDraft={setDraft} />
        {error === null ? null : <ProblemState error={error} isInline />}
        <DialogFoot>
          <Button kind="quiet" onClick={onClose}>
            {words.back}
          </Button>
          <Button
            kind={action.effect === "cancel" ? "danger" : "primary"}
            type="submit"
            isBusy={isBusy}
            disabled={params === null}
          >
            {action.label}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}

const WORDS = wordTable({
  "en": { redoes: "Does again", keeps: "Keeps", back: "Back" },
  "zh-CN": { redoes: "将重做", keeps: "将保留", back: "返回" },
});
