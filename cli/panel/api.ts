import { readFileSync } from 'node:fs'
import { CliError } from '../cli-error.ts'
import { reasonOf } from '../read-text.ts'
import type { CommandSpec } from './frame/command-types.ts'
import type { Method } from './frame/panel-request.ts'

const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

const bodyOf = (text: string | undefined): unknown => {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text === '-' ? readFileSync(0, 'utf8') : text)
  } catch (error) {
    throw new CliError(`--data is no JSON: ${reasonOf(error)}`, 2)
  }
}

/** `berth api`: any call of the REST API. */
export const api: CommandSpec = {
  summary: 'make a call of the REST API, which the panel describes under /api/docs',
  args: [
    ['<method>', METHODS.join(', ')],
    ['<path>', 'from /api on, with the query'],
  ],
  options: [['--data <json>', 'the body; - reads it from standard input']],
  examples: [
    'berth api GET /api/accounts?per_page=5',
    `berth api POST /api/accounts/3/suspend --data '{"reason":"unpaid"}'`,
  ],
  order({ args: [name = '', path = ''], options }) {
    const method = METHODS.find((one) => one === name.toUpperCase())
    if (method === undefined)
      throw new CliError(`${name} is no method. Use one of ${METHODS.join(', ')}.`, 2)
    if (!path.startsWith('/api/'))
      throw new CliError(`${path} is no path of the API. It begins with /api/.`, 2)
    const body = bodyOf(options.text('data'))
    return { to: { method, path }, body }
  },
}
