// The dialog of an action that costs something, cannot be taken back, or needs an input. It says what happens before it happens, and stays
// open with everything that was typed when the server refuses.

import { type ReactNode, type SubmitEvent, useState } from "react";
import { useFormat } from "../app/format.ts";
import { useRead } from "../app/server.tsx";
import { classifyThrown } from "../app/thrown.ts";
import { useWords, wordTable } from "../app/words.ts";
import { QuestionForm } from "../pages/questions/question-form.tsx";
import { ActionInputs } from "./action-inputs.tsx";
import { type Action, emptyDraft, paramsOf } from "./action-params.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogFoot } from "./dialog.tsx";
import { Facts } from "./page.tsx";
import { Prose } from "./prose.tsx";
import { ProblemState, Skeleton } from "./states.tsx";

export interface ActionDialogProps {
  readonly action: Action;
  readonly onClose: () => void;
  /** Rejects when the server refuses. */
  readonly onSend: (params: Readonly<Record<string, unknown>>) => Promise<void>;
}

export function ActionDialog(props: ActionDialogProps): ReactNode {
  const { action, onClose } = props;
  return (
    <Dialog isOpen onClose={onClose} title={action.label} says={action.explains}>
      {action.needs === "answer" ? <Question {...props} /> : <Form {...props} />}
    </Dialog>
  );
}

/** A question has a form of its own, which answers it. */
function Question({ action, onClose }: ActionDialogProps): ReactNode {
  const { data, error } = useRead("showQuestion", { params: { question: action.question } });
  if (error !== null) return <ProblemState error={error} isInline />;
  if (data?.id !== action.question) return <Skeleton kind="text" rows={3} />;
  return (
    <>
      <Prose text={data.prompt} />
      <QuestionForm question={data} onDone={onClose} />
    </>
  );
}

function Form({ action, onClose, onSend }: ActionDialogProps): ReactNode {
  const words = useWords(WORDS);
  const { money } = useFormat();
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
      setError(classifyThrown(reason));
      setBusy(false);
    }
  };
  const facts = [
    [words.redoes, action.redoes],
    [words.keeps, action.keeps],
    [words.costs, action.costMicrocents === 0 ? "" : words.before(money(action.costMicrocents))],
  ] as const;
  return (
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
  );
}

const WORDS = wordTable({
  "en": {
    redoes: "Does again",
    keeps: "Keeps",
    costs: "Costs",
    before: (money: string) => `This stage has cost ${money} so far.`,
    back: "Back",
  },
  "zh-CN": {
    redoes: "将重做",
    keeps: "将保留",
    costs: "费用",
    before: (money: string) => `该阶段迄今已花费 ${money}。`,
    back: "返回",
  },
});
