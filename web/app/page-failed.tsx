// A page that cannot be shown: its files are gone since the server was updated, or it has a mistake. The rest of the dashboard stays.

import type { ErrorComponentProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import { useWords, wordTable } from "./words.ts";

export function PageFailed({ error }: ErrorComponentProps): ReactNode {
  const words = useWords(WORDS);
  return (
    <Page title={words.title}>
      <Empty title={words.says}>
        <p>{error instanceof Error ? error.message : String(error)}</p>
        <Button onClick={() => location.reload()}>{words.reload}</Button>
      </Empty>
    </Page>
  );
}

const WORDS = wordTable({
  "en": {
    title: "This page cannot be shown",
    says: "The server may have been updated since this tab was opened. Load the page again.",
    reload: "Load again",
  },
  "zh-CN": {
    title: "无法显示此页面",
    says: "打开此标签页后，服务器可能已更新。请重新加载页面。",
    reload: "重新加载",
  },
});
