import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function GroupsPage(): ReactNode {
  return (
    <Page title="Groups">
      <Empty title="Groups" />
    </Page>
  );
}
