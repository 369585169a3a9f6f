import { expect, it } from 'vitest'
import { createEnsurePhp } from '#adapters/node/web-server/ensure-php.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { vhostOf } from '#test/contract/sites/sites-harness.ts'

it('speaks what a hand-written host says on the socket that it names', async () => {
  const { php } = vhostOf()
  const table = createVirtualHostTable([
    vhostOf({ php: { ...php, mode: 'lsapi', socket: '/run/a.sock' } }),
    vhostOf({ domain: 'b.test', aliases: [], php: { ...php, socket: '/run/b.sock' } }),
  ])
  const config = { paths: { run_dir: '/nonexistent' } } as ServerConfig
  const ensure = createEnsurePhp(config, () => table, 0)
  expect(await ensure('a.test')).toEqual({
    socket: '/run/a.sock',
    uid: null,
    protocol: 'lsapi',
  })
  expect((await ensure('b.test')).protocol).toBe('fastcgi')
  await expect(ensure('c.test')).rejects.toThrow()
})
