import { curlExample } from './curl-example.ts'
import type { JsonSchema, OpenApiDocument, Operation } from './document-types.ts'
import { Html, html } from './html.ts'
import { PAGE_STYLE } from './page-style.ts'

const NONE = html``
// Whole as it is: its hash is in the page's policy.
const STYLE = new Html(`<style>${PAGE_STYLE}</style>`)

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** The type of a field in a few words. */
const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ')
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
  if (schema.type === 'array' && typeof schema.items === 'object')
    return `${typeOf(schema.items)}[]`
  return schema.type ?? 'any'
}

/** What limits a field has, as they stand in the schema. */
const limitsOf = (schema: JsonSchema): string =>
  (['minLength', 'maxLength', 'minimum', 'pattern', 'format', 'default'] as const)
    .filter((keyword) => schema[keyword] !== undefined)
    .map((keyword) => `${keyword} ${JSON.stringify(schema[keyword])}`)
    .join(', ')

const row = (name: string, schema: JsonSchema, required: boolean, description = ''): Html =>
  html`<tr>
    <th scope="row"><code>${name}</code>${required ? '' : ' (optional)'}</th>
    <td><code>${typeOf(schema)}</code></td>
    <td>${description} ${limitsOf(schema)}</td>
  </tr>`

/** A table of the fields of an object; fields of objects inside it follow it. */
const fieldsOf = (schema: JsonSchema, prefix = ''): Html[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    row(prefix + name, field, schema.required?.includes(name) ?? false, field.description),
    ...fieldsOf(field, `${prefix}${name}.`),
  ])

const table = (title: string, rows: readonly Html[]): Html =>
  rows.length === 0
    ? NONE
    : html`<h4>${title}</h4>
        <table>
          ${rows}
        </table>`

const link = (text: string, target: string): Html => html`<a href="#${target}">${text}</a>`

/** Links to the named schemas that a schema speaks of. */
const namesIn = (schema: JsonSchema): string[] => [
  ...new Set(
    [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => nameOf(ref ?? '')),
  ),
]

const dataOf = (operation: Operation): Html => {
  const answer = operation.responses['200']
  const [[type, media] = [undefined, undefined]] = Object.entries(answer?.content ?? {})
  const data = media?.schema.properties?.['data']
  if (data === undefined) {
    return html`<h4>Answer, outside the envelope: <code>${type ?? ''}</code></h4>
      <p>${answer?.description ?? ''}</p>`
  }
  const [name, ...others] = namesIn(data)
  const shown = name === undefined ? html`${typeOf(data)}` : link(typeOf(data), `schema-${name}`)
  const links = others.map((other) => html`, ${link(other, `schema-${other}`)}`)
  return html`<h4>Answer, data: <code>${shown}</code>${links}</h4>
    <table>
      ${fieldsOf(data)}
    </table>`
}

const headersOf = (operation: Operation): Html =>
  table(
    'Response headers',
    Object.entries(operation.responses['200']?.headers ?? {}).map(
      ([name, { description }]) =>
        html`<tr>
          <td><code>${name}</code></td>
          <td>${description}</td>
        </tr>`,
    ),
  )

const failuresOf = (operation: Operation): Html =>
  table(
    'Failures',
    Object.entries(operation.responses)
      .filter(([status]) => status !== '200')
      .map(
        ([status, { description }]) =>
          html`<tr>
            <td>${status}</td>
            <td>${description}</td>
          </tr>`,
      ),
  )

interface Entry {
  method: string
  path: string
  operation: Operation
}

const operationSection = ({ method, path, operation }: Entry): Html => {
  const body = operation.requestBody
  const [[type, media] = [undefined, undefined]] = Object.entries(body?.content ?? {})
  return html`<section id="${operation.operationId}">
    <h3><code>${method.toUpperCase()} ${path}</code></h3>
    <p>
      <strong>${operation.summary}.</strong>
      ${operation.description ?? ''}${operation.security ? ' Needs no token.' : ''}
    </p>
    ${table(
      'Parameters',
      (operation.parameters ?? []).map(({ name, schema, required, description }) =>
        row(name, schema, required, description),
      ),
    )}
    ${
      body
        ? html`<h4>Body: <code>${type ?? ''}</code>${body.required ? '' : ' (optional)'}</h4>
            <p>${body.description ?? ''}</p>`
        : NONE
    }
    ${
      media?.schema.properties
        ? html`<table>
            ${fieldsOf(media.schema)}
          </table>`
        : NONE
    }
    ${dataOf(operation)} ${headersOf(operation)} ${failuresOf(operation)}
    <pre>${curlExample(method, path, operation)}</pre>
  </section>`
}

/** The document as a page to be read: no script, nothing from elsewhere. */
export const openApiPage = (document: OpenApiDocument): string => {
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  )
  const groups = document.tags.map(({ name }) => ({
    name,
    entries: entries.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const menu = groups.map(
    (group) =>
      html`<strong>${group.name}</strong>
        <ul>
          ${group.entries.map(
            ({ operation }) => html`<li>${link(operation.summary, operation.operationId)}</li>`,
          )}
        </ul>`,
  )
  const schemas = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      html`<section id="schema-${name}">
        <h3><code>${name}</code></h3>
        <table>
          ${fieldsOf(schema)}
        </table>
      </section>`,
  )
  const { title, description } = document.info
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${STYLE}
      </head>
      <body>
        <nav aria-label="Operations">${menu}</nav>
        <main>
          <h1>${title}</h1>
          <p class="preamble">${description}</p>
          <p>
            The examples expect the panel's address in <code>PANEL</code> (such as
            https://panel.example:7070) and a token in <code>TOKEN</code>. Machines read
            <a href="/api/openapi.json">openapi.json</a>.
          </p>
          ${groups.map(
            (group) =>
              html`<h2>${group.name}</h2>
                ${group.entries.map(operationSection)}`,
          )}
          <h2>Objects</h2>
          ${schemas}
        </main>
      </body>
    </html> `.markup
}
