// Paste a failure and see its fault, the words for each reader, and the decision.

import { type ReactNode, useMemo } from "react";
import { type Sent, useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Check } from "../../parts/check.tsx";
import { Empty, ProblemState, Skeleton } from "../../parts/states.tsx";
import { useKept, useSettled } from "./kept.ts";
import { LabChoice, LabInput, PRESETS } from "./lab-field.tsx";
import { TriedResult } from "./tried-result.tsx";
import { WORDS } from "./words.ts";

type Body = NonNullable<Sent<"classify">["body"]>;
type Surface = NonNullable<Body["surface"]>;

const SURFACES: Readonly<Record<Surface, true>> = {
  ...{ http: true, sse: true, node: true, cli: true, tool: true, mcp: true, schema: true, stop: true, store: true },
};

/** What to begin with, as people find it. Raw text, never translated. */
const EXAMPLES = {
  http: `HTTP/1.1 429 Too Many Requests
content-type: application/json
retry-after: 20

{"error":{"type":"rate_limit_error","message":"Number of requests has exceeded your per-minute rate limit"}}`,
  json: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
  stderr: `ERROR: stream disconnected before completion: Transport error: connection reset by peer
codex exited with code 1`,
} as const;

export function TryFailure({ edited }: { readonly edited: string }): ReactNode {
  const words = useWords(WORDS);
  const form = useTryForm(edited);
  const body = useSettled(form.body, 350);
  const isEmpty = form.pasted.trim() === "";
  const { data, error, refetch, isFetching } = useRead("classify", { body }, { enabled: !isEmpty });
  return (
    <div className="lab-split">
      <form className="lab-form" aria-label={words.tryForm} onSubmit={(event) => event.preventDefault()}>
        <label className="lab-field">
          <span>{words.pasted}</span>
          <textarea
            rows={11}
            spellCheck={false}
            value={form.pasted}
            placeholder={words.pastedHint}
            onChange={({ target }) => form.setPasted(target.value)}
          />
        </label>
        <div className="lab-examples">
          <span className="dim">{words.examples}</span>
          {(["http", "json", "stderr"] as const).map((one) => (
            <Button key={one} onClick={() => form.setPasted(EXAMPLES[one])}>
              {words.exampleNames[one]}
            </Button>
          ))}
        </div>
        <TryInputs form={form} />
      </form>
      <div className="lab-result" aria-live="polite" aria-busy={isFetching}>
        {data === undefined || isEmpty || error !== null ? <h2 className="visually-hidden">{words.result}</h2> : null}
        {isEmpty ? (
          <Empty title={words.nothingPasted}>{words.nothingPastedNext}</Empty>
        ) : error !== null ? (
          <ProblemState error={error} onRetry={() => void refetch()} isInline />
        ) : data === undefined ? (
          <Skeleton kind="text" />
        ) : (
          <TriedResult tried={data} deadlineMs={body.deadlineMs ?? null} />
        )}
      </div>
    </div>
  );
}

type TryForm = ReturnType<typeof useTryForm>;

function useTryForm(edited: string) {
  const [pasted, setPasted] = useKept("pasted", "");
  const [surface, setSurface] = useKept("surface", "");
  const [tool, setTool] = useKept("tool", "");
  const [provider, setProvider] = useKept("provider", "");
  const [isIdempotent, setIdempotent] = useKept("idempotent", true);
  const [attempt, setAttempt] = useKept("attempt", "1");
  const [deadline, setDeadline] = useKept("deadline", "");
  const [policy, setPolicy] = useKept("try-policy", "force");
  const known = (Object.keys(SURFACES) as readonly Surface[]).find((one) => one === surface);
  const preset = PRESETS.find((one) => one === policy);
  const body: Body = {
    pasted,
    idempotent: isIdempotent,
    ...(Number(attempt) >= 1 ? { attempt: Math.floor(Number(attempt)) } : {}),
    ...(known === undefined ? {} : { surface: known }),
    ...(tool.trim() === "" ? {} : { tool: tool.trim() }),
    ...(provider.trim() === "" ? {} : { provider: provider.trim() }),
    ...(deadline.trim() === "" || !(Number(deadline) >= 0) ? {} : { deadlineMs: Number(deadline) * 1_000 }),
    ...(policy === "edited" ? { text: edited } : preset === undefined ? {} : { preset }),
  };
  return {
    ...{ pasted, setPasted, surface, setSurface, tool, setTool, provider, setProvider, isIdempotent, setIdempotent },
    ...{ attempt, setAttempt, deadline, setDeadline, policy, setPolicy },
    // A new object only when something changed, so that it can stand still.
    body: useStable(body),
  };
}

function useStable<Value>(value: Value): Value {
  return useMemo(() => value, [JSON.stringify(value)]);
}

function TryInputs({ form }: { readonly form: TryForm }): ReactNode {
  const words = useWords(WORDS);
  return (
    <div className="lab-inputs">
      <LabChoice
        label={words.surface}
        value={form.surface}
        onChange={form.setSurface}
        choices={[["", words.detect], ...Object.keys(SURFACES).map((one) => [one, one] as const)]}
      />
      <LabChoice
        label={words.underPolicy}
        value={form.policy}
        onChange={form.setPolicy}
        choices={[
          ["force", words.inForce],
          ["edited", words.edited],
          ...PRESETS.map((one) => [one, words.preset(one)] as const),
        ]}
      />
      <LabInput label={words.tool} value={form.tool} onChange={form.setTool} />
      <LabInput label={words.provider} value={form.provider} onChange={form.setProvider} />
      <LabInput
        {...{ label: words.attemptFailed, type: "number", min: 1, max: 1000 }}
        value={form.attempt}
        onChange={form.setAttempt}
      />
      <LabInput
        {...{ label: words.deadlineIn, type: "number", min: 0, placeholder: words.noDeadline }}
        value={form.deadline}
        onChange={form.setDeadline}
      />
      <Check name={words.idempotent} isOn={form.isIdempotent} onChange={form.setIdempotent} />
    </div>
  );
}
