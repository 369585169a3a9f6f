import { callOf, isFunction } from './expression-functions.ts'
import { PatternError } from './pattern/pattern-node.ts'
import { parseTemplate, type Template } from './template.ts'

/**
 * Variables of expressions that Apache documents, and two that rules know besides. Not there:
 * `LAST_MODIFIED`, `SCRIPT_USER`, `SCRIPT_GROUP`, `HANDLER`, `REQUEST_LOG_ID`, `CONN_LOG_ID`.
 */
const VARIABLES: ReadonlySet<string> = new Set(
  (
    'HTTP_ACCEPT HTTP_COOKIE HTTP_FORWARDED HTTP_HOST HTTP_PROXY_CONNECTION HTTP_REFERER ' +
    'HTTP_USER_AGENT REQUEST_METHOD REQUEST_SCHEME REQUEST_URI DOCUMENT_URI REQUEST_FILENAME ' +
    'SCRIPT_FILENAME PATH_INFO QUERY_STRING IS_SUBREQ THE_REQUEST REMOTE_ADDR REMOTE_PORT ' +
    'REMOTE_HOST REMOTE_USER REMOTE_IDENT SERVER_NAME SERVER_PORT SERVER_ADMIN SERVER_PROTOCOL ' +
    'DOCUMENT_ROOT AUTH_TYPE CONTENT_TYPE HTTP2 HTTPS IPV6 REQUEST_STATUS CONN_REMOTE_ADDR ' +
    'CONTEXT_PREFIX CONTEXT_DOCUMENT_ROOT TIME_YEAR TIME_MON TIME_DAY TIME_HOUR TIME_MIN TIME_SEC ' +
    'TIME_WDAY TIME SERVER_SOFTWARE API_VERSION SERVER_ADDR SCRIPT_NAME'
  ).split(' '),
)

/** What `%{…}` stands for in an expression: a variable, or the call of a function (`%{md5:a}`). */
const variable = (name: string): Template => {
  const colon = name.indexOf(':')
  if (colon === -1) {
    if (VARIABLES.has(name.toUpperCase())) return [{ kind: 'variable', name }]
    throw new PatternError(`"%{${name}}" is not supported`)
  }
  const called = name.slice(0, colon).toLowerCase()
  if (!isFunction(called)) throw new PatternError(`"%{${called}:…}" is not supported`)
  return callOf(called, [{ kind: 'text', text: name.slice(colon + 1) }])
}

/** A text of an expression, as the value of `Header set X expr=…` is one. Throws `PatternError` for what it names that there is not. */
export const parseExpressionText = (source: string): Template =>
  parseTemplate(source, '$').flatMap((part) =>
    part.kind === 'variable' ? variable(part.name) : [part],
  )
