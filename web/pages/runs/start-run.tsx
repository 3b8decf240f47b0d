// Starts a run: a workflow, and a form for its inputs. What was typed stays when the server refuses.

import { type ReactNode, type SubmitEvent, useState } from "react";
import { type Answer, useAct, useRead } from "../../app/server.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog, DialogFoot } from "../../parts/dialog.tsx";
import { SchemaForm, useSchemaForm } from "../../parts/form/schema-form.tsx";
import { Empty, ProblemState, Skeleton } from "../../parts/states.tsx";

export interface StartRunProps {
  readonly onClose: () => void;
  readonly onStarted: (run: string) => void;
}

export function StartRun({ onClose, onStarted }: StartRunProps): ReactNode {
  const words = useWords(WORDS);
  return (
    <Dialog isOpen onClose={onClose} title={words.title} says={words.says}>
      <Choose
        onClose={onClose}
        onStarted={(run) => {
          onClose();
          onStarted(run);
        }}
      />
    </Dialog>
  );
}

function Choose(props: StartRunProps): ReactNode {
  const words = useWords(WORDS);
  const { data, error, refetch } = useRead("listWorkflows", {});
  const [chosen, setChosen] = useState<string | null>(null);
  if (error !== null) return <ProblemState error={error} isInline onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton kind="text" rows={3} />;
  const startable = data.items.filter(({ canStart }) => canStart);
  const id = chosen ?? startable[0]?.id ?? null;
  if (id === null)
    return (
      <Empty title={words.none}>
        {words.noneHint} <code>faultline serve --workflows .</code>
      </Empty>
    );
  return (
    <>
      <label className="action-field">
        <span>{words.workflow}</span>
        <select value={id} onChange={({ target }) => setChosen(target.value)}>
          {startable.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name === one.id || one.name === "" ? one.id : `${one.name} (${one.id})`}
            </option>
          ))}
        </select>
      </label>
      <InputsOf key={id} workflow={id} {...props} />
    </>
  );
}

function InputsOf({ workflow, ...props }: StartRunProps & { readonly workflow: string }): ReactNode {
  const { data, error } = useRead("showWorkflow", { params: { workflow } });
  if (error !== null) return <ProblemState error={error} isInline />;
  // While another workflow is read, the form of the one before must not stand under the new name.
  return data?.id === workflow ? <Start workflow={data} {...props} /> : <Skeleton kind="text" rows={3} />;
}

const NO_INPUTS: Readonly<Record<string, unknown>> = { type: "object" };

function Start({
  workflow,
  onClose,
  onStarted,
}: StartRunProps & { readonly workflow: Answer<"showWorkflow"> }): ReactNode {
  const words = useWords(WORDS);
  const { mutate, isPending, error } = useAct("startRun");
  const schema = workflow.outline.inputs ?? NO_INPUTS;
  const hasInputs = Object.keys(schema["properties"] ?? {}).length > 0;
  const form = useSchemaForm(schema);
  const [name, setName] = useState("");
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const inputs = hasInputs ? form.read() : { value: {} };
    if (inputs === null || isPending) return;
    const body = {
      workflow: workflow.id,
      inputs: inputs.value as Record<string, unknown>,
      ...(name.trim() === "" ? {} : { run: name.trim() }),
    };
    mutate({ body }, { onSuccess: ({ run }) => onStarted(run) });
  };
  return (
    <form className="action-form" onSubmit={submit} noValidate>
      {hasInputs ? <SchemaForm form={form} /> : null}
      <label className="action-field">
        <span>
          {words.name} <small className="dim">{words.nameHint}</small>
        </span>
        <input value={name} maxLength={100} autoComplete="off" onChange={({ target }) => setName(target.value)} />
      </label>
      {error === null ? null : <ProblemState error={error} isInline />}
      <DialogFoot>
        <Button kind="quiet" onClick={onClose}>
          {words.back}
        </Button>
        <Button kind="primary" type="submit" isBusy={isPending}>
          {words.start}
        </Button>
      </DialogFoot>
    </form>
  );
}

const WORDS = wordTable({
  "en": {
    title: "Start a run",
    says: "The run begins at once, and this list follows it.",
    workflow: "Workflow",
    name: "Name of the run",
    nameHint: "optional; letters, digits and . : @ _ -",
    none: "This server has no workflow to start",
    noneHint: "Start it with a folder of workflow files:",
    back: "Back",
    start: "Start",
  },
  "zh-CN": {
    title: "启动运行",
    says: "运行会立即开始，并显示在列表中。",
    workflow: "工作流",
    name: "运行名称",
    nameHint: "可选；字母、数字和 . : @ _ -",
    none: "服务器上没有可启动的工作流",
    noneHint: "启动服务器时指定工作流文件夹：",
    back: "返回",
    start: "启动",
  },
});
