// Two attempts side by side. What differs is marked with a sign and a word.

import { type ReactNode, useEffect, useRef } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { textOfValue } from "./json-quote.tsx";
import type { Attempt } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";
import "./compare.css";

export interface CompareProps {
  readonly one: Attempt;
  readonly other: Attempt;
  readonly onClose: () => void;
}

export function Compare({ one, other, onClose }: CompareProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const [left, right] = one.startedAt <= other.startedAt ? [one, other] : [other, one];
  const fieldsOf = useFields();
  const [a, b] = [fieldsOf(left), fieldsOf(right)];
  const section = useRef<HTMLElement>(null);
  // It stands above a list that may be long: a person who picks the second attempt further down gets to it.
  useEffect(() => section.current?.focus(), [left.id, right.id]);
  return (
    <section ref={section} tabIndex={-1} className="compare" aria-label={words.compare}>
      <header>
        <h3>{words.compare}</h3>
        <Button kind="quiet" onClick={onClose}>
          {words.close}
        </Button>
      </header>
      <table className="run-table">
        <thead>
          <tr>
            <th scope="col">{words.field}</th>
            <th scope="col">{words.earlier}</th>
            <th scope="col">{words.later}</th>
          </tr>
        </thead>
        <tbody>
          {a.map(([name, value], index) => {
            const second = b[index]?.[1] ?? "";
            const differs = value !== second;
            return (
              <tr key={name} data-differs={differs}>
                <th scope="row">
                  {name} {differs ? <span className="compare-mark">≠ {words.differs}</span> : null}
                </th>
                <td>{value}</td>
                <td>{second}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function useFields(): (attempt: Attempt) => readonly (readonly [string, string])[] {
  const words = useWords(RUN_WORDS);
  const { duration, money, dateTime } = useFormat();
  const text = (value: unknown): string => (value === undefined || value === null ? "" : textOfValue(value));
  return (attempt) => [
    [words.target, attempt.tool === "" ? attempt.node : attempt.tool],
    [words.status, attempt.state.label],
    [words.startedAt, dateTime(attempt.startedAt)],
    [words.runtime, attempt.durationMs === null ? "" : duration(attempt.durationMs)],
    [words.cost, attempt.costMicrocents === null ? "" : money(attempt.costMicrocents)],
    [words.failure, attempt.fault?.title ?? ""],
    [words.code, attempt.fault?.code ?? ""],
    [words.evidence, attempt.fault?.excerpt ?? ""],
    [words.request, Object.values(attempt.fault?.requestIds ?? {}).join(", ")],
    [words.decision, attempt.decision?.says ?? ""],
    [words.input, text(attempt.input)],
    [words.output, text(attempt.output)],
  ];
}
