import type { Directive } from '../../types.ts'

/** Variables of nginx by the names of rewrite rules. */
const NAMES: Readonly<Record<string, string>> = {
  host: '%{SERVER_NAME}',
  http_host: '%{HTTP_HOST}',
  scheme: '%{REQUEST_SCHEME}',
  uri: '%{REQUEST_URI}',
  document_uri: '%{REQUEST_URI}',
  request_uri: '%{REQUEST_URI}',
  fastcgi_script_name: '%{REQUEST_URI}',
  args: '%{QUERY_STRING}',
  query_string: '%{QUERY_STRING}',
  request_method: '%{REQUEST_METHOD}',
  request_filename: '%{DOCUMENT_ROOT}%{REQUEST_URI}',
  document_root: '%{DOCUMENT_ROOT}',
  remote_addr: '%{REMOTE_ADDR}',
  remote_user: '%{REMOTE_USER}',
  server_port: '%{SERVER_PORT}',
  server_addr: '%{SERVER_ADDR}',
  server_protocol: '%{SERVER_PROTOCOL}',
  http_user_agent: '%{HTTP_USER_AGENT}',
  http_referer: '%{HTTP_REFERER}',
  http_cookie: '%{HTTP_COOKIE}',
}

/** What stands for variables in one server. */
export interface NginxNames {
  /** Stands in for `$server_name`. */
  serverName: string
  /** Variables of maps and of `set`, which rules keep in the environment. */
  own: Set<string>
  /** Whether `fastcgi_split_path_info` ends the script's name where the script ends. Default: it is the whole path. */
  splits?: boolean
}

const SCRIPT = '%{SCRIPT_NAME}'

/** Variables in a text, without their `$`. */
export const variablesIn = (text: string): string[] =>
  Array.from(
    text.matchAll(/\$(?:\{(\w{1,64})\}|(\w{1,64}))/g),
    ([, braced, bare]) => braced ?? bare ?? '',
  )

/** Directives whose arguments become rules, so that they ask for variables. */
const ASKING = new Set('return rewrite if try_files add_header proxy_set_header set'.split(' '))

/** Variables that directives which are carried over ask for, in blocks too. */
export const askedVariables = (
  directives: readonly Directive[],
  found: Set<string> = new Set(),
): Set<string> => {
  for (const { name, args, inside } of directives) {
    const asking = name === 'set' ? args.slice(1) : ASKING.has(name) ? args : []
    for (const arg of asking) for (const one of variablesIn(arg)) found.add(one)
    if (inside !== null) askedVariables(inside, found)
  }
  return found
}

/** The variable that a text is, without its `$`; null: it is none, or more than one. */
export const variableOf = (text: string): string | null =>
  /^\$(?:(\w{1,64})|\{(\w{1,64})\})$/.exec(text)?.slice(1).find(Boolean) ?? null

/** Name in the environment of a variable that a configuration has itself. */
export const envOf = (variable: string): string => `ngx_${variable}`

/** Variables of a configuration that a text of ours asks for, as `envOf` has them named. */
export const envsIn = (text: string): string[] =>
  Array.from(text.matchAll(/\bngx_(\w{1,64})\}/g), ([, variable = '']) => variable)

/** Whether a text can be the value of the flag `E`: a comma ends flags, a blank their word. */
export const isFlagValue = (text: string): boolean =>
  !/["\r\n[\]]/.test(text) && !(text.includes(',') && /\s/.test(text))

/** A variable without its `$`; null: Berth has no such one. */
const nginxVariable = (
  name: string,
  { serverName, own, splits = false }: NginxNames,
): string | null => {
  if (splits && name === 'fastcgi_script_name') return SCRIPT
  if (own.has(name)) return `%{ENV:${envOf(name)}}`
  if (name === 'server_name') return serverName
  if (/^http_[a-z0-9_]+$/.test(name) && NAMES[name] === undefined)
    return `%{HTTP:${name.slice(5).replaceAll('_', '-')}}`
  return NAMES[name] ?? null
}

/**
 * A text with variables as the target of a rule; null when one of them is not
 * known. `$1` stays; `sign`: what stands before its digit.
 */
export const nginxTemplate = (
  text: string,
  names: NginxNames,
  sign: '$' | '%' = '$',
): string | null => {
  let known = true
  const filled = text.replace(
    /\$(?:(\d)|\{(\w+)\}|([A-Za-z_]\w*))|[%\\]/g,
    (whole, digit?: string, braced?: string, bare?: string) => {
      if (digit !== undefined) return `${sign}${digit}`
      const name = braced ?? bare
      if (name === undefined) return `\\${whole}`
      const value = nginxVariable(name, names)
      if (value === null) known = false
      return value ?? ''
    },
  )
  return known ? filled.replaceAll(`%{DOCUMENT_ROOT}${SCRIPT}`, '%{SCRIPT_FILENAME}') : null
}
