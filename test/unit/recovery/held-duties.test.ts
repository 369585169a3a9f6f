import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { heldFile } from '#adapters/node/layout/recovery-files.ts'
import { heldDuties } from '#adapters/node/panel/duties/held-duties.ts'

test('renewals, backups and messages wait while a machine is not the live one, and need no restart then', async () => {
  const state_dir = mkdtempSync(join(tmpdir(), 'berth-held-'))
  const done: string[] = []
  const told: string[] = []
  const log = {
    info: () => undefined,
    warn: (message: string) => void told.push(message),
    error: () => undefined,
  }
  const duties = heldDuties(
    {
      renewCertificates: async () => {
        done.push('renewed')
        return { renewed: ['a.example'], skipped: [], errors: [] }
      },
      goOnWithOrders: async () => {
        done.push('went on')
        return { renewed: [], errors: [] }
      },
      scheduledBackups: async () => void done.push('backed up'),
      tickCron: async () => void done.push('ticked'),
      takePushes: async () => undefined,
      tellOverdueBackups: async () => void done.push('overdue'),
      proveBackups: async () => void done.push('proved'),
      dispatchEvents: async () => void done.push('told'),
      tellNotifications: async () => void done.push('notified'),
    },
    { state_dir },
    log,
  )
  try {
    writeFileSync(heldFile({ state_dir }), '{}')
    expect(await duties.renewCertificates()).toEqual({ renewed: [], skipped: [], errors: [] })
    expect(await duties.goOnWithOrders()).toEqual({ renewed: [], errors: [] })
    await duties.scheduledBackups()
    await duties.tellOverdueBackups()
    await duties.proveBackups()
    await duties.dispatchEvents()
    await duties.tellNotifications()
    await duties.tickCron()
    await duties.tickCron()
    expect(done).toEqual([])
    expect(told).toHaveLength(4)
    rmSync(heldFile({ state_dir }))
    await duties.renewCertificates()
    await duties.goOnWithOrders()
    await duties.scheduledBackups()
    await duties.tellOverdueBackups()
    await duties.proveBackups()
    await duties.dispatchEvents()
    await duties.tellNotifications()
    await duties.tickCron()
    expect(done).toEqual([
      'renewed',
      'went on',
      'backed up',
      'overdue',
      'proved',
      'told',
      'notified',
      'ticked',
    ])
  } finally {
    rmSync(state_dir, { recursive: true, force: true })
  }
})
