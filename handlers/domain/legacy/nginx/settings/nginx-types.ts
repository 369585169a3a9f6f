import type { Report } from '../../report.ts'
import type { Directive } from '../../types.ts'
import { own, type Scope } from '../nginx-scope.ts'

const TYPE = /^[\w.+-]+\/[\w.+-]+$/
const ENDING = /^[\w.-]{1,32}$/

/** What makes an answer elsewhere than from a file, which has types of its own. */
const ANSWERS = ['return', 'proxy_pass', 'fastcgi_pass']

/** The blocks around one, and itself, but for the whole configuration; the outermost first. */
const around = (scope: Scope): Scope[] =>
  scope.parent === null ? [] : [...around(scope.parent), scope]

const typeLines = ({ inside }: Directive): string[] =>
  (inside ?? []).flatMap(({ name, args }) => {
    const endings = args.filter((one) => ENDING.test(one))
    return TYPE.test(name) && endings.length > 0
      ? [`AddType ${name} ${endings.map((one) => `.${one}`).join(' ')}`]
      : []
  })

/**
 * `types` and `default_type` of a server or a location, whose files have other types than everywhere. Lists of the
 * whole server are those that every distribution has, as Berth does. A file without an ending, or any where `types`
 * is empty, has the default one.
 */
export const fileTypeLines = (scope: Scope, report: Report): string[] => {
  const scopes = around(scope)
  const lists = scopes.findLast((one) => own(one, 'types').length > 0)
  const blocks = lists === undefined ? [] : own(lists, 'types')
  const usual = scopes.flatMap((one) => own(one, 'default_type')).at(-1)?.args[0] ?? ''
  // What `return` says has the type, see `textTypeOf`.
  if (own(scope, 'return').length > 0)
    own(scope, 'default_type').forEach((one) => report.carried(one))
  const isFiles = own(scope, ...ANSWERS).length === 0
  const lines = isFiles ? blocks.flatMap(typeLines) : []
  const isEmpty = lists !== undefined && blocks.every(({ inside }) => inside?.length === 0)
  for (const block of isFiles ? blocks : [])
    if (block.inside !== null && (isEmpty || typeLines(block).length === block.inside.length))
      report.carried(block)
  if (!isFiles || !TYPE.test(usual)) return lines
  scopes.flatMap((one) => own(one, 'default_type')).forEach((one) => report.carried(one))
  if (isEmpty) return [`ForceType ${usual}`]
  return [...lines, '<FilesMatch "^[^.]+$">', `  ForceType ${usual}`, '</FilesMatch>']
}
