import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function QuestionsPage(): ReactNode {
  return (
    <Page title="Questions">
      <Empty title="Questions" />
    </Page>
  );
}
