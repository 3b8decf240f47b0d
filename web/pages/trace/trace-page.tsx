import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function TracePage(): ReactNode {
  return (
    <Page title="Trace">
      <Empty title="Trace" />
    </Page>
  );
}
