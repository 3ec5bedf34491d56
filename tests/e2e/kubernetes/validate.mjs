// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a JSON list of objects; prints what Kubernetes' API would refuse in them, a line each: values of the wrong type, fields
// that are missing (by the schema's validators), and fields that it does not know (by the schema's types, as its server does with
// strict validation). node validate.mjs FOLDER-OF-NODE-MODULES
import fs from "fs";
import path from "path";
import { pathToFileURL } from "url";

const modules = path.resolve(process.argv[2]);
const models = path.join(modules, "kubernetes-models");

// The fields of an interface and the files of the types that it names, from its declaration.
const read = new Map();
function declaration(file, name) {
  const key = `${file} ${name}`;
  if (read.has(key)) return read.get(key);
  const text = fs.readFileSync(file, "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
  const imports = new Map();
  for (const [, names, from] of text.matchAll(/import \{([^}]*)\} from "([^"]+)"/g))
    for (const one of names.split(",")) {
      const [outer, inner] = one.trim().split(/\s+as\s+/);
      imports.set(inner ?? outer, { name: outer, file: resolve(from, file) });
    }
  // A file declares one interface; others import it under a longer name.
  const start = text.search(/export interface \w+/);
  const fields = new Map();
  let depth = 0;
  if (start >= 0)
    for (const line of text.slice(start).split("\n")) {
      const field = depth === 1 && line.match(/^\s*"?([\w$-]+)"?\??:\s*(.*?)(;|\{)?\s*$/);
      if (field) fields.set(field[1], field[2] + (field[3] === "{" ? "{" : ""));
      depth += (line.match(/\{/g) ?? []).length - (line.match(/\}/g) ?? []).length;
      if (depth === 0 && line.includes("}")) break;
    }
  const found = { fields, imports, file, known: start >= 0 };
  read.set(key, found);
  return found;
}

function resolve(from, file) {
  const base = from.startsWith(".") ? path.resolve(path.dirname(file), from) : path.join(modules, from);
  return base.replace(/\.js$/, "") + ".d.ts";
}

let checked = 0;
function unknown(value, file, name, where, out) {
  const type = declaration(file, name);
  if (!type.known || type.fields.size === 0) return;
  for (const [key, inner] of Object.entries(value)) {
    checked++;
    if (!type.fields.has(key)) {
      out.push(`${where}.${key}: unknown field`);
      continue;
    }
    const next = (type.fields.get(key).match(/\b(I[A-Z]\w+)\b/) ?? [])[1];
    const at = next && (type.imports.get(next) ?? { file, name: next });
    for (const [k, one] of Array.isArray(inner) ? inner.entries() : [["", inner]])
      if (at && one !== null && typeof one === "object" && !/\[key: string\]/.test(type.fields.get(key)))
        unknown(one, at.file, at.name, `${where}.${key}${k === "" ? "" : `[${k}]`}`, out);
  }
}

const out = [];
for (const object of JSON.parse(fs.readFileSync(0, "utf8"))) {
  const folder = path.join(models, object.apiVersion);
  const file = path.join(folder, object.kind);
  const where = `${object.kind} ${object.metadata?.name}`;
  if (!fs.existsSync(file + ".js")) {
    out.push(`${where}: no such kind in ${object.apiVersion}`);
    continue;
  }
  const model = (await import(pathToFileURL(file + ".js")))[object.kind];
  try {
    new model(object).validate();
  } catch (error) {
    out.push(`${where}: ${error.message}`);
  }
  unknown(object, file + ".d.ts", `I${object.kind}`, where, out);
}
for (const line of out) console.log(line);
console.error(`${checked} fields were looked up`);
process.exit(out.length > 0 ? 1 : 0);
