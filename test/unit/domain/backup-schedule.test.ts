import { describe, expect, it } from 'vitest'
import { BACKUP_NAME, backupName } from '#handlers/domain/backups/backup-name.ts'
import { backupsDueSince } from '#handlers/domain/backups/schedule.ts'

const at = (time: string): number => Date.parse(`2026-05-05T${time}:00Z`)

describe('the schedule of backups', () => {
  it('is due from its hour on, and is made up for during six hours', () => {
    expect(backupsDueSince(null, at('03:00'))).toBeNull()
    expect(backupsDueSince(3, at('02:59'))).toBeNull()
    expect(backupsDueSince(3, at('03:00'))).toBe(at('03:00'))
    expect(backupsDueSince(3, at('08:59'))).toBe(at('03:00'))
    expect(backupsDueSince(3, at('09:00'))).toBeNull()
    expect(backupsDueSince(23, at('01:00'))).toBe(at('23:00') - 86_400_000)
  })
})

describe('the name of a backup', () => {
  it('is account, date and time', () => {
    const name = backupName('bob', at('13:07'))
    expect(name).toBe('bob-20260505-130700.tar.gz')
    expect(name).toMatch(BACKUP_NAME)
  })
})
