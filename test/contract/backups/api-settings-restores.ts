import { expect, test } from 'vitest'
import type { AccountRecord } from '#handlers/ports/host/backups/archived-records.ts'
import { accountClient, createAccount } from '../frame/api-instance.ts'
import type { MakeApiInstance } from '../frame/api-instance.ts'
import { apiGroup } from '../frame/api-suite.ts'
import { usualSiteSettings } from '#handlers/domain/site-settings/usual-settings.ts'
import { archiveOf } from './archive-of.ts'
import { newRecord } from './archived-record.ts'

const JOB: AccountRecord['cron'][number] = {
  name: 'tidy',
  schedule: '0 3 * * *',
  time_zone: 'UTC',
  kind: 'shell',
  command: 'php tidy.php',
  enabled: true,
  time_limit_secs: 600,
  overlap: 'skip',
  notify_after: 3,
}

interface Restored {
  notes: string[]
}
interface Kept {
  id: string
  settings: boolean
  is_undo: boolean
  files: unknown
}

const OUTSIDE = {
  ...{ path: '/api', replace_prefix: '/v1', application: null, internal: false },
  servers: [{ url: 'https://app.example', weight: 1 }],
  ...{ health_path: '/up', preserve_host: false, websocket: true, verify_tls: true },
}
const INSIDE = {
  ...OUTSIDE,
  ...{ path: '/in', internal: true, servers: [{ url: 'http://10.0.0.5:3000', weight: 1 }] },
}

