// Writes the generated pages and tables.

import { writeFileSync } from "node:fs";
import { generatedDocs } from "./generated-docs.ts";

for (const [path, content] of generatedDocs()) writeFileSync(new URL(`../${path}`, import.meta.url), content);
