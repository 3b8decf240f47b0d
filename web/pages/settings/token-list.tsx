// The tokens that the server accepts. They are added and removed on the server's machine, so that a stolen cookie cannot make new ones.

import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { Badge } from "../../parts/pill.tsx";
import { Pending } from "../../parts/states.tsx";
import { WORDS } from "./words.ts";

/** No event tells of a token; the server sees each change at once. */
const LOOK_MS = 10_000;

export function TokenList(): ReactNode {
  const words = useWords(WORDS);
  const { dateTime } = useFormat();
  const read = useRead("listTokens", {}, { everyMs: LOOK_MS });
  const { data } = read;
  if (data === undefined) return <Pending read={read} kind="text" rows={3} isInline />;
  return (
    <>
      <table className="settings-tokens">
        <thead>
          <tr>
            <th>{words.name}</th>
            <th>{words.role}</th>
            <th>{words.created}</th>
            <th>{words.remove}</th>
          </tr>
        </thead>
        <tbody>
          {data.items.map(({ name, role, createdAt, isYours }) => (
            <tr key={name}>
              <td>
                {name} {isYours ? <span className="dim">{words.yours}</span> : null}
              </td>
              <td>
                <Badge tone={role === "operator" ? "blue" : "grey"}>{words.roles[role]}</Badge>
              </td>
              <td className="dim">{dateTime(createdAt)}</td>
              <td>
                <Copy text={`faultline token remove ${quoted(name)}`} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="dim settings-hint">{words.tokensHint}</p>
      <ul className="settings-commands">
        <li>
          {words.addViewer} <Copy text="faultline token add grafana --role viewer" />
        </li>
        <li>
          {words.addOperator} <Copy text="faultline token add ann --role operator" />
        </li>
      </ul>
    </>
  );
}

/** A name as one word of a shell command. */
function quoted(name: string): string {
  return /^[\w.@:-]+$/u.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
