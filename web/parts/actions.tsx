// What can be done about a run, as the server offers it, best first. Each says before the click what it does again and what it keeps.

import * as Menu from "@radix-ui/react-dropdown-menu";
import * as Tooltip from "@radix-ui/react-tooltip";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useKeys } from "../app/keys.ts";
import { useSearchParams } from "../app/search-params.ts";
import { type Answer, useAct } from "../app/server.tsx";
import { useCanAct } from "../app/sign-in.tsx";
import { useWords, wordTable } from "../app/words.ts";
import { ActionDialog } from "./action-dialog.tsx";
import type { Action } from "./action-params.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { useToasts } from "./toasts.tsx";
import "./actions.css";

export type { Action } from "./action-params.ts";

export interface ActionButtonsProps {
  readonly run: string;
  readonly actions: readonly Action[];
  /** row: the best one and a menu. panel: all of them, with their keys. */
  readonly kind: "row" | "panel";
  /** False where something else comes first, such as the answer to a question. */
  readonly hasPrimary?: boolean;
}

export function ActionButtons({ run, actions, kind, hasPrimary = true }: ActionButtonsProps): ReactNode {
  const canAct = useCanAct();
  if (!canAct) return kind === "row" ? null : <ActionList actions={actions} />;
  if (kind === "row") return <RowActions run={run} actions={actions} />;
  return <PanelActions run={run} actions={actions} hasPrimary={hasPrimary} />;
}

/** For people who may look and not act. */
function ActionList({ actions }: { readonly actions: readonly Action[] }): ReactNode {
  return (
    <ul className="actions-list">
      {actions.map((action) => (
        <li key={action.key}>
          <b>{action.label}</b> <small className="dim">{action.explains}</small>
        </li>
      ))}
    </ul>
  );
}

type Offers = Pick<ActionButtonsProps, "run" | "actions">;

const KEYS: Readonly<Record<string, string>> = {
  "retry-stage": "r",
  "switch-provider": "s",
  "continue-discussion": "c",
};

function PanelActions({ run, actions, hasPrimary }: Offers & { readonly hasPrimary: boolean }): ReactNode {
  const { take, busy, dialog } = useTaking(run);
  const keyed = new Map<string, Action>();
  for (const action of actions) {
    const key = KEYS[action.id];
    if (key !== undefined && !keyed.has(key)) keyed.set(key, action);
  }
  useKeys(
    Array.from(keyed, ([keys, action]) => ({
      ...{ keys, says: action.label },
      does: () => take(action),
    })),
  );
  const keyOf = (action: Action): { readonly keyHint?: string } => {
    const key = KEYS[action.id];
    return key !== undefined && keyed.get(key) === action ? { keyHint: key } : {};
  };
  return (
    <div className="actions">
      {actions.map((action, index) => (
        <Button
          key={action.key}
          kind={action.effect === "cancel" ? "danger" : hasPrimary && index === 0 ? "primary" : "plain"}
          effect={effectOf(action)}
          isBusy={busy === action.key}
          onClick={() => take(action)}
          {...keyOf(action)}
        >
          {action.label}
        </Button>
      ))}
      {dialog}
    </div>
  );
}

/** What the button does, in the server's words. Of a cancellation that is not what it repeats: it ends the run. */
function effectOf({ effect, redoes, keeps, explains }: Action): string {
  return [effect === "cancel" ? explains : redoes, keeps].filter((text) => text !== "").join(" ") || explains;
}

