import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function OverviewPage(): ReactNode {
  return (
    <Page title="Overview">
      <Empty title="Overview" />
    </Page>
  );
}
