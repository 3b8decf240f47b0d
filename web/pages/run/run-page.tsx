// A run on a page of its own.

import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { RunPanel } from "./run-panel.tsx";

const route = getRouteApi("/runs/$run");

export function RunPage(): ReactNode {
  const { run } = route.useParams();
  const navigate = useNavigate();
  return <RunPanel run={run} onClose={() => void navigate({ to: "/runs" })} />;
}
