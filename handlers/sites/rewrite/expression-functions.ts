import { isTextMap } from './text-maps.ts'
import { PatternError } from './pattern/pattern-node.ts'
import type { Template } from './template.ts'

/** Functions whose value is that of a variable, as `%{HTTP:name}`. */
const LOOKS: Readonly<Record<string, string>> = {
  http: 'HTTP:',
  req: 'HTTP:',
  req_novary: 'HTTP:',
  resp: 'RESP:',
  env: 'ENV:',
  reqenv: 'ENV:',
  osenv: 'NONE:',
  note: 'NONE:',
}

const lookOf = (name: string): string | undefined =>
  Object.hasOwn(LOOKS, name) ? LOOKS[name] : undefined

/** Whether expressions may call it (lower case). Those that read files (`file`, `filesize`) are left out. */
export const isFunction = (name: string): boolean => lookOf(name) !== undefined || isTextMap(name)

/** What a call stands for. Throws `PatternError` where what is looked for is no constant. */
export const callOf = (name: string, argument: Template): Template => {
  const look = lookOf(name)
  if (look === undefined) return [{ kind: 'map', name, argument }]
  const texts = argument.map((part) => (part.kind === 'text' ? part.text : null))
  if (texts.includes(null)) throw new PatternError(`what ${name}() looks for must be a constant`)
  return [{ kind: 'variable', name: `${look}${texts.join('')}` }]
}
