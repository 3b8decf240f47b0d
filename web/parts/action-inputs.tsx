// The fields of an action's dialog: what the action needs decides which.

import type { ReactNode } from "react";
import { useFormat } from "../app/format.ts";
import { useWords, wordTable } from "../app/words.ts";
import { type Action, type Draft, shownLimit } from "./action-params.ts";

export interface ActionInputsProps {
  readonly action: Action;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}

const INPUTS: Readonly<Record<Action["needs"], (props: ActionInputsProps) => ReactNode>> = {
  nothing: () => null,
  text: TextInput,
  target: TargetInput,
  limits: LimitInputs,
  answer: () => null,
  commands: NamesInput,
  tools: NamesInput,
};

export function ActionInputs(props: ActionInputsProps): ReactNode {
  const { needs, accepts } = props.action;
  const Input = INPUTS[needs];
  return (
    <>
      <Input {...props} />
      {accepts.map((each) =>
        each === "text" ? <CommentInput key={each} {...props} /> : <GrantInput key={each} {...props} />,
      )}
    </>
  );
}

function CommentInput({ draft, onDraft }: ActionInputsProps): ReactNode {
  const words = useWords(WORDS);
  return (
    <label className="action-field">
      <span>{words.comment}</span>
      <textarea rows={3} value={draft.text} onChange={(event) => onDraft({ ...draft, text: event.target.value })} />
    </label>
  );
}

function GrantInput({ draft, onDraft }: ActionInputsProps): ReactNode {
  const words = useWords(WORDS);
  return (
    <label className="action-field">
      <span>{words.alsoAllow}</span>
      <textarea rows={2} value={draft.names} onChange={(event) => onDraft({ ...draft, names: event.target.value })} />
    </label>
  );
}

function TextInput({ draft, onDraft }: ActionInputsProps): ReactNode {
  const words = useWords(WORDS);
  return (
    <label className="action-field">
      <span>{words.text}</span>
      <textarea
        rows={5}
        required
        autoFocus
        value={draft.text}
        onChange={(event) => onDraft({ ...draft, text: event.target.value })}
      />
    </label>
  );
}

function TargetInput({ action, draft, onDraft }: ActionInputsProps): ReactNode {
  const words = useWords(WORDS);
  return (
    <fieldset className="action-field">
      <legend>{words.target}</legend>
      {action.choices.map((choice) => (
        <label key={choice} className="action-choice">
          <input
            type="radio"
            name="target"
            value={choice}
            checked={draft.target === choice}
            onChange={() => onDraft({ ...draft, target: choice })}
          />
          <span>{choice}</span>
        </label>
      ))}
    </fieldset>
  );
}

function LimitInputs({ action, draft, onDraft }: ActionInputsProps): ReactNode {
  const words = useWords(WORDS);
  const { count } = useFormat();
  const limitNames: Readonly<Record<string, string>> = words.limits;
  return Object.entries(action.limits).map(([name, now]) => (
    <label key={name} className="action-field">
      <span>
        {limitNames[name] ?? name} <small className="dim">{words.higherThan(count(shownLimit(name, now)))}</small>
      </span>
      <input
        type="number"
        step="any"
        min={shownLimit(name, now)}
        value={draft.limits[name] ?? ""}
        onChange={(event) => onDraft({ ...draft, limits: { ...draft.limits, [name]: event.target.value } })}
      />
    </label>
  ));
}

function NamesInput({ action, draft, onDraft }: ActionInputsProps): ReactNode {
  const words = useWords(WORDS);
  return (
    <label className="action-field">
      <span>{action.needs === "commands" ? words.commands : words.tools}</span>
      <textarea
        rows={4}
        required
        autoFocus
        value={draft.names}
        onChange={(event) => onDraft({ ...draft, names: event.target.value })}
      />
    </label>
  );
}

const WORDS = wordTable({
  "en": {
    text: "Your text",
    comment: "Your comment (optional)",
    alsoAllow: "Further commands to allow, one per line (optional)",
    target: "Retry with",
    limits: {
      maxCostMicrocents: "Cost limit in dollars",
      timeoutMs: "Time limit in minutes",
      maxNodes: "Visits of nodes",
      turnCap: "Rounds",
    },
    higherThan: (now: string) => `now ${now}; the new one must be higher`,
    commands: "Commands to allow, one per line",
    tools: "Tools to allow, one per line",
  },
  "zh-CN": {
    text: "您的文字",
    comment: "您的意见（可选）",
    alsoAllow: "另外允许的命令，每行一条（可选）",
    target: "改用",
    limits: {
      maxCostMicrocents: "费用上限（美元）",
      timeoutMs: "时间上限（分钟）",
      maxNodes: "节点访问次数",
      turnCap: "轮次",
    },
    higherThan: (now: string) => `当前为 ${now}，新值必须更高`,
    commands: "要允许的命令，每行一条",
    tools: "要允许的工具，每行一个",
  },
});
