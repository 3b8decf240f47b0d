import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function RunsPage(): ReactNode {
  return (
    <Page title="Runs">
      <Empty title="Runs" />
    </Page>
  );
}
