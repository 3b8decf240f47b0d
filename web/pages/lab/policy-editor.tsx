// A policy as text, checked while it is typed: mistakes are marked in the text and listed with what to do about them.

import { type ReactNode, useRef } from "react";
import { type Answer, useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemState } from "../../parts/states.tsx";
import { useSettled } from "./kept.ts";
import { ReplayPanel } from "./replay-panel.tsx";
import { WORDS } from "./words.ts";

type Diagnostic = Answer<"checkPolicy">["diagnostics"][number];

export interface PolicyEditorProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onReset: () => void;
}

export function PolicyEditor({ text, onText, onReset }: PolicyEditorProps): ReactNode {
  const words = useWords(WORDS);
  const field = useRef<HTMLTextAreaElement>(null);
  const settled = useSettled(text, 300);
  const { data, error, refetch } = useRead("checkPolicy", { body: { text: settled } });
  // Marks of an older text would stand in the wrong place.
  const diagnostics = data !== undefined && settled === text ? data.diagnostics : [];
  const jump = ({ line, column, length }: Diagnostic): void => {
    const start = placeOf(text, line, column);
    field.current?.focus();
    field.current?.setSelectionRange(start, start + Math.max(1, length));
    field.current?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div className="lab-split">
      <div className="lab-form">
        <div className="lab-editor-head">
          <label htmlFor="lab-policy-text">{words.policyText}</label>
          <Button kind="quiet" onClick={onReset}>
            {words.startOver}
          </Button>
        </div>
        <div className="lab-editor">
          <Gutter text={text} diagnostics={diagnostics} />
          <div className="lab-editor-text">
            <Marks text={text} diagnostics={diagnostics} />
            <textarea
              id="lab-policy-text"
              ref={field}
              wrap="off"
              spellCheck={false}
              rows={Math.max(18, text.split("\n").length + 1)}
              value={text}
              aria-describedby="lab-diagnostics"
              aria-invalid={data?.usable === false}
              onChange={({ target }) => onText(target.value)}
            />
          </div>
        </div>
        {error === null ? (
          <Diagnostics checked={settled === text ? data : undefined} onJump={jump} />
        ) : (
          <ProblemState error={error} onRetry={() => void refetch()} isInline />
        )}
      </div>
      <div className="lab-result">
        <ReplayPanel text={text} isUsable={data?.usable === true && settled === text} />
      </div>
    </div>
  );
}

/** Where a line and a column, both from 1, stand in a text. */
function placeOf(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
}

interface MarkedProps {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
}

function Gutter({ text, diagnostics }: MarkedProps): ReactNode {
  const worst = new Map<number, Diagnostic["severity"]>();
  for (const { line, severity } of diagnostics) if (worst.get(line) !== "error") worst.set(line, severity);
  return (
    <ol className="lab-gutter" aria-hidden="true">
      {text.split("\n").map((_line, index) => (
        <li key={index} data-severity={worst.get(index + 1) ?? "none"}>
          {index + 1}
        </li>
      ))}
    </ol>
  );
}

/** The same text under the field, unseen, with a wavy line under each mistake. */
function Marks({ text, diagnostics }: MarkedProps): ReactNode {
  const byLine = new Map<number, Diagnostic>();
  for (const one of diagnostics) if (!byLine.has(one.line)) byLine.set(one.line, one);
  return (
    <pre className="lab-marks" aria-hidden="true">
      {text.split("\n").map((line, index) => {
        const mark = byLine.get(index + 1);
        if (mark === undefined) return `${line}\n`;
        const [from, to] = [mark.column - 1, mark.column - 1 + Math.max(1, mark.length)];
        return (
          <span key={index}>
            {line.slice(0, from)}
            <mark data-severity={mark.severity}>{line.slice(from, to) === "" ? " " : line.slice(from, to)}</mark>
            {`${line.slice(to)}\n`}
          </span>
        );
      })}
    </pre>
  );
}

function Diagnostics({
  checked,
  onJump,
}: {
  readonly checked: Answer<"checkPolicy"> | undefined;
  readonly onJump: (diagnostic: Diagnostic) => void;
}): ReactNode {
  const words = useWords(WORDS);
  const diagnostics = checked?.diagnostics ?? [];
  return (
    <div id="lab-diagnostics" className="lab-diagnostics" role="status" aria-label={words.diagnostics}>
      {checked === undefined ? (
        <p className="dim">{words.checking}</p>
      ) : diagnostics.length === 0 ? (
        <p className="lab-good">{words.good(checked.policy?.rows.length ?? 0)}</p>
      ) : (
        <ul>
          {diagnostics.map((one, index) => (
            <li key={index} data-severity={one.severity}>
              <button type="button" onClick={() => onJump(one)}>
                <span className="lab-severity">{words.severities[one.severity]}</span>
                <span className="num">{words.place(one.line, one.column)}</span>
                <span>
                  {one.message}
                  {one.label === "" ? null : <em> · {one.label}</em>}
                  {one.help === "" ? null : <small>{one.help}</small>}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
