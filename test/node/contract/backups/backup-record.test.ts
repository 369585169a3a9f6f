import { PUBLIC_KEY } from '#test/contract/sftp/sftp-port.ts'
import { expect, it } from 'vitest'
import type { BackupWork } from '#handlers/ports/host/backups/backups.ts'
import { adminClient, createAccount } from '#test/contract/frame/api-instance.ts'
import { makeNodeApi } from '../api-node.ts'

it('a backup is given all that the panel knows of the account', async () => {
  const api = await makeNodeApi()
  try {
    const admin = await adminClient(api)
    await createAccount(admin, 'alice')
    await admin.send('PATCH', '/api/accounts/1', { disk_quota_mb: 777 })
    await admin.send('PATCH', '/api/cache/alice.example', {
      ttl: 60,
      exclude: ['/cart/*'],
      session_cookies: ['sid2'],
      fills: 'neutral',
    })
    await admin.post('/api/cron', {
      account_id: 1,
      name: 'tidy',
      schedule: '@daily',
      kind: 'shell',
      command: 'php tidy.php',
    })
    const schedule = {
      what: 'archive',
      every_hours: 6,
      window: { from: 22, to: 4 },
      places: ['local'],
      retention: { last: 0, hourly: 0, daily: 3, weekly: 0, monthly: 0 },
    }
    await admin.send('PUT', '/api/backups/schedules/accounts/1', schedule)
    await admin.post('/api/ssh-keys', { account_id: 1, name: 'laptop', public_key: PUBLIC_KEY })
    await admin.send('PATCH', '/api/sftp/1', { passwords: false })
    const works: BackupWork[] = []
    const start = api.host.backups.start.bind(api.host.backups)
    api.host.backups.start = async (work) => {
      works.push(work)
      await start(work)
    }
    expect((await admin.post('/api/backups/accounts/1')).status).toBe(200)
    const row = await api.store.accountById(1)
    expect(works).toMatchObject([
      {
        kind: 'create',
        secrets: { password_hash: row?.password_hash, second_factor: null },
        record: {
          account: {
            primary_domain: 'alice.example',
            email: row?.email,
            plan: row?.plan,
            disk_quota_mb: 777,
            suspended: false,
            php_mode: 'fpm',
          },
          plan: { name: row?.plan },
          domains: [
            {
              domain_name: 'alice.example',
              domain_type: 'primary',
              document_root: 'public_html',
              cache_ttl: 60,
              cache_exclude: ['/cart/*'],
              cache_session_cookies: ['sid2'],
              cache_fills: 'neutral',
            },
          ],
          certificates: [],
          cron: [{ name: 'tidy', kind: 'shell', command: 'php tidy.php', enabled: true }],
          backup_schedule: schedule,
          sftp: { passwords: false, keys: [{ name: 'laptop', public_key: PUBLIC_KEY }] },
        },
      },
    ])
    expect(JSON.stringify(works[0]?.kind === 'create' && works[0].record)).not.toContain(
      row?.password_hash,
    )
  } finally {
    await api.close()
  }
})
