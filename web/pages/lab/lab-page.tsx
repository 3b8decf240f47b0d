// The policy lab: try a failure, read the policy in force, write another one, and see what it would have changed.

import type { ReactNode } from "react";
import { useWords, wordTable } from "../../app/words.ts";
import { Page } from "../../parts/page.tsx";
import { TabPages } from "../../parts/tabs.tsx";
import { useKept } from "./kept.ts";
import { PolicyEditor } from "./policy-editor.tsx";
import { PolicyTable } from "./policy-table.tsx";
import { TryFailure } from "./try-failure.tsx";
import "../../parts/field.css";
import "./lab.css";

const PARTS = ["try", "policy", "edit"] as const;

export function LabPage(): ReactNode {
  const words = useWords(WORDS);
  const [text, setText] = useKept("policy", EXAMPLE);
  const pages: Readonly<Record<(typeof PARTS)[number], () => ReactNode>> = {
    try: () => <TryFailure edited={text} />,
    policy: () => <PolicyTable />,
    edit: () => <PolicyEditor text={text} onText={setText} onReset={() => setText(EXAMPLE)} />,
  };
  return (
    <Page title={words.title} says={words.says}>
      <TabPages className="lab" label={words.title} names={PARTS} words={words.parts} page={(name) => pages[name]()} />
    </Page>
  );
}

/** A policy to begin with: its comments are part of a file, so they stand in the language of the file format. */
const EXAMPLE = `version: 1
preset: default

rows:
  # Wait for a provider that is busy, at most three times, then fall back.
  - match: { code: [RateLimited, Overloaded] }
    retry:
      maxAttempts: 4
      backoff: { kind: exponential, initialMs: 2000, maxMs: 30000 }
      jitter: 0.3
    then: [fallback, park, fail]

  # A tool that fails briefly is tried twice, then left out.
  - match: { class: ToolTransient }
    retry: { maxAttempts: 2, backoff: { kind: fixed, initialMs: 250 } }
    then: [alternative, skip, surface]
`;

const WORDS = wordTable({
  "en": {
    title: "Policy lab",
    says: "Try a failure, read the policy in force, and see what another policy would have decided. Nothing here changes a run.",
    parts: { try: "Try a failure", policy: "Policy in force", edit: "Edit and replay" },
  },
  "zh-CN": {
    title: "策略实验室",
    says: "试一个故障，查看当前策略，看看另一份策略会如何决定。这里的任何操作都不会改变运行。",
    parts: { try: "试一个故障", policy: "当前策略", edit: "编辑与重放" },
  },
});