function RowActions({ run, actions }: Offers): ReactNode {
  const words = useWords(WORDS);
  const { take, busy, dialog } = useTaking(run);
  const [best, ...others] = actions;
  if (best === undefined) return null;
  // What ends the run stays in the menu.
  const shown = best.effect === "cancel" ? null : best;
  const inMenu = shown === null ? actions : others;
  return (
    // A click on a button is not a click on its row.
    <div className="actions-row" onClick={(event) => event.stopPropagation()}>
      {shown === null ? null : (
        <Explained text={effectOf(shown)}>
          <Button isBusy={busy === shown.key} onClick={() => take(shown)}>
            {shown.label}
          </Button>
        </Explained>
      )}
      {inMenu.length === 0 ? null : (
        <Menu.Root>
          <Menu.Trigger className="icon-button" aria-label={words.more}>
            <Icon name="more" />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Content className="menu" align="end" sideOffset={4}>
              {inMenu.map((action) => (
                <Menu.Item
                  key={action.key}
                  className={action.effect === "cancel" ? "menu-item danger" : "menu-item"}
                  onSelect={() => take(action)}
                  onClick={(event) => event.stopPropagation()}
                >
                  <span>{action.label}</span>
                  <small>{effectOf(action)}</small>
                </Menu.Item>
              ))}
            </Menu.Content>
          </Menu.Portal>
        </Menu.Root>
      )}
      {dialog}
    </div>
  );
}

/** Says what a button does while the pointer or the focus is on it. */
function Explained({ text, children }: { readonly text: string; readonly children: ReactNode }): ReactNode {
  return (
    <Tooltip.Provider delayDuration={200}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content className="tooltip" sideOffset={4} collisionPadding={8}>
            {text}
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}

interface Taking {
  readonly take: (action: Action) => void;
  /** The key of the offer that is being carried out, or null. */
  readonly busy: string | null;
  readonly dialog: ReactNode;
}

/** Harmless and nothing to fill in: done at once, and it can be taken back. Everything else opens a dialog first. */
function useTaking(run: string): Taking {
  const words = useWords(WORDS);
  const { doSoon } = useToasts();
  const { mutateAsync } = useAct("act");
  const [open, setOpen] = useState<Action | null>(null);
  const [busy, setBusy] = useState<string | null>(null);
  const follow = useFollow(run);
  const send = async (action: Action, params: Readonly<Record<string, unknown>>): Promise<void> => {
    setBusy(action.key);
    try {
      follow(await mutateAsync({ params: { run }, body: { action: action.id, params, key: action.key } }));
    } finally {
      setBusy(null);
    }
  };
  const dialog =
    open === null ? null : (
      <ActionDialog
        action={open}
        onClose={() => setOpen(null)}
        onSend={async (params) => {
          await send(open, params);
          setOpen(null);
        }}
      />
    );
  return {
    take: (action) => (isHarmless(action) ? doSoon(words.soon(action.label), () => send(action, {})) : setOpen(action)),
    busy,
    dialog,
  };
}

/** A new run that does again what has cost money says so first; what can take a comment has a field for it. */
function isHarmless({ needs, accepts, effect, costMicrocents }: Action): boolean {
  return (
    needs === "nothing" &&
    accepts.length === 0 &&
    effect !== "cancel" &&
    (effect !== "successor" || costMicrocents === 0)
  );
}

/** A run that was continued elsewhere is followed there, when it is the one that is looked at. */
function useFollow(run: string): (acted: Answer<"act">) => void {
  const words = useWords(WORDS);
  const { say } = useToasts();
  const search = useSearchParams();
  const navigate = useNavigate();
  return ({ run: next, did }) => {
    // Another person, or another tab, was first.
    if (!did) say(next === run ? words.wasDone : words.wasContinued(next));
    if (next === run) return;
    if (did) say(words.continued(next));
    if (search.get("run") === run) search.set({ run: next });
    else if (location.pathname === `/runs/${encodeURIComponent(run)}`)
      void navigate({ to: "/runs/$run", params: { run: next } });
  };
}

const WORDS = wordTable({
  "en": {
    more: "More actions",
    soon: (label: string) => `${label}: starts in a moment.`,
    continued: (run: string) => `Continued in ${run}.`,
    wasDone: "This was done before; nothing was done again.",
    wasContinued: (run: string) => `The run had been continued before, in ${run}. Nothing else was done.`,
  },
  "zh-CN": {
    more: "更多操作",
    soon: (label: string) => `${label}：即将开始。`,
    continued: (run: string) => `由 ${run} 接续。`,
    wasDone: "此操作之前已完成，没有重复执行。",
    wasContinued: (run: string) => `该运行之前已由 ${run} 接续，没有执行其他操作。`,
  },
});
