import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function SessionsPage(): ReactNode {
  return (
    <Page title="Sessions">
      <Empty title="Sessions" />
    </Page>
  );
}
