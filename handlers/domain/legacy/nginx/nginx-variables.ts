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

/** A variable without its `$`; null: Berth has no such one. */
const nginxVariable = (name: string, serverName: string): string | null => {
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
  serverName: string,
  sign: '$' | '%' = '$',
): string | null => {
  let known = true
  const filled = text.replace(
    /\$(?:(\d)|\{(\w+)\}|([A-Za-z_]\w*))|[%\\]/g,
    (whole, digit?: string, braced?: string, bare?: string) => {
      if (digit !== undefined) return `${sign}${digit}`
      const name = braced ?? bare
      if (name === undefined) return `\\${whole}`
      const value = nginxVariable(name, serverName)
      if (value === null) known = false
      return value ?? ''
    },
  )
  return known ? filled : null
}
