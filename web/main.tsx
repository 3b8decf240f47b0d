// The dashboard. It shows what the server says and sends what a person chooses; it decides nothing.

import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { listenToKeys } from "./app/keys.ts";
import { router } from "./app/router.tsx";
import { ServerProvider } from "./app/server.tsx";
import { SignedIn } from "./app/sign-in.tsx";
import { ToastProvider } from "./parts/toasts.tsx";
import "./design/tokens.css";
import "./design/base.css";
import "./parts/field.css";

// Dialogs add a style element while they are open; the content security policy asks for this value.
setNonce(document.querySelector<HTMLMetaElement>("meta[name=style-nonce]")?.content ?? "");
listenToKeys();

const place = document.getElementById("app");
if (place === null) throw new Error("index.html has no element for the page");
createRoot(place).render(
  <StrictMode>
    <ServerProvider>
      <ToastProvider>
        <SignedIn>
          <RouterProvider router={router} />
        </SignedIn>
      </ToastProvider>
    </ServerProvider>
  </StrictMode>,
);
