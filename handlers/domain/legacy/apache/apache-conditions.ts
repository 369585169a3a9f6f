import { apacheWords } from './apache-lines.ts'

/** Built into Debian's and Red Hat's Apache. */
const BUILT_IN = [
  'core',
  'so',
  'http_core',
  'http',
  'log_config',
  'logio',
  'unixd',
  'version',
  'watchdog',
]
/** What is there when a part of a configuration is read, without the lines that load modules. */
const USUAL = [
  ...['access_compat', 'actions', 'alias', 'auth_basic', 'authn_core', 'authn_file', 'authz_core'],
  ...[
    'authz_groupfile',
    'authz_host',
    'authz_user',
    'autoindex',
    'brotli',
    'deflate',
    'dir',
    'env',
  ],
  ...['expires', 'filter', 'headers', 'http2', 'mime', 'negotiation', 'proxy', 'proxy_fcgi'],
  ...['proxy_http', 'proxy_wstunnel', 'rewrite', 'setenvif', 'ssl', 'socache_shmcb', 'status'],
]
/** The version of Apache that `<IfVersion>` is told. */
const VERSION = [2, 4, 62]

/** What conditional sections ask for. */
export interface ApacheFacts {
  /** Short names, e.g. `rewrite`. */
  modules: Set<string>
  /** Whether the configuration says itself which modules it loads. */
  loadsModules: boolean
  defines: Map<string, string>
}

/** What is known before the first line is read: the modules that are built in, no variable. */
export const newFacts = (): ApacheFacts => ({
  modules: new Set(BUILT_IN),
  loadsModules: false,
  defines: new Map(),
})

/** `mod_rewrite.c`, `rewrite_module` and `mod_php8.c` in their short form. */
export const moduleName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^mod_/, '')
    .replace(/(\.c|\.so)$/, '')
    .replace(/_module$/, '')

const hasModule = (facts: ApacheFacts, name: string): boolean => {
  const short = moduleName(name)
  return facts.modules.has(short) || (!facts.loadsModules && USUAL.includes(short))
}

const compareVersion = (text: string): number => {
  const parts = text.split('.').map(Number)
  for (const [index, part] of VERSION.entries()) {
    const difference = part - (parts[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const hasVersion = (args: readonly string[]): boolean => {
  const [first = '', second] = args
  const negative = first.startsWith('!')
  const operator = second === undefined ? '=' : first.replace(/^!/, '')
  const order = compareVersion(second ?? first)
  const held = { '>': order > 0, '>=': order >= 0, '<': order < 0, '<=': order <= 0 }[operator]
  return (held ?? order === 0) !== negative
}

/** Whether a conditional section counts; null: it is no such section. */
export const holdsSection = (
  name: string,
  text: string,
  facts: ApacheFacts,
  exists: (path: string) => boolean,
): boolean | null => {
  const args = apacheWords(text)
  const given = args[0] ?? ''
  const negative = given.startsWith('!')
  const word = negative ? given.slice(1) : given
  switch (name) {
    case 'ifmodule':
      return hasModule(facts, word) !== negative
    case 'ifdefine':
      return facts.defines.has(word) !== negative
    case 'iffile':
      return exists(word) !== negative
    case 'ifversion':
      return hasVersion(args)
    case 'ifdirective':
    case 'ifsection':
      return !negative
    default:
      return null
  }
}
