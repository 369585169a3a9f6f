import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { unixFetch } from '#adapters/node/process/unix-fetch.ts'
import { createSelfSigned } from '#adapters/node/tls/self-signed.ts'
import type { VirtualHostSpec } from '#handlers/ports/host/web-server.ts'
import { connectH2Socket } from '#test/node/web-server/support/h2-client.ts'
import { Tenant } from '#test/support/tenant.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { siteSpec } from '#test/support/setups/virtual-hosts.ts'

describe('[ssl] directory', () => {
  let tenant: Tenant
  let directory: string
  /** Of the instance's configuration. */
  let home: string
  shareInstance({
    settings: { server: 'workers = 1', databases: 'mariadb = "off"', ssl: 'directory = "tls"' },
  })
  beforeAll(async () => {
    directory = instance.config.ssl.directory
    home = dirname(instance.config.file)
    tenant = await Tenant.create(panel)
  })

  const apply = async (ssl: VirtualHostSpec['ssl']): Promise<void> => {
    const host = createHostClient(
      unixFetch(join(instance.config.paths.run_dir, 'agent.sock'), {
        timeoutMs: 30_000,
        maxBytes: 2 ** 20,
      }),
    )
    const { domain, username } = tenant
    await host.webServer.apply({
      put: [siteSpec(domain, username, { root: tenant.path('public_html'), ssl })],
      remove: [],
    })
  }
  const shown = async (): Promise<string> => {
    const socket = await connectH2Socket(instance.webSslPort, tenant.domain)
    const { CN } = socket.getPeerCertificate().subject
    socket.destroy()
    return String(CN)
  }
  /** As the agent would: for root and the web server's group alone. */
  const write = (base: string, name: string): NonNullable<VirtualHostSpec['ssl']> => {
    const { key, cert } = createSelfSigned(name)
    mkdirSync(base, { recursive: true })
    const files = { certificate: join(base, 'certificate.pem'), key: join(base, 'key.pem') }
    writeFileSync(files.certificate, cert, { mode: 0o644 })
    writeFileSync(files.key, key, { mode: 0o644 })
    return files
  }

  it('is made for the web server to read and for no account to enter', async () => {
    expect(directory).toBe(join(home, 'tls'))
    const stats = statSync(directory)
    expect(stats.uid).toBe(0)
    expect(stats.mode & 0o777).toBe(0o750)
    const key = write(join(directory, 'seen'), 'seen.test').key
    expect((await tenant.run('cat', ['--', key])).code).not.toBe(0)
  })

  it('is where the certificates of generated hosts lie, and nowhere else', async () => {
    const { domain } = tenant
    await apply(write(join(directory, domain, 'version-1'), 'mine.test'))
    expect(await shown()).toBe('mine.test')
    const outward = `${directory}/${domain}/../../elsewhere/${domain}/version-1`
    for (const files of [
      write(join(home, 'elsewhere', domain, 'version-1'), 'elsewhere.test'),
      write(join(`${directory}-2`, domain, 'version-1'), 'beside.test'),
      write(join(directory, 'another.example.com', 'version-1'), 'another.test'),
      { certificate: `${outward}/certificate.pem`, key: `${outward}/key.pem` },
    ])
      await expect(apply(files)).rejects.toMatchObject({ status: 400 })
    expect(await shown()).toBe('mine.test')
  })
})
