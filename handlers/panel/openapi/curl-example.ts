import type { JsonSchema, Operation } from './document-types.ts'

/** A value that a schema accepts, or a placeholder in angle brackets where it takes a text. */
const sample = (schema: JsonSchema, name: string): unknown => {
  if (schema.examples?.[0] !== undefined) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  const [first] = schema.anyOf ?? []
  if (first !== undefined) return sample(first, name)
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'array':
      return typeof schema.items === 'object' ? [sample(schema.items, name)] : []
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([key]) => schema.required?.includes(key))
          .map(([key, inner]) => [key, sample(inner, key)]),
      )
    default:
      return `<${name}>`
  }
}

/** One word of a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** What stands in a word with double quotes. */
const inDoubleQuotes = (text: string): string => text.replace(/["$`\\]/g, '\\$&')

/** A call of the operation with its required inputs, for a shell where `$PANEL` and `$TOKEN` are set. */
export const curlExample = (method: string, path: string, operation: Operation): string => {
  const parameters = operation.parameters ?? []
  const valueOf = (name: string): string => {
    const found = parameters.find((one) => one.name === name)
    return String(found === undefined ? `<${name}>` : sample(found.schema, name))
  }
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => valueOf(name))
  const query = parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name }) => `${name}=${valueOf(name)}`)
    .join('&')
  const [[type, media] = [undefined, undefined]] = Object.entries(
    operation.requestBody?.content ?? {},
  )
  const isJson = type === 'application/json'
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$PANEL${inDoubleQuotes(target + (query === '' ? '' : `?${query}`))}"`,
    ...(operation.security?.length === 0 ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(type === undefined ? [] : [`-H ${quote(`Content-Type: ${type}`)}`]),
    ...(isJson && media ? [`--data ${quote(JSON.stringify(sample(media.schema, 'body')))}`] : []),
    ...(type !== undefined && !isJson ? ['--data-binary @file'] : []),
  ].join(' \\\n  ')
}
