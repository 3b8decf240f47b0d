// The form that answers a question. What it asks for comes with the question: yes or no, one of several, a value by its schema,
// or a sign-in elsewhere. A failed answer keeps what was typed.

import { type ReactNode, type SubmitEvent, useState } from "react";
import { ProblemError } from "faultline/client";
import { type Answer, type Sent, useAct } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { Button, Copy } from "../../parts/button.tsx";
import { SchemaForm, useSchemaForm } from "../../parts/form/schema-form.tsx";
import { titleAndRest } from "../../../src/core/flow/question-title.ts";
import { ProblemState } from "../../parts/states.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { QUESTION_WORDS } from "./question-words.ts";
import "./question-form.css";

export type OpenQuestion = Answer<"showQuestion">;
type Reply = Sent<"answerQuestion">["body"];

export interface QuestionFormProps {
  readonly question: OpenQuestion;
  /** It was answered, by this person or by another one. */
  readonly onDone: () => void;
}

export function QuestionForm({ question, onDone }: QuestionFormProps): ReactNode {
  const words = useWords(QUESTION_WORDS);
  const canAct = useCanAct();
  if (question.by !== null) return <p className="question-note">{words.answeredBy(question.by)}</p>;
  if (!question.canAnswer) return <p className="question-note">{words.secret}</p>;
  if (!canAct) return <p className="question-note">{words.viewer}</p>;
  // Another question is another form: nothing typed for one is sent for the other.
  return <AnswerForm key={question.id} question={question} onDone={onDone} />;
}

function AnswerForm({ question, onDone }: QuestionFormProps): ReactNode {
  const words = useWords(QUESTION_WORDS);
  const { say, fail } = useToasts();
  const { mutateAsync, isPending, error } = useAct("answerQuestion");
  const [isDeclining, setDeclining] = useState(false);
  // The form may be gone before the server says how it went: with the question, when another person was first.
  const send = (body: Reply): void => {
    if (isPending) return;
    mutateAsync({ params: { question: question.id }, body }).then(
      () => {
        say(words.sent);
        onDone();
      },
      (thrown: unknown) => {
        if (!isClosed(thrown)) return;
        fail(thrown);
        onDone();
      },
    );
  };
  const accept = (value: unknown): void => send({ status: "accepted", value });
  const Body = question.url === undefined ? BODIES[question.wants] : SignIn;
  return (
    <div className="question-form">
      {isDeclining ? (
        <Decline
          onSend={(reason) => send({ status: "rejected", reason })}
          onBack={() => setDeclining(false)}
          isBusy={isPending}
        />
      ) : null}
      <div className="question-body" hidden={isDeclining}>
        <Body question={question} onAccept={accept} isBusy={isPending} onDecline={() => setDeclining(true)} />
      </div>
      {error === null ? null : <ProblemState error={error} isInline />}
    </div>
  );
}

/** Another person was first, or it timed out: there is nothing left to send. All other problems stay beside the form. */
function isClosed(thrown: unknown): boolean {
  return thrown instanceof ProblemError && thrown.problem.code === "question-closed";
}

interface BodyProps {
  readonly question: OpenQuestion;
  readonly onAccept: (value: unknown) => void;
  readonly onDecline: () => void;
  readonly isBusy: boolean;
}

const BODIES: Readonly<Record<OpenQuestion["wants"], (props: BodyProps) => ReactNode>> = {
  "yes-no": YesNo,
  "option": Options,
  "json": Value,
  "text": Value,
};

function YesNo({ onAccept, onDecline, isBusy }: BodyProps): ReactNode {
  const words = useWords(QUESTION_WORDS);
  return (
    <div className="question-buttons">
      <Button kind="primary" isBusy={isBusy} onClick={() => onAccept(true)}>
        {words.yes}
      </Button>
      <Button isBusy={isBusy} onClick={() => onAccept(false)}>
        {words.no}
      </Button>
      <Button kind="quiet" onClick={onDecline}>
        {words.noBecause}
      </Button>
    </div>
  );
}

