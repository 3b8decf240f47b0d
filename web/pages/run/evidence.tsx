// Why something failed: what came from outside word for word, the causes behind it, and the rule that named it.

import type { ReactNode } from "react";
import { useWords } from "../../app/words.ts";
import { Facts, Quote } from "../../parts/page.tsx";
import type { Span } from "../trace/trace-rows.ts";
import type { Fault } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";

export function Evidence({ fault }: { readonly fault: Fault }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { detail, excerpt, hint, rule, source, nearly = [], context = {} } = fault;
  // Viewers get words only.
  if (rule === undefined) return <p className="dim">{words.onlyOperators}</p>;
  const text = [detail, excerpt].filter((part, index, all) => part !== "" && all.indexOf(part) === index).join("\n\n");
  const known = Object.entries(context).map(([name, value]) => `${name} ${String(value)}`);
  return (
    <div className="evidence">
      {text === "" ? null : <Quote label={words.evidence}>{text}</Quote>}
      {hint === undefined || hint === "" ? null : <p>{hint}</p>}
      <Causes fault={fault} />
      <details>
        <summary>
          {words.rule} <code>{rule}</code>
        </summary>
        <Facts
          rows={[
            [words.source, source ?? ""],
            [words.nearly, nearly.length === 0 ? words.nothingNear : <code key="nearly">{nearly.join(", ")}</code>],
            ...(known.length === 0 ? [] : [[words.context, known.join(" · ")] as const]),
          ]}
        />
      </details>
      <Thrown fault={fault} />
    </div>
  );
}

/** What other attempts met: the first failure is often the cause, and only the last one is shown above. */
export function Earlier({ spans, shown }: { readonly spans: readonly Span[]; readonly shown: Fault }): ReactNode {
  const words = useWords(RUN_WORDS);
  const met = new Map<string, { readonly tool: string; readonly fault: Fault; readonly times: number }>();
  for (const { kind, tool, fault } of spans) {
    if (kind !== "attempt" || fault === null) continue;
    const key = `${tool}\n${fault.code}\n${fault.excerpt ?? ""}`;
    met.set(key, { tool, fault, times: (met.get(key)?.times ?? 0) + 1 });
  }
  const others = [...met.values()].filter(({ fault }) => fault.code !== shown.code || fault.excerpt !== shown.excerpt);
  if (others.length === 0) return null;
  return (
    <div className="evidence-earlier">
      <h3>{words.earlierEvidence}</h3>
      {others.map(({ tool, fault, times }, index) => (
        <div key={index}>
          <p>
            <b>{fault.title}</b> · {tool}
            {times > 1 ? ` × ${times}` : ""}
          </p>
          {fault.excerpt === undefined || fault.excerpt === "" ? null : (
            <Quote label={`${words.evidence}: ${tool}, ${fault.title}`}>{fault.excerpt}</Quote>
          )}
        </div>
      ))}
    </div>
  );
}

function Causes({ fault: { causes = [] } }: { readonly fault: Fault }): ReactNode {
  const words = useWords(RUN_WORDS);
  if (causes.length === 0) return null;
  return (
    <div>
      <h3>{words.causes}</h3>
      <ol className="evidence-chain">
        {causes.map(({ code, message }, index) => (
          <li key={index}>
            <code>{code}</code>
            <span>{message}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Each error with its stack in a block of its own, never inside of other text. */
function Thrown({ fault: { thrown = [] } }: { readonly fault: Fault }): ReactNode {
  const words = useWords(RUN_WORDS);
  if (thrown.length === 0) return null;
  return (
    <details>
      <summary>{words.thrown}</summary>
      <ol className="evidence-chain">
        {thrown.map(({ name, message, code, stack }, index) => (
          <li key={index}>
            <span>
              <code>{name}</code> {code === undefined ? null : <code>{code}</code>} {message}
            </span>
            {stack === undefined ? null : <Quote label={`${words.thrown} ${index + 1}: ${name}`}>{stack}</Quote>}
          </li>
        ))}
      </ol>
    </details>
  );
}
