import { invalid, notFound } from '#handlers/errors.ts'
import type { PhpPort, PhpVersion } from '#handlers/ports/host/php.ts'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import type { FakeOperations } from './operations.ts'

export interface FakePhp extends PhpPort {
  /** What each account was set to, for assertions. */
  configured: Map<string, { version: string; mode: PhpMode }>
}

const VERSIONS: PhpVersion[] = [
  { version: '8.2', binary: '/usr/bin/php8.2', sapis: ['fpm', 'cgi'], default: true },
  { version: '8.1', binary: '/usr/bin/php8.1', sapis: ['fpm', 'cgi', 'lsapi'], default: false },
]

/** `hasAccount` says whether the host made an account of that name. */
export const createFakePhp = (
  operations: FakeOperations,
  hasAccount: (username: string) => boolean,
): FakePhp => {
  const configured: FakePhp['configured'] = new Map()
  return {
    configured,
    async versions() {
      return VERSIONS.map((version) => ({ ...version, sapis: [...version.sapis] }))
    },
    async pools() {
      return [...configured].map(([username, { version, mode }], index) => ({
        username,
        version,
        mode,
        ownSettings: false,
        pid: 1000 + index,
        idleSecs: 0,
        answers: true,
      }))
    },
    async test({ username, version, mode }) {
      const found = VERSIONS.find((one) => one.version === version)
      if (found === undefined) throw invalid('version', `PHP ${version} is not installed.`)
      if (!found.sapis.includes(mode)) throw invalid('mode', `mode ${mode} is not installed.`)
      if (username !== null && !hasAccount(username))
        throw notFound(`User ${username} does not exist.`)
      const times = { startMs: 30, firstMs: 12.5, againMs: 1.5 }
      return {
        version,
        mode,
        ...times,
        phpVersion: `${version}.1`,
        sapi: mode,
        uid: 1,
        error: null,
      }
    },
    async facts({ version, mode }) {
      const found = VERSIONS.find((one) => one.version === version)
      if (found === undefined) throw invalid('version', `PHP ${version} is not installed.`)
      if (!found.sapis.includes(mode)) throw invalid('mode', `mode ${mode} is not installed.`)
      return {
        version: `${version}.1`,
        ini: { memory_limit: '256M', post_max_size: '256M', 'date.timezone': '' },
        server: ['memory_limit', 'post_max_size'],
        extensions: [
          { name: 'Core', version: `${version}.1` },
          { name: 'json', version: null },
        ],
        maxBodyBytes: 268_435_456,
      }
    },
    async configure({ operationId, username, version, mode }) {
      operations.run(operationId, 'php.configure', username, () => {
        const found = VERSIONS.find((one) => one.version === version)
        if (found === undefined) throw invalid('version', `PHP ${version} is not installed.`)
        if (!found.sapis.includes(mode)) throw invalid('mode', `mode ${mode} is not installed.`)
        if (!hasAccount(username)) throw notFound(`User ${username} does not exist.`)
        configured.set(username, { version, mode })
        return null
      })
    },
  }
}
