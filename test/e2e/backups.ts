import { createHash } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel } from '#test/support/setups/shared-instance.ts'

interface Backup {
  filename: string
  size_bytes: number
  sha256: string
}

it('a site is backed up, downloaded, restored, and deleted with a final backup', async () => {
  const username = randomUsername()
  const host = `${username}.example`
  const account = await panel.data<{ id: number; home: string }>('POST', '/api/accounts', {
    username,
    domain: host,
    email: 'a@example.com',
    password: 'a long password',
    plan: 'free',
  })
  const backups = `/api/backups/accounts/${account.id}`
  const page = join(account.home, 'public_html', 'index.html')
  await writeFile(page, 'first')
  const backup = await panel.data<Backup>('POST', backups)
  const response = await fetch(`${instance.panelUrl}${backups}/${backup.filename}/download`, {
    headers: { authorization: `Bearer ${panel.token}` },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes).toHaveLength(backup.size_bytes)
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(backup.sha256)
  await writeFile(page, 'second')
  await panel.data('POST', `${backups}/restore/${backup.filename}`, { what: 'files' })
  expect((await instance.site(host, '/?fresh')).text).toBe('first')
  await panel.data('DELETE', `/api/accounts/${account.id}?backup=true`)
  expect(await panel.data<Backup[]>('GET', backups)).toHaveLength(2)
  const files = (await readdir(join(instance.config.paths.state_dir, 'backups'))).sort()
  expect(files.filter((name) => name.endsWith('.tar.gz'))).toHaveLength(2)
}, 120_000)
