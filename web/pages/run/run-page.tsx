import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function RunPage(): ReactNode {
  return (
    <Page title="Run">
      <Empty title="Run" />
    </Page>
  );
}
