import { describe, expect, it } from 'vitest'
import { compareConfigs } from '#adapters/node/web-server/config-changes.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'
import type { ServerConfig, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'

const hostsOf = (text: string): VirtualHostConfig[] =>
  parseServerConfig({ file: '/b.toml', text, root: false }).hosts.map(({ host }) => host)
const base = parseServerConfig({ file: '/b.toml', text: '', root: false }).config
const config = (text: string): ServerConfig => ({ ...base, virtualhost: hostsOf(text) })
const host = (domain: string, more = ''): string =>
  `[[virtualhost]]\ndomain = "${domain}"\nroot = "/srv/${domain}"\n${more}\n`

const A = host('a.test', 'aliases = ["www.a.test"]')
const B = host('b.test')

describe('what a reload has to carry out', () => {
  it('is nothing when nothing changed', () => {
    expect(compareConfigs(config(A + B), config(A + B))).toEqual({
      put: [],
      removed: [],
      purge: [],
      settings: false,
    })
  })

  it('purges hosts that are gone, with their aliases', () => {
    const changes = compareConfigs(config(A + B), config(B))
    expect(changes).toMatchObject({ put: [], removed: ['a.test'] })
    expect(changes.purge).toEqual(['a.test', 'www.a.test'])
  })

  it('purges what a host answered under its old names and its new ones', () => {
    const changed = host('a.test', 'aliases = ["new.a.test"]\nsuspended = true')
    const changes = compareConfigs(config(A + B), config(changed + B))
    expect(changes.put.map(({ domain }) => domain)).toEqual(['a.test'])
    expect(changes.purge.sort()).toEqual(['a.test', 'new.a.test', 'www.a.test'])
  })

  it('keeps pages when only the certificate changed', () => {
    const secured = host('b.test', 'ssl_certificate = "/c"\nssl_certificate_key = "/k"')
    const changes = compareConfigs(config(A + B), config(A + secured))
    expect(changes.put).toHaveLength(1)
    expect(changes.purge).toEqual([])
  })

  it('sees settings that workers are built from, and no others', () => {
    const before = config(A)
    const server = { ...before.server, keepalive_timeout: before.server.keepalive_timeout + 1 }
    expect(compareConfigs(before, { ...before, server }).settings).toBe(true)
    const panel = { ...before.panel, acme_email: 'x@a.test' }
    expect(compareConfigs(before, { ...before, panel }).settings).toBe(false)
  })
})
