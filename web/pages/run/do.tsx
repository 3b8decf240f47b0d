// What to do about a run: its open questions, and the actions that the server offers, the narrowest redo first.

import type { ReactNode } from "react";
import { useRead } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { ActionButtons } from "../../parts/actions.tsx";
import { Section } from "../../parts/page.tsx";
import { titleAndRest } from "../../../src/core/flow/question-title.ts";
import { Prose } from "../../parts/prose.tsx";
import { Pending } from "../../parts/states.tsx";
import { QuestionForm } from "../questions/question-form.tsx";
import type { Run } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";

export function Do({ run }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  const canAct = useCanAct();
  // A question has its form here; a button that opens the same form would be a second one.
  const asked = new Set(run.asked.map(({ id }) => id));
  const actions = run.actions.filter(({ question }) => !asked.has(question));
  return (
    <Section title={words.do}>
      {run.asked.map((question) => (
        <AskedHere key={question.id} question={question} />
      ))}
      {canAct ? null : <p className="dim">{words.readOnly}</p>}
      <ActionButtons run={run.run} actions={actions} kind="panel" hasPrimary={run.asked.length === 0} />
      {actions.length === 0 && run.asked.length === 0 ? <p className="dim">{words.nothingToDo}</p> : null}
    </Section>
  );
}

/** A question of the run, with its form. The run is read again by itself when it was answered. */
function AskedHere({ question: { id, prompt } }: { readonly question: Run["asked"][number] }): ReactNode {
  const [asked, rest] = titleAndRest(prompt);
  const read = useRead("showQuestion", { params: { question: id } });
  return (
    <div className="do-question">
      <h3>{asked}</h3>
      {rest === "" ? null : <Prose text={rest} />}
      {read.data === undefined ? (
        <Pending read={read} kind="text" rows={2} isInline />
      ) : (
        <>
          <QuestionForm question={read.data} onDone={() => void read.refetch()} />
          <p className="dim">{read.data.atTimeout}</p>
        </>
      )}
    </div>
  );
}
