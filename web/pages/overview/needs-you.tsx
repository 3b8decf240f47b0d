// The questions that wait, on the overview: what is asked, since when, and how long there is to answer.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useNow } from "../../app/clock.ts";
import { useWords } from "../../app/words.ts";
import { Section } from "../../parts/page.tsx";
import { Countdown } from "../../parts/pill.tsx";
import { titleAndRest } from "../../../src/core/flow/question-title.ts";
import type { Overview } from "./overview-page.tsx";
import { OVERVIEW_WORDS } from "./overview-words.ts";

const SHOWN = 5;

export function NeedsYou({ overview: { needsYou } }: { readonly overview: Overview }): ReactNode {
  const words = useWords(OVERVIEW_WORDS);
  const { count, age } = useFormat();
  const now = useNow();
  const all = (
    <Link className="link" to="/questions">
      {words.all(`${count(needsYou.count)}${needsYou.isMore ? "+" : ""}`)}
    </Link>
  );
  return (
    <Section title={words.needsYou} aside={needsYou.count === 0 ? undefined : all}>
      {needsYou.count === 0 ? <p className="dim">{words.noneAsks}</p> : null}
      <ul className="overview-list">
        {needsYou.first.slice(0, SHOWN).map(({ id, prompt, session, title, askedAt, expiresAt }) => (
          <li key={id}>
            <Link to="/questions" search={{ question: id } as never} className="overview-main">
              <b className="one-line">{titleAndRest(prompt)[0]}</b>
              <span className="dim one-line">
                {[session, title ?? "", words.asked(age(now - askedAt))].filter((part) => part !== "").join(" · ")}
              </span>
            </Link>
            {expiresAt === null ? null : (
              <span className="num dim">
                {words.left} <Countdown until={expiresAt} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
