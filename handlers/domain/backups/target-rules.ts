import { parseHostPort } from '../text/host-port.ts'

/** What of a target is judged; the configuration's and the panel's are of this shape. */
interface JudgedTarget {
  name: string
  type: 's3' | 'sftp'
  endpoint: string
  bucket: string | null
  path: string | null
  region: string | null
  username: string | null
  access_key_id: string | null
  secret_key_file: string | null
  password_file: string | null
  private_key_file: string | null
  host_key: string | null
  allow_private: boolean
}

/** What a value of a target must look like, and what is said of one that does not. */
export const TARGET_PATTERNS = {
  name: [
    /^[a-z0-9][a-z0-9-]{0,31}$/,
    'is not a name. Use up to 32 lower-case letters, digits and hyphens.',
  ],
  bucket: [/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/, 'is not the name of a bucket.'],
  region: [/^[a-z0-9-]{1,40}$/, 'is not a region. Write "eu-central-1".'],
  username: [
    /^[^\s-]\S{0,127}$/,
    'is not a user name. It has no blanks and begins with no hyphen.',
  ],
  host_key: [
    /^SHA256:[A-Za-z0-9+/]{43}=?$/,
    'is not a fingerprint. Write "SHA256:…" as "ssh-keyscan HOST | ssh-keygen -lf -" shows it.',
  ],
} as const satisfies Record<string, readonly [RegExp, string]>

/** Longest values; a private key is the longest of the secrets. */
export const TARGET_LENGTHS = {
  endpoint: 300,
  path: 1000,
  access_key_id: 256,
  secret: 16_384,
} as const

const S3_ONLY = ['bucket', 'region', 'access_key_id', 'secret_key_file'] as const
const SFTP_ONLY = ['username', 'password_file', 'private_key_file', 'host_key'] as const

/** `host` or `host:port`, IPv6 in brackets. */
export const parseSftpEndpoint = (endpoint: string): { host: string; port: number } | null =>
  parseHostPort(endpoint, 22)

/** Whether the URL of an S3 service is one; `near`: it may go without TLS. */
const isS3Endpoint = (endpoint: string, near: boolean): boolean => {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (url === null || (url.protocol !== 'https:' && !(near && url.protocol === 'http:')))
    return false
  return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
}

/** What is missing, out of place or unsafe in a target, by key; the same for every source. */
export const targetFaults = (target: JudgedTarget): [string, string][] => {
  const faults: [string, string][] = []
  const need = (key: keyof JudgedTarget): void => {
    if (target[key] === null)
      faults.push([key, `is missing. A target of type ${target.type} needs it.`])
  }
  for (const key of target.type === 's3' ? SFTP_ONLY : S3_ONLY)
    if (target[key] !== null)
      faults.push([key, `is not for a target of type ${target.type}. Remove it.`])
  if (target.type === 's3') {
    for (const key of ['bucket', 'access_key_id', 'secret_key_file'] as const) need(key)
    if (!isS3Endpoint(target.endpoint, target.allow_private))
      faults.push([
        'endpoint',
        isS3Endpoint(target.endpoint, true)
          ? 'goes without TLS, which only a target in a private network may (allow_private). Write "https://s3.example.com", or allow that.'
          : 'is not an https URL. Write "https://s3.example.com".',
      ])
  } else {
    for (const key of ['username', 'path', 'host_key'] as const) need(key)
    if (parseSftpEndpoint(target.endpoint) === null)
      faults.push(['endpoint', 'is not an address. Write "host" or "host:port".'])
    if ((target.password_file === null) === (target.private_key_file === null))
      faults.push(['password_file', 'or private_key_file is needed, one of the two.'])
  }
  if (target.name === 'local') faults.push(['name', "is the name of this host's own directory."])
  if (target.name === 'all') faults.push(['name', 'stands for every place at once.'])
  return faults
}
