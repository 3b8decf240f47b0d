// Decides past decisions again under another policy and shows the difference. A long replay says how far it is and can be cancelled.

import { type ReactNode, useEffect, useRef, useState } from "react";
import { serverNow } from "../../app/clock.ts";
import { type Answer, type Sent, useClient } from "../../app/server.tsx";
import { classifyThrown, suppressThrown } from "../../app/thrown.ts";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Empty, ProblemState } from "../../parts/states.tsx";
import { useKept } from "./kept.ts";
import { LabChoice, LabInput, PRESETS } from "./lab-field.tsx";
import { ReplayResult } from "./replay-result.tsx";
import { WORDS } from "./words.ts";

type Body = NonNullable<Sent<"replayPolicy">["body"]>;
export type Replayed = Answer<"replayPolicy">;

const HOUR_MS = 3_600_000;
const SINCE = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const;
const RANGES = ["last", "hour", "day", "week", "all"] as const;
type Range = (typeof RANGES)[number];
const PROGRESS_MS = 400;

export function ReplayPanel({ text, isUsable }: { readonly text: string; readonly isUsable: boolean }): ReactNode {
  const words = useWords(WORDS);
  const [rangeName, setRange] = useKept("range", "last");
  const range = RANGES.find((one) => one === rangeName) ?? "last";
  const [last, setLast] = useKept("last", "1000");
  const [which, setWhich] = useKept("replay-policy", "edited");
  const replay = useReplay();
  const preset = PRESETS.find((one) => one === which);
  const isReady = preset !== undefined || isUsable;
  const start = (): void =>
    replay.start({ ...(preset === undefined ? { text } : { preset }), ...rangeOf(range, last), limit: 50 });
  return (
    <section className="lab-part" aria-labelledby="lab-replay">
      <h2 id="lab-replay">{words.replay}</h2>
      <p className="dim">{words.replaySays}</p>
      <div className="lab-toolbar">
        <LabChoice
          label={words.policy}
          value={which}
          onChange={setWhich}
          choices={[["edited", words.edited], ...PRESETS.map((one) => [one, words.preset(one)] as const)]}
        />
        <LabChoice
          label={words.decisions}
          value={range}
          onChange={setRange}
          choices={RANGES.map((one) => [one, words.ranges[one]])}
        />
        {range === "last" ? (
          <LabInput label={words.howMany} type="number" min={1} value={last} onChange={setLast} />
        ) : null}
        <Button kind="primary" disabled={!isReady} isBusy={replay.isRunning} onClick={start}>
          {words.replayNow}
        </Button>
        {replay.isRunning ? <Button onClick={replay.cancel}>{words.cancel}</Button> : null}
      </div>
      {isReady ? null : <p className="lab-note">{words.notReady}</p>}
      <ReplayState replay={replay} />
    </section>
  );
}

function rangeOf(range: Range, last: string): Pick<Body, "last" | "sinceAt"> {
  if (range === "last") return { last: Math.max(1, Math.floor(Number(last) || 1)) };
  return range === "all" ? {} : { sinceAt: serverNow() - SINCE[range] };
}

function ReplayState({ replay: { isRunning, share, result, error } }: { readonly replay: Replay }): ReactNode {
  const words = useWords(WORDS);
  if (isRunning)
    return (
      <div className="lab-progress" role="status">
        <progress aria-label={words.replaying} {...(share === null ? {} : { value: share })} max={1} />
        <span className="num">{share === null ? words.replaying : `${Math.floor(share * 100)} %`}</span>
      </div>
    );
  if (error !== null) return <ProblemState error={error} isInline />;
  if (result === null) return <Empty title={words.notReplayed}>{words.notReplayedNext}</Empty>;
  return <ReplayResult replayed={result} />;
}

interface Replay {
  readonly isRunning: boolean;
  /** null while it is not known. */
  readonly share: number | null;
  readonly result: Replayed | null;
  readonly error: Error | null;
  readonly start: (body: Body) => void;
  readonly cancel: () => void;
}

function useReplay(): Replay {
  const client = useClient();
  const [state, setState] = useState<Pick<Replay, "result" | "error">>({ result: null, error: null });
  const [running, setRunning] = useState<{ readonly name: string; readonly stop: AbortController } | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const newest = useRef<AbortController | null>(null);
  useEffect(() => () => newest.current?.abort(), []);
  useEffect(() => {
    if (running === null) return undefined;
    const ask = async (): Promise<void> => {
      try {
        const { read, of } = await client.replayProgress({ query: { progress: running.name } });
        setShare(of === 0 ? null : read / of);
      } catch (error) {
        // The answer of the replay itself says what is wrong.
        suppressThrown("The progress of the replay is unknown.", error);
      }
    };
    const timer = setInterval(() => void ask(), PROGRESS_MS);
    return () => clearInterval(timer);
  }, [client, running]);
  const run = async (body: Body): Promise<void> => {
    newest.current?.abort();
    const stop = new AbortController();
    newest.current = stop;
    const name = crypto.randomUUID();
    setShare(null);
    setRunning({ name, stop });
    try {
      const result = await client.replayPolicy({ body: { ...body, progress: name }, signal: stop.signal });
      setState({ result, error: null });
    } catch (error) {
      const reason = classifyThrown(error);
      if (!stop.signal.aborted) setState(({ result }) => ({ result, error: reason }));
    }
    if (newest.current === stop) setRunning(null);
  };
  return {
    ...state,
    share,
    isRunning: running !== null,
    start: (body) => void run(body),
    cancel: () => running?.stop.abort(),
  };
}
