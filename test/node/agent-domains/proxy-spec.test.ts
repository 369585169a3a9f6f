import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Registry, RegisteredAccount } from '#adapters/node/agent/registry/types.ts'
import { checkSpec } from '#adapters/node/agent/domains/check-spec.ts'
import { parseIncludedFile } from '#handlers/domain/config/server-config.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { hostSpec } from '../agent-php/host-fixture.ts'

const ACCOUNT: RegisteredAccount = {
  username: 'alice',
  uid: 64_000,
  gid: 64_000,
  home: '/home/alice',
  suspended: false,
  phpVersion: null,
  phpMode: 'fpm',
  diskQuotaMb: 0,
  limits: null,
}
let registry: Registry
beforeEach(() => {
  makeDirectory()
  const real = openRegistry(join(directory, 'registry.sqlite'))
  registry = new Proxy(real, {
    get: (target, key) =>
      key === 'account' ? () => ACCOUNT : (Reflect.get(target, key) as unknown),
  })
})

describe('a generated host with a proxy', () => {
  const check = (upstream: string, more: Record<string, unknown> = {}) =>
    checkSpec(
      hostSpec(ACCOUNT, 'a.test', {
        proxy: { upstream, paths: ['/api'], websocket: true, ...more },
      }),
      registry,
      '/c',
    )

  it('is written with what was asked for, and nothing else that a caller sends', () => {
    const { spec, text } = check('http://127.0.0.1:3000', { verify_tls: false })
    const proxy = { upstream: 'http://127.0.0.1:3000', paths: ['/api'], websocket: true }
    expect(spec.proxy).toEqual(proxy)
    expect(text).not.toContain('verify_tls')
    const { hosts, problems } = parseIncludedFile('/v/a.toml', text)
    expect(problems).toEqual([])
    expect(hosts[0]?.host.proxy).toMatchObject(proxy)
  })

  it.each([
    'http://169.254.169.254:8080',
    'http://127.0.0.1:22',
    'unix:/run/berth/agent.sock',
    'http://127.0.0.1:3000"\nverify_tls = false\n#',
  ])('never leads where an account must not: %j', (upstream) => {
    expect(() => check(upstream)).toThrow(/proxy\.upstream/)
  })
})
