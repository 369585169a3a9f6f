/** What `<IfModule>` finds: the modules whose directives are understood here. */
const MODULES = new Set(
  [
    ...['access_compat', 'actions', 'alias', 'auth_basic', 'authn_core', 'authn_file', 'autoindex'],
    ...['authz_core', 'authz_groupfile', 'authz_host', 'authz_user', 'deflate', 'dir', 'env'],
    ...['expires', 'filter', 'headers', 'mime', 'negotiation', 'php', 'rewrite', 'setenvif'],
    ...['version', 'brotli', 'php8'],
  ].flatMap((name) => [`mod_${name}.c`, `mod_${name}`, `${name}_module`]),
)

/** Whether a module named as `mod_rewrite.c` or `rewrite_module` is there. */
export const hasModule = (name: string): boolean => MODULES.has(name.trim().toLowerCase())

/** Whether a module's name asks for LiteSpeed's page cache, whose rules ours understands. */
export const isPageCacheModule = (name: string): boolean =>
  name.trim().toLowerCase() === 'litespeed'

/** The version of Apache whose behaviour files may count on. */
const VERSION = [2, 4, 58]

const compareVersion = (text: string): number => {
  const parts = text.split('.').map(Number)
  for (const [index, part] of VERSION.entries()) {
    const difference = part - (parts[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Whether `<IfVersion>` holds; its argument is an operator and a number. */
export const hasVersion = (text: string): boolean => {
  const found = /^(!?)(=|==|>|>=|<|<=)?\s*(\d+(?:\.\d+){0,2})$/.exec(text.trim())
  if (!found) return false
  const order = compareVersion(found[3] ?? '')
  const held =
    { '>': order > 0, '>=': order >= 0, '<': order < 0, '<=': order <= 0 }[found[2] ?? '='] ??
    order === 0
  return held !== (found[1] === '!')
}
