import { changed, judgedBy, lost, where, type Judgement, type Judges } from '../judgement.ts'

const CACHE_JUDGES = changed(
  'Berth’s page cache judges by itself who gets stored pages. Name cookies of yours in [virtualhost.cache] bypass_cookies.',
)
const OWN_HEADERS = changed('Headers that Berth writes itself stay its own.')

/** Directives of which nothing is missed but with these values. */
const JUDGES: Judges = {
  limit_req_status: where(/^(?!429$)/, changed('Whoever asks too often is answered with 429.')),
  disable_symlinks: where(
    /^on$/,
    lost('Links are followed to what belongs to the account. Take away those that are not to be.'),
  ),
  merge_slashes: where(/^off$/, changed('Slashes that follow each other count as one.')),
  max_ranges: where(/^0$/, changed('Parts of files are given to who asks for them.')),
  underscores_in_headers: where(
    /^on$/,
    lost('PHP gets no headers with an underscore, which could pass for others.'),
  ),
  ignore_invalid_headers: where(
    /^off$/,
    changed('Requests with names of headers that are none are refused.'),
  ),
  if_modified_since: where(
    /^(?:off|before)$/,
    changed('Who has a file already gets it again where it has changed since.'),
  ),
  server_name_in_redirect: where(
    /^on$/,
    changed('Redirects of the server itself stay at the name that was asked for.'),
  ),
  fastcgi_intercept_errors: where(
    /^on$/,
    changed('Pages that PHP gives with an error are shown as they are.'),
  ),
  proxy_pass_header: where(/^(?:server|date|x-)/i, OWN_HEADERS),
  fastcgi_pass_header: where(/^(?:server|date|x-)/i, OWN_HEADERS),
  proxy_no_cache: () => CACHE_JUDGES,
  proxy_cache_bypass: () => CACHE_JUDGES,
  fastcgi_no_cache: () => CACHE_JUDGES,
  fastcgi_cache_bypass: () => CACHE_JUDGES,
}

/** What is missed of a directive because of its value; null: nothing. */
export const judged = (name: string, args: readonly string[]): Judgement | null =>
  judgedBy(JUDGES, name, args)

const PATH_LEADS = '^\\$(?:fastcgi_script_name|uri|document_uri|script_name)$'

/** What PHP is told by its names, as configurations say it where they mean what Berth says anyway. */
const USUAL: Readonly<Record<string, RegExp>> = {
  QUERY_STRING: /^\$(?:query_string|args)$/,
  REQUEST_METHOD: /^\$request_method$/,
  CONTENT_TYPE: /^\$content_type$/,
  CONTENT_LENGTH: /^\$content_length$/,
  SCRIPT_FILENAME:
    /^(?:\$request_filename|[^$]*(?:\$(?:document_root|realpath_root))?\/?\$(?:fastcgi_script_name|uri|script_name))$/,
  SCRIPT_NAME: new RegExp(PATH_LEADS),
  REQUEST_URI: /^\$request_uri$/,
  DOCUMENT_URI: /^\$(?:document_)?uri$/,
  DOCUMENT_ROOT: /^\$(?:document_root|realpath_root)$/,
  SERVER_PROTOCOL: /^\$server_protocol$/,
  REQUEST_SCHEME: /^\$scheme$/,
  HTTPS: /^\$https$|^\$\w*https\w*$/,
  REMOTE_ADDR: /^\$remote_addr$/,
  REMOTE_PORT: /^\$remote_port$/,
  REMOTE_USER: /^\$remote_user$/,
  SERVER_ADDR: /^\$server_addr$/,
  SERVER_PORT: /^\$server_port$/,
  SERVER_NAME: /^\$(?:server_name|host|http_host)$/,
  HTTP_HOST: /^\$(?:host|http_host|server_name)$/,
  HTTP_PROXY: /^$/,
}

/** What is missed of a `fastcgi_param` that PHP gets anyway; null: nothing. `secure`: every visitor comes over TLS. */
export const judgedParam = (name: string, value: string, secure: boolean): Judgement | null => {
  if (!Object.hasOwn(USUAL, name) || USUAL[name]?.test(value) === true) return null
  if (name === 'HTTPS' && value === (secure ? 'on' : 'off')) return null
  if (name === 'SCRIPT_FILENAME' || name === 'SCRIPT_NAME')
    return lost('PHP runs the script that the path leads to. Lead to another one in rewrites.')
  if (name === 'HTTPS' || name === 'REMOTE_ADDR' || name.startsWith('SERVER_'))
    return changed(
      'PHP is told how the visitor came. Where a server in front of this one knows it, name that in [panel] trusted_proxies.',
    )
  return changed('PHP gets it as the request has it.')
}
