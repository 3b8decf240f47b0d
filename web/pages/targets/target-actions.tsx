// What a person can do to a target. Isolating asks for a reason, because others will meet it; putting back asks once more.

import { type ReactNode, type SubmitEvent, useState } from "react";
import { useAct } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogFoot } from "../../parts/dialog.tsx";
import { ProblemState } from "../../parts/states.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { nameOf, type Target } from "./target-pill.tsx";
import { TARGET_WORDS } from "./target-words.ts";
import "../../parts/form/form.css";
import "./target-actions.css";

type Action = Target["actions"][number];

export interface TargetActionsProps {
  readonly target: Target;
  /** With what each button does under its name. */
  readonly isFull?: boolean;
}

export function TargetActions({ target, isFull = false }: TargetActionsProps): ReactNode {
  const canAct = useCanAct();
  const [chosen, setChosen] = useState<Action | null>(null);
  const words = useWords(TARGET_WORDS);
  const { say, fail } = useToasts();
  const probe = useAct("probeTarget");
  if (!canAct) return null;
  const press = (action: Action): void => {
    if (action.id !== "probe") setChosen(action);
    else {
      // A probe is one call that would come anyway: nothing to ask about.
      const sent = { params: { target: target.target } };
      probe.mutate(sent, { onSuccess: () => say(words.probing(nameOf(target))), onError: fail });
    }
  };
  return (
    <div className={isFull ? "target-actions full" : "target-actions"}>
      {target.actions.map((action) => (
        <Button
          key={action.id}
          {...(isFull ? { effect: action.effect } : { title: action.effect })}
          isBusy={action.id === "probe" && probe.isPending}
          onClick={() => press(action)}
        >
          {action.label}
        </Button>
      ))}
      {chosen === null ? null : <ConfirmAction target={target} action={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
}

interface ConfirmProps {
  readonly target: Target;
  readonly action: Action;
  readonly onClose: () => void;
}

function ConfirmAction({ target: about, action: { id, label, effect }, onClose }: ConfirmProps): ReactNode {
  const { target } = about;
  const words = useWords(TARGET_WORDS);
  const { say } = useToasts();
  const [reason, setReason] = useState("");
  const isolate = useAct("isolateTarget");
  const reset = useAct("resetTarget");
  const asksReason = id === "isolate";
  const { isPending, error } = asksReason ? isolate : reset;
  const [isMissing, setMissing] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setMissing(asksReason && reason.trim() === "");
    if (isPending || (asksReason && reason.trim() === "")) return;
    const done = {
      onSuccess: () => {
        say(words.did[asksReason ? "isolate" : "reset"](nameOf(about)));
        onClose();
      },
    };
    if (asksReason) isolate.mutate({ params: { target }, body: { reason: reason.trim() } }, done);
    else reset.mutate({ params: { target } }, done);
  };
  return (
    <Dialog isOpen onClose={onClose} title={words.about(label, nameOf(about))} says={effect}>
      <form className="target-confirm" onSubmit={submit} noValidate>
        {asksReason ? (
          <label className="form-field">
            <span>{words.why}</span>
            <input
              aria-required
              aria-invalid={isMissing}
              autoFocus
              maxLength={500}
              value={reason}
              onChange={({ target: field }) => setReason(field.value)}
            />
            {isMissing ? (
              <span className="form-wrong" role="alert">
                {words.whyMissing}
              </span>
            ) : null}
          </label>
        ) : null}
        {error === null ? null : <ProblemState error={error} isInline />}
        <DialogFoot>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={isPending}>
            {label}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  );
}
