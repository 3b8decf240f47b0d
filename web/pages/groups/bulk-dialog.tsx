// One action on all runs of a group: chosen, previewed run by run, paced, and only then started. What was chosen is in the address, so a
// reload loses nothing; a start that the server refuses keeps the dialog and what was typed.

import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from "react";
import { useSearchParams } from "../../app/search-params.ts";
import { type Answer, useAct, useRead } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { ActionInputs } from "../../parts/action-inputs.tsx";
import { type Draft, emptyDraft, paramsOf } from "../../parts/action-params.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogFoot } from "../../parts/dialog.tsx";
import { ProblemState, Skeleton } from "../../parts/states.tsx";
import { BulkChoices, BulkEstimate, BulkRuns } from "./bulk-preview.tsx";
import { BulkPace, paceIn } from "./bulk-pace.tsx";
import "../../parts/actions.css";
import "./bulk-dialog.css";

export type BulkPreview = Answer<"previewBulk">;
type ActionId = NonNullable<Parameters<ReturnType<typeof useAct<"startBulk">>["mutate"]>[0]["body"]>["action"];

/** `?act=`: which action is previewed; empty for the server's choice. */
const OPEN = "act";
const SERVERS_CHOICE = "-";

export function useBulkDialog(): { readonly isOpen: boolean; readonly open: () => void } {
  const search = useSearchParams();
  return { isOpen: search.get(OPEN) !== null, open: () => search.set({ [OPEN]: SERVERS_CHOICE }) };
}

export function BulkDialog({ fingerprint }: { readonly fingerprint: string }): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const asked = search.get(OPEN);
  const pace = paceIn(search.get("pace") ?? "");
  const starting = useStart(fingerprint);
  const body = {
    ...(asked === null || asked === SERVERS_CHOICE ? {} : { action: asked as ActionId }),
    ...(pace === null ? {} : { pace }),
  };
  // While it starts, what the person agreed to stays. Runs that are acted on already would vanish from it.
  const reading = { enabled: !starting.isBusy };
  const { data, error, refetch } = useRead("previewBulk", { params: { fingerprint }, body }, reading);
  const close = (): void => search.set({ [OPEN]: null, pace: null });
  return (
    <Dialog isOpen onClose={close} title={words.title} says={words.says}>
      {data === undefined ? (
        error === null ? (
          <Skeleton kind="text" />
        ) : (
          <ProblemState error={error} onRetry={() => void refetch()} isInline />
        )
      ) : data.choices.length === 0 ? (
        <>
          <p>{words.nothing}</p>
          {starting.error === null ? null : <ProblemState error={starting.error} isInline />}
          <BulkRuns preview={data} />
        </>
      ) : (
        <BulkForm preview={data} starting={starting} onClose={close} />
      )}
    </Dialog>
  );
}

interface BulkFormProps {
  readonly preview: BulkPreview;
  readonly starting: Starting;
  readonly onClose: () => void;
}

function BulkForm({ preview, starting: { start, error, isBusy }, onClose }: BulkFormProps): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  const canAct = useCanAct();
  const asked = search.get(OPEN);
  const chosen = asked === null || asked === SERVERS_CHOICE ? preview.action : asked;
  const action = preview.choices.find(({ id }) => id === chosen) ?? null;
  // While another action is read, what is shown is still about the one before.
  const isShown = chosen === preview.action;
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const draft = action === null ? null : (drafts[action.id] ?? emptyDraft(action));
  const params = action === null || draft === null ? null : paramsOf(action, draft);
  const paceText = search.get("pace") ?? preview.estimate.pace.join(", ");
  const pace = paceIn(paceText);
  const [first] = preview.estimate.waves;
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (action === null || params === null || pace === null || isBusy || !isShown) return;
    start({ action: action.id as ActionId, params, pace: [...pace] });
  };
  return (
    <form className="bulk-form" onSubmit={submit}>
      <BulkChoices preview={preview} chosen={chosen} onChoose={(id) => search.set({ [OPEN]: id })} />
      {action === null || draft === null ? null : (
        <ActionInputs
          action={action}
          draft={draft}
          onDraft={(changed) => setDrafts({ ...drafts, [action.id]: changed })}
        />
      )}
      <BulkEstimate preview={preview} />
      <BulkRuns preview={preview} />
      <BulkPace text={paceText} waves={preview.estimate.waves} onText={(text) => search.set({ pace: text })} />
      {error === null ? null : <ProblemState error={error} isInline />}
      {canAct ? (
        <DialogFoot>
          <Button kind="quiet" onClick={onClose}>
            {words.back}
          </Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={isBusy}
            disabled={first === undefined || params === null || pace === null || !isShown}
          >
            {words.start(action?.label ?? "", first ?? 0)}
          </Button>
        </DialogFoot>
      ) : (
        <p className="dim">{words.viewer}</p>
      )}
    </form>
  );
}

type StartBody = NonNullable<Parameters<ReturnType<typeof useAct<"startBulk">>["mutate"]>[0]["body"]>;

interface Starting {
  readonly start: (body: StartBody) => void;
  readonly error: Error | null;
  readonly isBusy: boolean;
}

/**
 * The same content is started once, however often the button is pressed. It belongs to the dialog: the form goes when no run offers an
 * action any more, which the start itself may bring about.
 */
function useStart(fingerprint: string): Starting {
  const search = useSearchParams();
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => void (isOpen.current = false);
  }, []);
  const { mutate, error, isPending } = useAct("startBulk", ({ id }) => {
    // A person who has left the dialog meanwhile is not called back.
    if (isOpen.current) search.set({ [OPEN]: null, pace: null, bulk: id });
  });
  const sent = useRef({ content: "", key: "" });
  const start = (body: StartBody): void => {
    const content = JSON.stringify(body);
    if (sent.current.content !== content) sent.current = { content, key: crypto.randomUUID() };
    mutate({ params: { fingerprint }, body, idempotencyKey: sent.current.key });
  };
  return { start, error, isBusy: isPending };
}

const WORDS = wordTable({
  "en": {
    title: "Act on the runs of this group",
    says: "Nothing happens until you start it. It begins with few runs, and stops by itself when at least half of a wave fails again.",
    nothing: "No run of this group offers an action now.",
    back: "Back",
    start: (action: string, first: number) => `${action}: start with ${first === 1 ? "1 run" : `${first} runs`}`,
    viewer: "You see what would happen. Only operators can start it.",
  },
  "zh-CN": {
    title: "对此分组的运行执行操作",
    says: "在您启动之前什么都不会发生。先从少量运行开始；如果某一批中至少一半再次失败，会自动停止。",
    nothing: "此分组目前没有运行提供可执行的操作。",
    back: "返回",
    start: (action: string, first: number) => `${action}：先从 ${first} 个运行开始`,
    viewer: "您可以看到会发生什么。只有操作员可以启动。",
  },
});