function SignIn({ question: { url = "", userCode }, onAccept, onDecline, isBusy }: BodyProps): ReactNode {
  const words = useWords(QUESTION_WORDS);
  const isWeb = /^https?:\/\//i.test(url);
  return (
    <>
      <ol className="question-steps">
        <li>
          <span>{words.openPage}</span>
          {isWeb ? (
            <a className="link" href={url} target="_blank" rel="noreferrer noopener">
              {url}
            </a>
          ) : (
            <Copy text={url} />
          )}
        </li>
        {userCode === undefined ? null : (
          <li>
            <span>{words.enterCode}</span>
            <span className="question-code">
              <Copy text={userCode} />
            </span>
          </li>
        )}
      </ol>
      <div className="question-buttons">
        <Button kind="primary" isBusy={isBusy} onClick={() => onAccept(true)}>
          {words.signedIn}
        </Button>
        <Button kind="quiet" onClick={onDecline}>
          {words.decline}
        </Button>
      </div>
    </>
  );
}

function Options({ question: { id, prompt, options = [] }, onAccept, onDecline, isBusy }: BodyProps): ReactNode {
  const words = useWords(QUESTION_WORDS);
  const [chosen, setChosen] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (chosen === null) setMissing(true);
    else onAccept(chosen);
  };
  return (
    <form onSubmit={submit} noValidate>
      <fieldset className="question-options">
        <legend className="visually-hidden">{titleAndRest(prompt)[0]}</legend>
        {options.map((option) => (
          <label key={option.id}>
            <input type="radio" name={id} checked={chosen === option.id} onChange={() => setChosen(option.id)} />
            <span>{option.label}</span>
          </label>
        ))}
      </fieldset>
      {isMissing && chosen === null ? <p className="form-wrong">{words.chooseOne}</p> : null}
      <SendButtons onDecline={onDecline} isBusy={isBusy} />
    </form>
  );
}

/** Without a schema, the answer is a text. */
const ANY_TEXT = { type: "string", maxLength: 65_536 } as const;

function Value({ question: { schema, issues = [] }, onAccept, onDecline, isBusy }: BodyProps): ReactNode {
  const words = useWords(QUESTION_WORDS);
  const form = useSchemaForm(schema ?? ANY_TEXT, { title: words.answer });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const read = form.read();
    if (read !== null) onAccept(read.value);
  };
  return (
    <form onSubmit={submit} noValidate>
      {issues.length === 0 ? null : <p className="dim">{words.replaces}</p>}
      <SchemaForm
        form={form}
        issues={issues.map(({ path, expected, got }) => ({ at: pointerOf(path), says: words.wasWrong(expected, got) }))}
      />
      <SendButtons onDecline={onDecline} isBusy={isBusy} />
    </form>
  );
}

/** `$.items[0].price` as a JSON Pointer. */
function pointerOf(path: string): string {
  return path
    .replace(/^\$/, "")
    .replaceAll(/\.?([^.[\]]+)\]?|\[/g, (_all, step: string | undefined) => (step === undefined ? "" : `/${step}`));
}

function SendButtons({ onDecline, isBusy }: Pick<BodyProps, "onDecline" | "isBusy">): ReactNode {
  const words = useWords(QUESTION_WORDS);
  return (
    <div className="question-buttons">
      <Button kind="primary" type="submit" isBusy={isBusy}>
        {words.send}
      </Button>
      <Button kind="quiet" onClick={onDecline}>
        {words.decline}
      </Button>
    </div>
  );
}

interface DeclineProps {
  readonly onSend: (reason: string) => void;
  readonly onBack: () => void;
  readonly isBusy: boolean;
}

function Decline({ onSend, onBack, isBusy }: DeclineProps): ReactNode {
  const words = useWords(QUESTION_WORDS);
  const [reason, setReason] = useState("");
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSend(reason.trim());
  };
  return (
    <form onSubmit={submit}>
      <label className="form-field">
        <span>
          {words.reason} <span className="dim">{words.optional}</span>
        </span>
        <textarea
          rows={2}
          maxLength={2_000}
          autoFocus
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <div className="question-buttons">
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {words.sendDecline}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          {words.back}
        </Button>
      </div>
    </form>
  );
}
