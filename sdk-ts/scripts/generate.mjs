// Writes src/generated/ from the OpenAPI document of the service, which is read from standard input:
//
//   holdfast's document | node scripts/generate.mjs [folder]
//
// `openapi.ts` has the types (by openapi-typescript), `routes.ts` the method and path of every operation.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const HERE = fileURLToPath(new URL("../src/generated", import.meta.url));
const HEAD = "// Made by scripts/generate.mjs from the OpenAPI document; do not edit.\n\n";
const NOT_NEEDED = new Set(["paths", "webhooks", "$defs"]);

const folder = process.argv[2] ?? HERE;
const document = JSON.parse(await text(process.stdin));
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "openapi.ts"), HEAD + (await types(document)));
await writeFile(join(folder, "routes.ts"), HEAD + routes(document));

/** The types of all operations and schemas, without the errors: those are classes of the client. */
async function types(whole) {
  const reduced = structuredClone(whole);
  for (const operation of operationsOf(reduced)) {
    keepWhatIsTyped(operation);
  }
  const sent = reached(reduced, (operation) => operation.requestBody);
  const answered = reached(reduced, (operation) => operation.responses);
  for (const [name, schema] of Object.entries(reduced.components.schemas)) {
    if (!sent.has(name) && !answered.has(name)) {
      delete reduced.components.schemas[name];
    } else if (!answered.has(name)) {
      acceptDates(schema);
    }
  }
  delete reduced.components.securitySchemes;
  const made = await openapiTS(reduced, {
    silent: true,
    alphabetize: true,
    defaultNonNullable: false,
    transform: dateOrBytes,
  });
  return astToString(made.filter((node) => !NOT_NEEDED.has(node.name?.text)));
}

function operationsOf(document) {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}

/** Take out what the client does not use: errors, headers, cookies, examples. */
function keepWhatIsTyped(operation) {
  operation.parameters = (operation.parameters ?? []).filter((each) => each.in === "query" || each.in === "path");
  for (const parameter of operation.parameters) {
    acceptDates(parameter.schema);
    delete parameter.schema.description; // it stands at the parameter
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    if (!status.startsWith("2")) {
      delete operation.responses[status];
    }
    delete response.headers;
  }
  for (const content of [operation.requestBody, ...Object.values(operation.responses)]) {
    for (const media of Object.values(content?.content ?? {})) {
      delete media.example;
      delete media.examples;
    }
  }
}

/** The names of the schemas that can be reached from a part of the operations. */
function reached(document, part) {
  const found = new Set();
  const look = (value) => {
    if (value === null || typeof value !== "object") {
      return;
    }
    const name = typeof value.$ref === "string" ? value.$ref.split("/").at(-1) : undefined;
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      look(document.components.schemas[name]);
    }
    Object.values(value).forEach(look);
  };
  operationsOf(document).map(part).forEach(look);
  return found;
}

/** Mark the times of what is sent: they may be given as a Date. */
function acceptDates(schema) {
  if (schema === null || typeof schema !== "object") {
    return;
  }
  if (schema.format === "date-time") {
    schema["x-sent"] = true;
  }
  Object.values(schema).forEach(acceptDates);
}

function dateOrBytes(schema) {
  delete schema.example;
  delete schema.examples;
  const named = (name) => ts.factory.createTypeReferenceNode(name);
  if (schema["x-sent"]) {
    return ts.factory.createUnionTypeNode([named("string"), named("Date")]);
  }
  return schema.format === "binary" ? named("Uint8Array") : undefined;
}

/** The method and path of every operation, by its id. */
function routes(document) {
  const lines = Object.entries(document.paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => [operationId, method.toUpperCase(), path]),
    )
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, method, path]) => `  "${id}": ["${method}", "${path}"],`);
  return [
    'import type { operations } from "./openapi.js";',
    "",
    'type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";',
    "",
    "/** The method and path of every operation. */",
    "export const routes: Readonly<Record<keyof operations, readonly [Method, string]>> = {",
    ...lines,
    "};",
    "",
  ].join("\n");
}
