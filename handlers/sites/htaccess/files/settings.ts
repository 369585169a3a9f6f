import type { Expression } from '../../rewrite/expression.ts'
import type { Pattern } from '../../rewrite/pattern/pattern.ts'
import type { RulePlace, RuleSource } from '../../rewrite/rule-trace.ts'
import type { RewriteRule } from '../../rewrite/rewrite-types.ts'
import type { Template } from '../../rewrite/template.ts'
import type { NameTest } from './glob-test.ts'
import type { AccessNode, MethodLimit, NamedAccess, OldLine } from '../access/access-types.ts'

/** A `Redirect` or `RedirectMatch`. */
export interface RedirectRule {
  status: number
  /** Path (itself and what lies below it), or a pattern. */
  from: string | Pattern
  /** Null for statuses that lead nowhere (410). */
  to: string | null
  toTemplate: Template | null
  place: RulePlace
}

export type ErrorDocument =
  { kind: 'text'; text: string } | { kind: 'path'; path: string } | { kind: 'url'; url: string }

/** One `Header` or `RequestHeader`. */
export interface HeaderRule {
  action: 'set' | 'append' | 'add' | 'merge' | 'unset' | 'edit' | 'edit*' | 'setifempty' | 'echo'
  name: string
  value: string
  /** A value that is an expression (`expr=…`), in place of `value`; null once it is filled in. */
  template: Template | null
  pattern: Pattern | null
  /** Also on errors. */
  always: boolean
  /** `env=name`, negated with `!`. */
  env: { name: string; negative: boolean } | null
  expression: Expression | null
}

/** One `SetEnv`, `UnsetEnv` or `SetEnvIf`. */
export interface EnvironmentRule {
  /** Null: always (`SetEnv`). */
  when: { attribute: string; pattern: Pattern } | Expression | null
  /** Value null removes. */
  set: readonly { name: string; value: string | null }[]
}

export interface ExpiryRule {
  base: 'access' | 'modification'
  secs: number
}

/** File of passwords or groups. */
export interface PasswordFile {
  path: string
  /** Named by the server's own configuration: it may lie anywhere. */
  trusted: boolean
}

/** `Order`, `Allow` and `Deny`, which newer files no longer use. */
export interface OldAccess {
  orders: { allowFirst: boolean; limit: MethodLimit | null }[]
  lines: OldLine[]
  /** The block that they stand in; another block begins anew. */
  owner: object
}

export interface RewriteSettings {
  engine: boolean | null
  base: string | null
  rules: RewriteRule[]
  inherit: 'no' | 'after' | 'before'
  /** Path of the directory of the file with a final slash. */
  directory: string
  /** The text that says so; another one begins anew. */
  source: RuleSource
}

/** What the `.htaccess` files on the way to a file say, merged. */
export interface Settings {
  rewrite: RewriteSettings | null
  redirects: RedirectRule[]
  errorDocuments: Map<number, ErrorDocument | null>
  headers: HeaderRule[]
  requestHeaders: HeaderRule[]
  environment: EnvironmentRule[]
  /** Null: no `Require`. */
  require: AccessNode | null
  oldAccess: OldAccess | null
  satisfyAny: boolean
  authType: string | null
  authName: string
  userFile: PasswordFile | null
  groupFile: PasswordFile | null
  index: string[] | null
  /** `null`: the virtual host's own front controller; `disabled`: none. */
  fallback: string | null
  directorySlash: boolean
  /** Whether a script is asked for what follows it in the path (`AcceptPathInfo`). */
  pathInfo: boolean
  /** `Options +Indexes`; null: nothing is said of it. */
  indexes: boolean | null
  /** Names that listings leave out, with wildcards (`IndexIgnore`). */
  indexIgnore: NameTest[]
  /** Who may see files of some names, in the order in which it counts. */
  named: NamedAccess[]
  expiresActive: boolean
  expires: Map<string, ExpiryRule>
  expiresDefault: ExpiryRule | null
  types: Map<string, string>
  charsets: Map<string, string>
  encodings: Map<string, string>
  languages: Map<string, string>
  defaultCharset: string | null
  forcedType: string | null
  /** Handlers by extension; the empty extension is `SetHandler`. */
  handlers: Map<string, string>
  etag: boolean
  /** What is compressed beside text: all (`SetOutputFilter DEFLATE`), and types, lower case. */
  coded: { all: boolean; types: Set<string>; extensions: Set<string> }
  php: Map<string, string>
  /** Beginnings of paths of which nothing is stored (`CacheDisable`). */
  uncached: string[]
}

export const emptySettings = (): Settings => ({
  rewrite: null,
  redirects: [],
  errorDocuments: new Map(),
  headers: [],
  requestHeaders: [],
  environment: [],
  require: null,
  oldAccess: null,
  satisfyAny: false,
  authType: null,
  authName: '',
  userFile: null,
  groupFile: null,
  index: null,
  fallback: null,
  directorySlash: true,
  pathInfo: true,
  indexes: null,
  indexIgnore: [],
  named: [],
  expiresActive: false,
  expires: new Map(),
  expiresDefault: null,
  types: new Map(),
  charsets: new Map(),
  encodings: new Map(),
  languages: new Map(),
  defaultCharset: null,
  forcedType: null,
  handlers: new Map(),
  etag: true,
  coded: { all: false, types: new Set(), extensions: new Set() },
  php: new Map(),
  uncached: [],
})
