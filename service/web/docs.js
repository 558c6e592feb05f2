// The list of endpoints, from the description that the server keeps of itself.

const query = location.search; // the token, if there is one

function make(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

/** A schema with its references put in, so that it can be read in one place. */
function whole(schema, known) {
  if (Array.isArray(schema)) return schema.map((one) => whole(one, known));
  if (schema === null || typeof schema !== "object") return schema;
  if (schema.$ref) return whole(known[schema.$ref.split("/").pop()], known);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== "discriminator")
      .map(([key, value]) => [key, whole(value, known)]),
  );
}

function endpoint(method, path, operation, known) {
  const card = make("section", { className: "card" });
  card.append(make("h2", {}, make("code", { textContent: `${method.toUpperCase()} ${path}` })));
  card.append(make("p", { textContent: operation.description ?? operation.summary }));
  for (const parameter of operation.parameters ?? []) {
    card.append(make("p", { textContent: `${parameter.in} ${parameter.name}: ${parameter.description ?? ""}` }));
  }
  const body = operation.requestBody?.content["application/json"]?.schema;
  if (body) card.append(make("pre", { textContent: JSON.stringify(whole(body, known), null, 1) }));
  return card;
}

const answer = await fetch(`/api/openapi.json${query}`);
const description = await answer.json();
const shown = document.getElementById("endpoints");
if (answer.ok) {
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      shown.append(endpoint(method, path, operation, description.components?.schemas ?? {}));
    }
  }
} else {
  shown.textContent = description.error;
}
document.getElementById("whole").href = `/api/openapi.json${query}`;
