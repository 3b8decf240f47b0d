// The files about failed stages, as text. Raw: what models and tools said. Files: everything that was kept.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useFormat } from "../../app/format.ts";
import { useClient } from "../../app/server.tsx";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { Quote } from "../../parts/page.tsx";
import { Empty, Pending } from "../../parts/states.tsx";
import type { Run, Visit } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";
import "./files-tab.css";

const RAW_ENDING = "_raw.md";
/** Longer texts are cut on the page; the download has all of it. */
const MAX_SHOWN = 200_000;

export function RawTab({ run, visit }: { readonly run: Run; readonly visit: Visit | null }): ReactNode {
  const words = useWords(RUN_WORDS);
  const own = visit?.files.filter((name) => name.endsWith(RAW_ENDING)) ?? [];
  const all = run.files.map(({ name }) => name).filter((name) => name.endsWith(RAW_ENDING));
  const names = [...own, ...all.filter((name) => !own.includes(name))];
  return <FileViewer run={run} names={names} empty={<Empty title={words.noRaw}>{words.noRawNext}</Empty>} />;
}

export function FilesTab({ run }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  return (
    <FileViewer
      run={run}
      names={run.files.map(({ name }) => name)}
      empty={<Empty title={words.noFiles}>{words.noFilesNext}</Empty>}
      {...(run.folder === undefined ? {} : { folder: run.folder })}
    />
  );
}

interface FileViewerProps {
  readonly run: Run;
  readonly names: readonly string[];
  readonly empty: ReactNode;
  readonly folder?: string;
}

function FileViewer({ run, names, empty, folder }: FileViewerProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const canRead = useCanAct();
  const [asked, ask] = useState<string | null>(null);
  const name = names.find((one) => one === asked) ?? names[0];
  if (name === undefined) return empty;
  return (
    <>
      <ul className="files" aria-label={words.tabs.files}>
        {names.map((one) => (
          <li key={one}>
            <button type="button" aria-pressed={one === name} onClick={() => ask(one)}>
              <code>{one}</code>
            </button>
          </li>
        ))}
      </ul>
      {folder === undefined ? null : (
        <p className="tab-note">
          {words.folder} <Copy text={folder} />
        </p>
      )}
      {canRead ? <FileText run={run.run} file={name} /> : <p className="tab-note">{words.onlyOperators}</p>}
    </>
  );
}

function FileText({ run, file }: { readonly run: string; readonly file: string }): ReactNode {
  const words = useWords(RUN_WORDS);
  const client = useClient();
  const { bytes } = useFormat();
  const read = useQuery({
    // The input is written as `useRead` does, so that a change of the run reads the file again.
    queryKey: ["showFile", { params: { run, file } }],
    queryFn: ({ signal }) => client.text("showFile", { params: { run, file }, signal }),
  });
  const { data } = read;
  if (data === undefined) return <Pending read={read} kind="rows" rows={4} />;
  const isCut = data.length > MAX_SHOWN;
  return (
    <div className="file-text">
      <p className="file-facts">
        <span className="num dim">{bytes(new Blob([data]).size)}</span>
        {isCut ? <span className="file-cut">{words.cutAt(bytes(MAX_SHOWN))}</span> : null}
        <a
          className="link"
          href={`/v1/runs/${encodeURIComponent(run)}/files/${encodeURIComponent(file)}`}
          download={file.replaceAll("/", "_")}
        >
          {words.download}
        </a>
      </p>
      {data === "" ? <p className="dim">{words.emptyFile}</p> : <Quote label={file}>{data.slice(0, MAX_SHOWN)}</Quote>}
    </div>
  );
}
