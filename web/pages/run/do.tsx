// What to do about a run: its open questions, and the actions that the server offers, the narrowest redo first.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { Section } from "../../parts/page.tsx";
import type { Run } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";

export function Do({ run }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  const canAct = useCanAct();
  return (
    <Section title={words.do}>
      {run.asked.map((question) => (
        <div key={question.id} className="do-question">
          <p>{question.prompt}</p>
          <Link className="link" to="/questions" search={{ question: question.id } as never}>
            {words.answerHere}
          </Link>
        </div>
      ))}
      {canAct ? null : <p className="dim">{words.readOnly}</p>}
      <ul>
        {run.actions.map(({ key, label, explains }) => (
          <li key={key}>
            <b>{label}</b> <span className="dim">{explains}</span>
          </li>
        ))}
      </ul>
      {run.actions.length === 0 && run.asked.length === 0 ? <p className="dim">{words.nothingToDo}</p> : null}
    </Section>
  );
}
