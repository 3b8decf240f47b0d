import type { ReactNode } from "react";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/states.tsx";

export function SearchPage(): ReactNode {
  return (
    <Page title="Search">
      <Empty title="Search" />
    </Page>
  );
}
