import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function LabPage(): ReactNode {
  return (
    <Page title="Lab">
      <Empty title="Lab" />
    </Page>
  );
}
