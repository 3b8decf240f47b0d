import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function GroupPage(): ReactNode {
  return (
    <Page title="Group">
      <Empty title="Group" />
    </Page>
  );
}
