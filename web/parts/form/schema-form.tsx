// A form made from a JSON Schema. It shows what is wrong beside each field, and keeps everything that was typed.

import { type ReactNode, useId, useState } from "react";
import { useWords } from "../../app/words.ts";
import { Button } from "../button.tsx";
import { Icon } from "../icon.tsx";
import { type Draft, draftOf, escaped, type Mistake, partAt, readDraft } from "./draft.ts";
import { type Field, fieldOf, type GroupField, type ListField, type Schema } from "./schema-field.ts";
import { FORM_WORDS, mistakeIn } from "./form-words.ts";
import { InputFor } from "./input.tsx";
import "./form.css";

/** What is wrong with a field, in words: from the form itself, or from the server. */
export interface FieldIssue {
  /** JSON Pointer of the field, such as `/address/zip`; empty for the whole. */
  readonly at: string;
  readonly says: string;
}

export interface SchemaFormState {
  readonly field: Field;
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
  readonly mistakes: readonly Mistake[];
  /** The field at this place is as it was at first. */
  readonly isUnchanged: (at: string) => boolean;
  /** The value, or null when something is wrong with it; the form then says what. */
  readonly read: () => { readonly value: unknown } | null;
}

/** Keeps the draft of a form. `known` is what is filled in at first. */
export function useSchemaForm(
  schema: Schema,
  options: { readonly title?: string; readonly known?: unknown } = {},
): SchemaFormState {
  const field = fieldOf(schema, options.title);
  const [first] = useState<Draft>(() => draftOf(field, options.known ?? field.start));
  const [draft, setDraft] = useState(first);
  const [isTried, setTried] = useState(false);
  const read = readDraft(field, draft);
  return {
    ...{ field, draft, setDraft },
    isUnchanged: (at) => partAt(draft, at) === partAt(first, at),
    // Nothing is wrong before the person has tried to send it.
    mistakes: isTried ? read.mistakes : [],
    read: () => {
      setTried(true);
      return read.mistakes.length === 0 ? { value: read.value } : null;
    },
  };
}

export interface SchemaFormProps {
  readonly form: SchemaFormState;
  /** What others say is wrong with what was there at first. Each is shown until its field changes. */
  readonly issues?: readonly FieldIssue[];
}

export function SchemaForm({ form, issues = [] }: SchemaFormProps): ReactNode {
  const words = useWords(FORM_WORDS);
  const { field, draft, setDraft, mistakes, isUnchanged } = form;
  const said = [
    ...mistakes.map((mistake) => ({ at: mistake.at, says: mistakeIn(words, mistake) })),
    ...issues.filter(({ at }) => isUnchanged(at)),
  ];
  return (
    <div className="form">
      <AnyField field={field} draft={draft} onChange={setDraft} at="" isRequired issues={said} />
    </div>
  );
}

export interface FieldProps<Kind extends Field = Field> {
  readonly field: Kind;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly at: string;
  readonly isRequired: boolean;
  readonly issues: readonly FieldIssue[];
}

function AnyField({ field, ...more }: FieldProps): ReactNode {
  if (field.kind === "group") return <Group field={field} {...more} />;
  if (field.kind === "list") return <List field={field} {...more} />;
  return <Single field={field} {...more} />;
}

function Single({ field, draft, onChange, at, isRequired, issues }: FieldProps): ReactNode {
  const words = useWords(FORM_WORDS);
  const id = useId();
  const own = issues.filter((issue) => issue.at === at);
  const describedBy = [field.says === "" ? "" : `${id}-says`, own.length === 0 ? "" : `${id}-wrong`].join(" ").trim();
  return (
    <div className={field.kind === "yes-no" ? "form-field form-tick" : "form-field"}>
      <label htmlFor={id}>
        {field.title === "" ? words.value : field.title}
        {isRequired ? <Needed /> : null}
      </label>
      {field.says === "" ? null : (
        <p id={`${id}-says`} className="dim form-says">
          {field.says}
        </p>
      )}
      <InputFor {...{ id, field, draft, onChange, isRequired, describedBy }} isWrong={own.length > 0} />
      <Issues id={`${id}-wrong`} issues={own} />
    </div>
  );
}

/** The inputs say the same to those who cannot see it. */
function Needed(): ReactNode {
  return (
    <span className="form-needed" aria-hidden="true">
      *
    </span>
  );
}

function Group({ field, draft, onChange, at, isRequired, issues }: FieldProps<GroupField>): ReactNode {
  const drafts = draft as Readonly<Record<string, Draft>>;
  const members = field.fields.map(({ name, field: member, isRequired: isNeeded }) => (
    <AnyField
      key={name}
      field={member}
      draft={drafts[name] ?? draftOf(member)}
      onChange={(value) => onChange({ ...drafts, [name]: value })}
      at={`${at}/${escaped(name)}`}
      isRequired={isNeeded}
      issues={issues}
    />
  ));
  const own = <Issues issues={issues.filter((issue) => issue.at === at)} />;
  if (at === "")
    return (
      <>
        {members}
        {own}
      </>
    );
  return (
    <fieldset className="form-group">
      <legend>
        {field.title}
        {isRequired ? <Needed /> : null}
      </legend>
      {field.says === "" ? null : <p className="dim form-says">{field.says}</p>}
      {members}
      {own}
    </fieldset>
  );
}

function List({ field, draft, onChange, at, isRequired, issues }: FieldProps<ListField>): ReactNode {
  const words = useWords(FORM_WORDS);
  const drafts = draft as readonly Draft[];
  const isFull = field.maxItems !== null && drafts.length >= field.maxItems;
  return (
    <fieldset className="form-group">
      <legend>
        {field.title === "" ? words.list : field.title}
        {isRequired ? <Needed /> : null}
      </legend>
      {field.says === "" ? null : <p className="dim form-says">{field.says}</p>}
      {drafts.map((item, index) => (
        // Items have no names; each field shows the draft of its place.
        <div key={index} className="form-item">
          <AnyField
            field={{ ...field.item, title: field.item.title || words.item(index + 1) }}
            draft={item}
            onChange={(value) => onChange(drafts.map((one, place) => (place === index ? value : one)))}
            at={`${at}/${index}`}
            isRequired
            issues={issues}
          />
          <button
            type="button"
            className="icon-button"
            aria-label={words.remove(index + 1)}
            onClick={() => onChange(drafts.filter((_one, place) => place !== index))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <Issues issues={issues.filter((issue) => issue.at === at)} />
      {isFull ? null : (
        <div>
          <Button onClick={() => onChange([...drafts, draftOf(field.item)])}>{words.add}</Button>
        </div>
      )}
    </fieldset>
  );
}

function Issues({ issues, id }: { readonly issues: readonly FieldIssue[]; readonly id?: string }): ReactNode {
  return issues.length === 0 ? null : (
    <p className="form-wrong" {...(id === undefined ? {} : { id })}>
      {issues.map(({ says }) => says).join(" ")}
    </p>
  );
}