/** `what: settings` of `/api/backups/accounts/:id/restore/:filename` and of snapshots. */
export const settingsRestoresContract = (makeInstance: MakeApiInstance): void => {
  apiGroup('restores of settings', makeInstance, (shared) => {
    const ROOT = '/api/backups/accounts/1'
    const DOMAIN = 'alice.example'
    let filename = ''
    const lay = (change: Partial<AccountRecord>, place = `local/${filename}`): void => {
      const { facts, secrets } = archiveOf('alice')
      const record = { ...newRecord('alice').record, ...change }
      shared.instance.host.imports.archives.set(place, { secrets, facts: { ...facts, record } })
    }
    const restore = (body: object = { what: 'settings' }, client = shared.admin) =>
      client.post(`${ROOT}/restore/${filename}`, body)
    const notesOf = async (answer: ReturnType<typeof restore>): Promise<string[]> => {
      const { status, body } = await answer
      expect([status, body.error]).toEqual([200, undefined])
      return (body.data as Restored).notes
    }
    const cache = async () =>
      ((await shared.admin.get(`/api/cache/${DOMAIN}`)).body.data as { rules: unknown }).rules
    const site = async () => (await shared.admin.get('/api/domains/1/site')).body.data
    const jobs = async () =>
      (await shared.admin.get('/api/cron?account_id=1&sort=name')).body.data as { name: string }[]
    const schedule = async () =>
      (await shared.admin.get('/api/backups/schedules/accounts/1')).body.data
    const kept = async (client = shared.admin) =>
      (await client.get(`${ROOT}/restores`)).body.data as Kept[]
    const all = async () => [await cache(), await site(), await jobs(), await schedule()]
    const domain = () => {
      const [primary] = newRecord('alice').record.domains
      if (primary === undefined) throw new Error('a record without a domain')
      return primary
    }

    test('are for administrators alone, and a part by themselves', async () => {
      await createAccount(shared.admin, 'alice')
      const made = await shared.admin.post(ROOT)
      filename = (made.body.data as { filename: string }).filename
      lay({})
      const alice = await accountClient(shared.instance, 'alice')
      expect((await restore({ what: 'settings' }, alice)).status).toBe(403)
      expect((await restore({ what: 'settings', paths: ['a'] })).status).toBe(400)
      const both = { what: 'settings', databases: [{ engine: 'mariadb', database: 'alice_x' }] }
      expect((await restore(both)).status).toBe(400)
      expect((await restore({ what: 'secrets' })).status).toBe(400)
      expect(await kept()).toEqual([])
      expect(
        (await shared.admin.post('/api/backups/accounts/9/restore/' + filename, {})).status,
      ).toBe(404)
    })

    test('bring domains, cron jobs and schedule back, and tell what they leave', async () => {
      const before = await all()
      await shared.admin.post('/api/cron', { account_id: 1, ...JOB, name: 'own' })
      const own = domain()
      lay({
        account: { ...newRecord('alice').record.account, php_version: '5.6' },
        domains: [
          {
            ...own,
            cache_ttl: 77,
            cache_exclude: ['/cart/*'],
            redirect_https: true,
            php_version: '5.6',
            site: { ...usualSiteSettings(), www: 'with', backends: [OUTSIDE, INSIDE] },
          },
          { ...own, domain_name: 'gone.example', domain_type: 'addon', document_root: 'gone' },
        ],
        cron: [JOB],
        backup_schedule: {
          what: 'archive',
          every_hours: 6,
          window: null,
          places: ['local', 'nowhere'],
          retention: { last: 3, hourly: 0, daily: 0, weekly: 0, monthly: 0 },
        },
      })
      const notes = (await notesOf(restore())).join('\n')
      for (const part of [
        'PHP 5.6 of alice is not installed',
        `PHP 5.6 of ${DOMAIN} is not installed`,
        `${DOMAIN} has no certificate`,
        'The domain gone.example is not there any more',
        'The cron job own is not in the backup',
        'goes without: nowhere',
      ])
        expect(notes).toContain(part)
      expect(await cache()).toMatchObject({ ttl: 77, exclude: ['/cart/*'] })
      expect(await site()).toMatchObject({ www: 'with' })
      // Whoever wrote the archive could have led anywhere.
      expect(shared.instance.host.webServer.hosts.get('alice.example')?.site?.backends).toEqual([
        OUTSIDE,
      ])
      expect(await jobs()).toMatchObject([{ name: 'own' }, { name: 'tidy', enabled: true }])
      expect(await schedule()).toMatchObject({
        source: 'account',
        schedule: { every_hours: 6, places: ['local'] },
      })
      const alice = await accountClient(shared.instance, 'alice')
      const [one] = await kept(alice)
      expect(one).toMatchObject({ settings: true, is_undo: false, files: 'none' })
      const undo = `${ROOT}/restores/${one?.id}/undo`
      expect((await alice.post(undo)).status).toBe(403)
      const undone = await shared.admin.post(undo)
      expect([undone.status, undone.body.error]).toEqual([200, undefined])
      expect(undone.body.data).toMatchObject({ settings: true, is_undo: true })
      expect(await jobs()).toMatchObject([{ name: 'own' }])
      await shared.admin.del(`/api/cron/1`)
      const after = await all()
      expect([after[0], after[1], after[3]]).toEqual([before[0], before[1], before[3]])
      // The undo is undone in its turn; the earlier restore is not on offer any more.
      const [undoing, ...others] = await kept()
      expect([undoing?.is_undo, others]).toEqual([true, []])
      expect((await shared.admin.post(undo)).status).toBe(404)
      const again = await shared.admin.post(`${ROOT}/restores/${undoing?.id}/undo`)
      expect([again.status, again.body.error]).toEqual([200, undefined])
      expect(await cache()).toMatchObject({ ttl: 77 })
      expect((await jobs()).map(({ name }) => name)).toContain('tidy')
    })

    test('take no cron job beyond the plan, and switch off what nobody proves', async () => {
      await shared.admin.send('PATCH', '/api/plans/free', { cron_jobs_limit: 2 })
      const cron = ['a', 'b', 'c', 'tidy'].map((name) => ({ ...JOB, name }))
      lay({ cron })
      const notes = await notesOf(restore())
      expect(notes.filter((note) => note.includes('plan'))).not.toEqual([])
      const { facts, secrets } = archiveOf('alice', { proof: 'unproved' })
      const record = { ...newRecord('alice').record, cron: [JOB] }
      shared.instance.host.imports.archives.set(`local/${filename}`, {
        secrets,
        facts: { ...facts, record },
      })
      expect((await notesOf(restore())).join()).toContain('switched off')
      expect(await jobs()).toContainEqual(expect.objectContaining({ name: 'tidy', enabled: false }))
    })

    test('refuse what would not pass at the API, and change nothing then', async () => {
      const before = await all()
      const own = domain()
      for (const bad of [
        { cron: [{ ...JOB, command: 'a\nb' }] },
        { cron: [{ ...JOB, schedule: '61 * * * *' }] },
        { domains: [{ ...own, cache_exclude: ['no slash'] }] },
        { domains: [{ ...own, php_version: '../x' }] },
      ]) {
        lay(bad)
        expect([bad, (await restore()).status]).toEqual([bad, 409])
      }
      lay({ domains: [{ ...own, document_root: '../../etc' }] })
      expect((await notesOf(restore())).join()).toContain('The document root of alice.example')
      shared.instance.host.imports.archives.set(`local/${filename}`, archiveOf('bob'))
      expect((await restore()).status).toBe(404)
      const { facts } = archiveOf('alice')
      shared.instance.host.imports.archives.set(`local/${filename}`, {
        secrets: null,
        facts: { ...facts, record: null },
      })
      expect((await restore()).status).toBe(409)
      expect((await cache()) as object).toMatchObject({ ttl: null })
      expect(before).toHaveLength(4)
    })

    test('come from a snapshot as well', async () => {
      const made = await shared.admin.post('/api/backups/snapshots/accounts/1')
      const { id } = made.body.data as { id: string }
      lay({ domains: [{ ...domain(), cache_ttl: 99 }] }, `local/${id}`)
      const path = `/api/backups/snapshots/accounts/1/${id}/restore`
      const alice = await accountClient(shared.instance, 'alice')
      expect((await alice.post(path, { what: 'settings' })).status).toBe(403)
      const done = await shared.admin.post(path, { what: 'settings' })
      expect([done.status, done.body.error]).toEqual([200, undefined])
      expect(await cache()).toMatchObject({ ttl: 99 })
      expect(await kept()).toMatchObject([{ settings: true, snapshot: id, backup: null }])
    })
  })
}
