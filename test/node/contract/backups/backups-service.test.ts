import { describe, expect, it } from 'vitest'
import { conflict, unavailable } from '#handlers/errors.ts'
import { AWAY } from '#test/contract/backups/away-target.ts'
import { admin, api, freshApi } from '#test/support/setups/fresh-api.ts'

freshApi('alice')

const rows = async () => (await api.store.listBackups()).rows
const files = (): string[] => [...api.host.backups.files.keys()].sort()

describe('backups over the journal', () => {
  it('a creation that a crash broke off leaves no file and no record', async () => {
    const error = unavailable('The answer was lost.')
    api.host.inject({ method: 'backups.wait', when: 'after', error, times: 1 })
    expect((await admin.post('/api/backups/accounts/1')).status).toBe(503)
    expect([files(), await rows()]).toEqual([[], []])
    // The removal fails too, as after a crash of both; a new panel settles it.
    api.host.inject({ method: 'backups.wait', when: 'after', error, times: 1 })
    api.host.inject({ method: 'backups.remove', when: 'before', error, times: 1 })
    expect((await admin.post('/api/backups/accounts/1')).status).toBe(503)
    expect(files()).toHaveLength(1)
    await api.restart().settleOpenOperations()
    expect([files(), await rows()]).toEqual([[], []])
    expect(await api.store.openOperations()).toEqual([])
  })

  it('a copy goes to the default target, and its failure keeps the local one', async () => {
    api.host.backups.configured = [AWAY]
    expect((await admin.post('/api/backups/accounts/1')).body.data).toMatchObject({
      location: 'away',
    })
    expect((await rows()).map(({ location }) => location)).toEqual(['away', 'local'])
    const error = unavailable('The target is down.')
    const start = api.host.backups.start.bind(api.host.backups)
    api.host.backups.start = async (work) => {
      if (work.kind === 'upload') api.host.backups.failures = [error]
      await start(work)
    }
    const failed = await admin.post('/api/backups/accounts/1')
    expect(failed.status).toBe(503)
    expect(failed.body.error).toContain('is kept on this host')
    expect((await rows()).filter(({ location }) => location === 'local')).toHaveLength(2)
    // Deleting the account is content with the local one.
    expect((await admin.del('/api/accounts/1?backup=true')).status).toBe(200)
    expect((await rows()).filter(({ location }) => location === 'local')).toHaveLength(3)
  })

  const twoCopies = async (): Promise<string> => {
    api.host.backups.configured = [AWAY]
    const { body } = await admin.post('/api/backups/accounts/1')
    return (body.data as { filename: string }).filename
  }

  it('a restore and a download fall back to a copy at a target', async () => {
    const filename = await twoCopies()
    const path = `/api/backups/accounts/1/restore/${filename}`
    const download = `/api/backups/accounts/1/${filename}/download`
    const headers = { authorization: `Bearer ${admin.token}` }
    const damage: (() => unknown)[] = [
      () => api.host.backups.files.set(`local/${filename}`, 'damaged'),
      () => api.host.backups.files.delete(`local/${filename}`),
    ]
    for (const spoil of damage) {
      spoil()
      const answer = await admin.post(path, { what: 'files' })
      expect([answer.status, answer.body.data]).toEqual([
        200,
        expect.objectContaining({ location: 'away' }),
      ])
      // Who names a copy means that one.
      expect((await admin.post(`${path}?location=local`)).status).not.toBe(200)
    }
    const response = await api.fetch(download, { headers })
    expect([response.status, await response.text()]).toEqual([200, `backup ${filename}`])
    const named = await api.fetch(`${download}?location=local`, { headers })
    expect(named.status).toBe(404)
    // Without any copy it is the host's own fault that is told.
    api.host.backups.files.clear()
    const gone = await admin.post(path)
    expect([gone.status, gone.headers.get('x-error-field')]).toEqual([404, 'location'])
    expect(api.host.backups.restored).toHaveLength(2)
  })

  it('what is wrong with the restore itself is not tried again from elsewhere', async () => {
    const filename = await twoCopies()
    api.host.backups.failures = [conflict('A dump is refused.')]
    const answer = await admin.post(`/api/backups/accounts/1/restore/${filename}`)
    expect([answer.status, answer.body.error]).toEqual([409, 'A dump is refused.'])
    expect(api.host.backups.restored).toEqual([])
  })

  it('deleting a backup keeps copies at targets unless they are named', async () => {
    const filename = await twoCopies()
    const path = `/api/backups/accounts/1/${filename}`
    expect((await admin.del(path)).body.data).toMatchObject({ deleted: true, kept: ['away'] })
    expect(files()).toEqual([`away/${filename}`])
    const again = await admin.del(path)
    expect([again.status, again.body.error]).toEqual([
      404,
      expect.stringContaining('location=away'),
    ])
    expect((await admin.del(`${path}?location=away`)).body.data).toMatchObject({ kept: [] })
    const other = await twoCopies()
    const all = await admin.del(`/api/backups/accounts/1/${other}?location=all`)
    expect(all.body.data).toMatchObject({ kept: [] })
    expect([files(), await rows()]).toEqual([[], []])
  })

  it('an account stays when its final backup fails', async () => {
    api.host.backups.failures = [unavailable('No dump.')]
    const answer = await admin.del('/api/accounts/1?backup=true')
    expect([answer.status, answer.body.error]).toEqual([503, 'Not deleted: No dump.'])
    expect((await admin.get('/api/accounts/1')).body.data).toMatchObject({ status: 'active' })
  })
})
