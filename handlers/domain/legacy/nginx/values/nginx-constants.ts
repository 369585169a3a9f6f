import type { Directive } from '../../types.ts'

/** Directives whose arguments are places: files, folders, addresses. */
const PLACES = new Set([
  ...['root', 'alias', 'fastcgi_pass', 'proxy_pass', 'auth_basic_user_file', 'fastcgi_param'],
  ...['ssl_certificate', 'ssl_certificate_key', 'proxy_set_header', 'error_page'],
])

const setsIn = (directives: readonly Directive[]): Directive[] =>
  directives.flatMap((one) => [...(one.name === 'set' ? [one] : []), ...setsIn(one.inside ?? [])])

/** Variables of a server that are set once, at its beginning, to what holds no variable. */
const constantsOf = (server: readonly Directive[]): ReadonlyMap<string, string> => {
  const counts = new Map<string | undefined, number>()
  for (const { args } of setsIn(server)) counts.set(args[0], (counts.get(args[0]) ?? 0) + 1)
  const once = ({ args }: Directive): boolean => counts.get(args[0]) === 1
  return new Map(
    server
      .filter((one) => one.name === 'set' && once(one) && !(one.args[1] ?? '$').includes('$'))
      .map(({ args }) => [(args[0] ?? '').replace(/^\$/, ''), args[1] ?? '']),
  )
}

/** The directives of a server with its constants written out where they are part of a place. */
export const withConstants = (server: readonly Directive[]): readonly Directive[] => {
  const constants = constantsOf(server)
  if (constants.size === 0) return server
  const filled = (text: string): string =>
    text.replace(
      /\$(?:\{(\w{1,64})\}|(\w{1,64}))/g,
      (whole, braced?: string, bare?: string) => constants.get(braced ?? bare ?? '') ?? whole,
    )
  const fill = (one: Directive): Directive => ({
    ...one,
    args: PLACES.has(one.name) ? one.args.map(filled) : one.args,
    inside: one.inside?.map(fill) ?? null,
  })
  return server.map(fill)
}
