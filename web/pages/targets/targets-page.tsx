import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function TargetsPage(): ReactNode {
  return (
    <Page title="Targets">
      <Empty title="Targets" />
    </Page>
  );
}
